import { SERVICE } from '../../engine/indices.js';
import { findGenerations } from '../../engine/generations.js';
import { OperationError, StoppedError } from '../../platform/operation-errors.js';
import {
  FOLDERS,
  INDICES,
  type IndexKind,
  schemaOf,
  SPACES,
  storedIndex,
  storedIndices,
} from '../../platform/stored.js';
import { formatCount, formatDuration } from '../../text/quantities.js';
import { figuresOf, figuresText, shortfall } from './figures.js';
import { applyLaterChanges, type LaterChanges } from './later-changes.js';
import { type CopyFolder, readCopy, type RedisCopy, type RedisStore, restoreCopy } from './redis-copy.js';
import { checkFiles } from './repository.js';
import {
  deleteIndices,
  type RestoreContext,
  restoreIndices,
  restoreKind,
  temporaryNames,
} from './restore-indices.js';
import { findSnapshot, type SnapshotChoice, type SnapshotContent } from './snapshot.js';
import { swapToRestored } from './swap.js';
import { verifyRestored } from './verify.js';

/** The Redis to restore into, and the folder of its copies; `folder` is null if it is unknown. */
export interface RedisTarget {
  folder: CopyFolder | null;
  use: <T>(work: (store: RedisStore) => Promise<T>) => Promise<T>;
}

interface RestoreOptions extends SnapshotChoice {
  /** The name of an existing index to verify and to move the alias to, instead of restoring a snapshot. */
  use: string | undefined;
  yes: boolean;
  dryRun: boolean;
  redis: RedisTarget | null;
}

/** The kinds that are restored besides the listings. The audit comes first, because it states which keys were revoked. */
const KINDS = storedIndices.flatMap(([kind, { fate }]) =>
  fate === 'backed up' && kind !== 'products' ? [kind] : [],
);

/**
 * Restores a backup: the listings into a new index, which is verified, then everything else, then Redis. At last the alias moves.
 * @throws OperationError, or StoppedError, if something in the backup is missing or damaged, or if listings would be lost; the
 * alias is not moved then.
 */
export async function restore(context: RestoreContext, options: RestoreOptions): Promise<void> {
  const { es, alias, indexPrefix, lease, report } = context;
  const { use, yes } = options;
  const { live, others, next } = await findGenerations(es, alias);
  const from = live?.index ?? null;
  if (use !== undefined) {
    if (!others.some(({ index, isOwn }) => index === use && isOwn))
      throw new OperationError(
        `There is no index ${use} besides the serving index: npm run doctor lists them.`,
      );
    report(await verifyRestored(context, use, from));
    await swapToRestored(context, { from, to: use, yes });
  } else {
    const source = await findSnapshot(es, { ...options, indexPrefix });
    report(
      `${source.products} of the snapshot ${source.snapshot}, begun ${source.startedAt}, becomes ${next}`,
    );
    const copy = await readRedisCopy(source, options.redis, indexPrefix);
    const damage = await reportFiles(context, source);
    if (options.dryRun) {
      for (const kind of KINDS) report(`${kind}: ${plannedText(source, kind)}`);
      report(`redis: ${copyText(copy)}`);
      if (damage !== null) throw damage;
      return;
    }
    await restoreProducts(context, source, { to: next, serving: from });
    await restoreOthers(context, source, { to: next, copy, redis: options.redis });
    if (damage !== null)
      throw new OperationError(
        `${damage.message} Everything was restored nevertheless; the alias is where it was. Take the next backup into another folder. To switch: npm run restore -- --use ${next}`,
        { cause: damage },
      );
    await swapToRestored(context, { from, to: next, yes });
  }
  // The restored index has no predecessors: reindexes cannot be rolled back, and readers of the change feed must start again.
  await lease.save({ previous: null, predecessors: [] });
}

async function reportFiles({ es, report }: RestoreContext, { repository, snapshot }: SnapshotContent) {
  try {
    report(`files: ${await checkFiles(es, repository, snapshot)}`);
    return null;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    report(`files: FAILED: ${error.message}`);
    return error;
  }
}

async function restoreProducts(
  context: RestoreContext,
  source: SnapshotContent,
  { to, serving }: { to: string; serving: string | null },
): Promise<void> {
  const { es, report } = context;
  try {
    await restoreIndices(context, source, [source.products], {
      renaming: { pattern: '.+', replacement: to },
    });
    const figures = await figuresOf(es, 'products', to);
    const lacking = shortfall(source.contents?.kinds.products ?? figures, figures);
    if (lacking !== null) throw new StoppedError(`${to} is incomplete: ${lacking}.`);
    report(`products: restored as ${to}: ${figuresText(figures)}`);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const message = `${error.message} The alias is where it was; delete ${to} and try again, or choose another snapshot.`;
    const SameError = error instanceof StoppedError ? StoppedError : OperationError;
    throw new SameError(message, { cause: error });
  }
  report(await verifyRestored(context, to, serving));
}

async function restoreOthers(
  context: RestoreContext,
  source: SnapshotContent,
  { to, copy, redis }: { to: string; copy: RedisCopy | null; redis: RedisTarget | null },
): Promise<void> {
  const { report } = context;
  const failed: string[] = [];
  for (const kind of KINDS) {
    try {
      const outcome = await restoreKind(context, source, kind);
      await checkSchema(context, kind);
      report(`${kind}: ${outcome}`);
    } catch (error) {
      if (context.signal.aborted) throw error;
      failed.push(kind);
      report(`${kind}: FAILED: ${(error as Error).message}`);
    }
  }
  const isAuditKnown = !failed.includes('audit');
  if (copy === null || redis === null) report(`redis: ${copyText(copy)}`);
  else await redis.use((store) => restoreRedis(context, store, copy, isAuditKnown));
  for (const [name, { fate, loss }] of Object.entries({ ...INDICES, ...SPACES, ...FOLDERS }))
    if (fate !== 'backed up') report(`${name}: ${fate}: ${loss}`);
  if (failed.length > 0)
    throw new OperationError(
      `${failed.join(', ')} could not be restored. The alias is where it was. Run this again with another snapshot, or switch to the listings without the rest: npm run restore -- --use ${to}`,
    );
}

async function checkSchema({ es, indexPrefix }: RestoreContext, kind: IndexKind): Promise<void> {
  const schema = schemaOf(kind);
  const mappings = await es.indices.getMapping(
    { index: storedIndex(indexPrefix, kind), filter_path: '*.mappings._meta' },
    { ignore: [404] },
  );
  for (const [index, state] of Object.entries(mappings)) {
    const meta = (state as Partial<typeof state>).mappings?._meta;
    const version = Number(meta?.['service'] === SERVICE ? (meta['schema_version'] ?? 1) : 1);
    if (version > schema)
      throw new OperationError(
        `${index} has schema ${version}, and this version supports at most ${schema}: update the service first.`,
      );
  }
}

async function restoreRedis(
  { es, indexPrefix, report }: RestoreContext,
  store: RedisStore,
  copy: RedisCopy,
  isAuditKnown: boolean,
): Promise<void> {
  const now = new Date();
  const { records, ...keys } = await restoreCopy(store, copy, { indexPrefix, now });
  report(
    `keys: as of ${copy.at}: ${formatCount(keys.added)} added, ${formatCount(keys.ended)} ended, ${formatCount(keys.unchanged)} unchanged, ${formatCount(keys.refused)} refused`,
  );
  report(
    `quotas, previous secrets: ${formatCount(records.added)} added, ${formatCount(records.kept)} kept, ${formatCount(records.expired)} expired meanwhile`,
  );
  const later = isAuditKnown
    ? await applyLaterChanges(es, store, { indexPrefix, copiedAt: copy.at, now })
    : null;
  for (const line of laterText(copy, later)) report(line);
}

function laterText({ at }: RedisCopy, later: LaterChanges | null): string[] {
  const known = later?.until ?? at;
  const about = (ids: readonly string[] = [], fate: string, advice = ''): string[] =>
    ids.length === 0
      ? []
      : [`  ${fate}: ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}${advice}`];
  return [
    ...about(later?.revoked, 'revoked again, as the audit stream says'),
    ...about(
      later?.lost,
      'lost, because they were created after the copy',
      '; create new ones for their developers',
    ),
    ...about(
      later?.replaced,
      'valid without an end, because the keys that replaced them are lost',
      '; replace them again',
    ),
    ...(later?.isCut === true
      ? ['  The audit stream has more changes of keys than were read; compare it with npm run keys -- list.']
      : []),
    `  Revocations after ${known > at ? known : at} are unknown: repeat them (npm run keys -- revoke), or name a newer npm run keys -- export with --keys.`,
  ];
}

/** Reads the copy of Redis that belongs to a snapshot; null: there is none, or none is wanted. */
async function readRedisCopy(
  { snapshot, contents }: SnapshotContent,
  redis: Pick<RedisTarget, 'folder'> | null,
  indexPrefix: string,
): Promise<RedisCopy | null> {
  if (redis === null || (contents !== null && contents.redis === null)) return null;
  const stated = contents?.redis ?? null;
  const text = (await redis.folder?.read(snapshot)) ?? null;
  if (text === null) {
    if (stated === null) return null;
    const where =
      redis.folder === null ? 'Name its folder with --redis.' : `It is not in ${redis.folder.path}.`;
    throw new OperationError(
      `The backup ${snapshot} has a copy of Redis of ${stated.at}, which is missing. ${where} --without-redis restores Elasticsearch alone; nothing was touched.`,
    );
  }
  const file = `The copy of Redis of ${snapshot}`;
  return readCopy(text, { file, indexPrefix, sha256: stated?.sha256 ?? null });
}

const copyText = (copy: RedisCopy | null): string =>
  copy === null
    ? 'not restored'
    : `${formatCount(copy.keys.length)} keys and ${formatCount(copy.records.length)} other records as of ${copy.at}`;

function plannedText({ contents, indices }: SnapshotContent, kind: IndexKind): string {
  const recorded = contents?.kinds[kind];
  if (recorded !== undefined) return figuresText(recorded);
  return indices[kind] === undefined ? 'not in the snapshot' : 'in the snapshot';
}

/** Restores every index under a temporary name, checks and times everything as `restore` does, and deletes these indices. */
export async function rehearseRestore(
  context: RestoreContext,
  choice: SnapshotChoice & { redis: Pick<RedisTarget, 'folder'> | null },
): Promise<void> {
  const { es, alias, indexPrefix, report } = context;
  const { live } = await findGenerations(es, alias);
  const timed = async (step: () => Promise<string>): Promise<void> => {
    const started = performance.now();
    const result = await step();
    report(`${formatDuration(performance.now() - started)}  ${result}`);
  };
  const source = await findSnapshot(es, { ...choice, indexPrefix });
  report(`snapshot ${source.snapshot}, begun ${source.startedAt}`);
  const renaming = temporaryNames(indexPrefix);
  const created: string[] = [];
  try {
    await timed(async () => `files: ${await checkFiles(es, source.repository, source.snapshot)}`);
    await timed(async () => `redis: ${copyText(await readRedisCopy(source, choice.redis, indexPrefix))}`);
    for (const kind of ['products' as const, ...KINDS]) {
      const indices = kind === 'products' ? [source.products] : (source.indices[kind] ?? []);
      const recorded = source.contents?.kinds[kind];
      await timed(async () => {
        if (indices.length === 0 && recorded === undefined) return `${kind}: not in the snapshot`;
        if (indices.length === 0) throw new OperationError(`${kind}: missing in the snapshot`);
        created.push(...indices.map((index) => renaming.replacement.replace('$1', index)));
        const restored = await restoreIndices(context, source, indices, { renaming });
        const figures = await figuresOf(es, kind, restored);
        const lacking = shortfall(recorded ?? figures, figures);
        if (lacking !== null) throw new OperationError(`${kind}: ${lacking}`);
        return `${kind}: restored: ${figuresText(figures)}`;
      });
    }
    const products = renaming.replacement.replace('$1', source.products);
    await timed(() => verifyRestored(context, products, live?.index ?? null));
  } finally {
    await deleteIndices(es, created);
  }
  report('passed; the indices of the drill were deleted');
}
