import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { AliasMoveRun } from '../../engine/alias-move.js';
import { chunksOf } from '../../platform/chunks.js';
import { OperationError } from '../../platform/operation-errors.js';
import { INDICES, type IndexKind, type StoredIndex, storedIndex } from '../../platform/stored.js';
import { formatCount } from '../../text/quantities.js';
import { type Figures, figuresOf, figuresText, shortfall } from './figures.js';
import type { SnapshotContent } from './snapshot.js';

const POLL_MS = 100;
const STALLED_MS = 30_000;
const MEGABYTE = 1024 * 1024;
/** The number of indices in one request. Their names are in the URL, whose length Elasticsearch limits. */
const BATCH = 25;

/** Write blocks are not restored: the index may have had one when the snapshot was taken. */
const BLOCKS = ['index.blocks.write', 'index.blocks.read_only_allow_delete'];

export type RestoreContext = AliasMoveRun & { indexPrefix: string };
type RestoreRun = Pick<AliasMoveRun, 'es' | 'signal' | 'showProgress'>;

/** New names of restored indices: `pattern` matches the whole former name, and `replacement` may refer to its groups. */
export interface Renaming {
  pattern: string;
  replacement: string;
}

/**
 * Restores indices of a snapshot, and waits until all their shards are available.
 * @param options.renaming to names that are not in use. Without it, the indices keep their names and aliases.
 * @param options.stream the data stream to which all the indices belong, if it is restored as a whole.
 * @returns the names of the restored indices. @throws OperationError if Elasticsearch cannot restore them. What was begun is
 * left.
 */
export async function restoreIndices(
  run: RestoreRun,
  source: SnapshotContent,
  indices: readonly string[],
  { renaming, stream }: { renaming?: Renaming; stream?: string } = {},
): Promise<string[]> {
  const targetOf = (index: string) =>
    renaming === undefined
      ? index
      : index.replace(new RegExp(`^${renaming.pattern}$`, 'u'), renaming.replacement);
  for (const some of stream === undefined ? chunksOf(indices, BATCH) : [indices])
    await restoreBatch(run, source, {
      from: stream === undefined ? some : [stream],
      targets: some.map(targetOf),
      renaming,
    });
  return indices.map(targetOf);
}

async function restoreBatch(
  { es, signal, showProgress }: RestoreRun,
  { repository, snapshot }: SnapshotContent,
  batch: { from: readonly string[]; targets: string[]; renaming: Renaming | undefined },
): Promise<void> {
  const { from, targets, renaming } = batch;
  const [first = ''] = targets;
  const taken = await es.indices.resolveIndex({
    name: targets,
    expand_wildcards: 'all',
    ignore_unavailable: true,
  });
  const [inUse] = taken.indices;
  if (inUse !== undefined)
    throw new OperationError(`There is an index ${inUse.name} already; nothing was touched.`);
  await es.snapshot.restore(
    {
      repository,
      snapshot,
      indices: [...from],
      wait_for_completion: false,
      include_global_state: false,
      include_aliases: renaming === undefined,
      ...(renaming === undefined
        ? {}
        : { rename_pattern: renaming.pattern, rename_replacement: renaming.replacement }),
      ignore_index_settings: BLOCKS,
    },
    // A retry would be refused, because the first attempt has created the index.
    { maxRetries: 0 },
  );
  const index = targets.join();
  const display = showProgress(`restoring ${first}${targets.length > 1 ? ' and others' : ''}`);
  try {
    for (let since = performance.now(); ; await sleep(POLL_MS, undefined, { signal })) {
      const recoveries = await es.indices.recovery({ index });
      const shards = Object.values(recoveries)
        .flatMap((recovery) => recovery.shards)
        .filter(({ primary }) => primary);
      const bytes = (of: 'total_in_bytes' | 'recovered_in_bytes') =>
        shards.reduce((sum, { index }) => sum + Number(index.size[of] ?? 0), 0);
      const [done, total] = [bytes('recovered_in_bytes'), bytes('total_in_bytes')];
      const note = `${formatCount(Math.round(done / MEGABYTE))} of ${formatCount(Math.round(total / MEGABYTE))} MB`;
      display.update({ share: total === 0 ? null : done / total, note });
      // The number of active shards tells the end, because an index is yellow even before its restore has begun.
      const { indices = {} } = await es.cluster.health({ index, level: 'indices' });
      const health = targets.map((target) => {
        const one = indices[target];
        if (one === undefined) throw new OperationError(`${target} was deleted meanwhile; run this again.`);
        return { target, ...one };
      });
      const waiting = health.filter((one) => one.active_primary_shards < one.number_of_shards);
      const [stuck] = waiting;
      if (stuck === undefined) return;
      const isProgressing = waiting.some((one) => one.initializing_shards > 0);
      if (isProgressing) since = performance.now();
      const isStalled = performance.now() - since > STALLED_MS;
      const failure = isProgressing ? null : await restoreFailure(es, stuck.target, isStalled);
      if (failure !== null) throw new OperationError(failure);
    }
  } finally {
    display.stop();
  }
}

export async function deleteIndices(es: Client, indices: readonly string[]): Promise<void> {
  for (const index of chunksOf(indices, BATCH)) await es.indices.delete({ index, ignore_unavailable: true });
}

/** Why an index cannot be restored; null if its restore may still begin, unless it `isStalled`. Failed shards are not retried. */
async function restoreFailure(es: Client, index: string, isStalled: boolean): Promise<string | null> {
  const answer = await es.cluster.allocationExplain({ index, shard: 0, primary: true }, { ignore: [400] });
  const { unassigned_info: info, allocate_explanation: explanation } = answer as Partial<typeof answer>;
  if (!isStalled && info?.reason !== 'ALLOCATION_FAILED') return null;
  const why = [causeIn(info?.details ?? ''), explanation].filter(Boolean).join('; ');
  return `${index} could not be restored: ${why || 'a shard is not available'}.`;
}

/** The first cause in the stack of a Java exception, without the stack and the names of packages. */
function causeIn(details: string): string {
  const [first = '', ...others] = details.split('\n');
  const cause = others.findLast((line) => line.startsWith('Caused by: ')) ?? first;
  return cause
    .replace('Caused by: ', '')
    .replace(/^([a-z]\w*\.)+(?=[A-Z])/, '')
    .slice(0, 300);
}

/** Merging a large index into an existing one takes as long as reindexing it. */
const MERGE_DEADLINES = { requestTimeout: 6 * 3_600_000, maxRetries: 0 };

/**
 * Restores the indices of a kind other than the listings. Missing ones get their names back. One that was created after the
 * snapshot, for example by a service that was started on the empty cluster, gets the documents that it lacks. One that has every
 * write of the snapshot stays as it is.
 * @returns what became of the kind, for the operator. @throws OperationError if the snapshot lacks what it should contain.
 */
export async function restoreKind(context: RestoreContext, source: SnapshotContent, kind: IndexKind) {
  const { es, indexPrefix } = context;
  const name = storedIndex(indexPrefix, kind);
  const { [kind]: indices = [] } = source.indices;
  const recorded = source.contents?.kinds[kind];
  if (indices.length === 0) {
    if (recorded !== undefined)
      throw new OperationError(`missing in the snapshot, which states ${figuresText(recorded)}`);
    return source.contents === null ? 'not in the snapshot' : 'did not exist when the snapshot was taken';
  }
  const exists = await es.indices.exists({ index: name });
  const { form }: StoredIndex = INDICES[kind];
  if (form === 'generations' && exists) return 'kept: newer ones exist';
  const created = await creationTimes(es, indices);
  const isStream = source.dataStreams.includes(name) && exists;
  const absent = indices.filter((index) => !created.has(index));
  const isNewer = async (index: string) => {
    if ((created.get(index) ?? 0) > Date.parse(source.startedAt)) return true;
    const [only, ...others] = indices;
    if (recorded === undefined || only === undefined || others.length > 0) return false;
    return (await figuresOf(es, kind, only)).writes < recorded.writes;
  };
  const merged = isStream ? absent : [];
  for (const index of created.keys()) if (await isNewer(index)) merged.push(index);
  const restored = isStream ? [] : absent;
  if (restored.length + merged.length === 0) return 'kept: has every write of the snapshot';

  const found: Figures[] = [];
  if (restored.length > 0) {
    const whole = source.dataStreams.includes(name) ? { stream: name } : {};
    await restoreIndices(context, source, restored, whole).catch(async (error: unknown) => {
      // Indices that are left would be taken for existing ones by the next restore.
      await deleteIndices(es, restored).catch(() => undefined);
      throw error;
    });
    found.push(await figuresOf(es, kind, restored));
  }
  const added = await mergeIndices(context, source, { kind, indices: merged, isStream, found });
  const total = sumOf(found);
  const lacking =
    recorded === undefined || restored.length + merged.length < indices.length
      ? null
      : shortfall(recorded, total);
  if (lacking !== null) throw new OperationError(`restored, but ${lacking}`);
  const newer = merged.length > 0 ? `, ${formatCount(added)} of them added to a newer index` : '';
  return `restored: ${figuresText(total)}${newer}`;
}

/** Restores indices under temporary names, and adds the documents whose ids the existing ones lack. */
async function mergeIndices(
  context: RestoreContext,
  source: SnapshotContent,
  merge: { kind: IndexKind; indices: string[]; isStream: boolean; found: Figures[] },
): Promise<number> {
  const { kind, indices, isStream, found } = merge;
  if (indices.length === 0) return 0;
  const { es, indexPrefix } = context;
  const renaming = temporaryNames(indexPrefix);
  const temporary = indices.map((index) => renaming.replacement.replace('$1', index));
  let added = 0;
  try {
    await restoreIndices(context, source, indices, { renaming });
    found.push(await figuresOf(es, kind, temporary));
    for (const [nth, from] of temporary.entries()) {
      const target = isStream ? storedIndex(indexPrefix, kind) : (indices[nth] ?? '');
      const answer = await es.reindex(
        {
          source: { index: from },
          dest: { index: target, op_type: 'create' },
          conflicts: 'proceed',
          refresh: true,
        },
        MERGE_DEADLINES,
      );
      const [failure] = answer.failures ?? [];
      if (failure !== undefined)
        throw new OperationError(`${target} rejects a document: ${JSON.stringify(failure)}`);
      added += answer.created ?? 0;
    }
  } finally {
    await deleteIndices(es, temporary);
  }
  return added;
}

/** Temporary names for restored indices. Their prefix gives the data team access to all of them except the audit. */
export const temporaryNames = (indexPrefix: string) => ({
  pattern: '(.+)',
  replacement: `${indexPrefix}-restoring-${Date.now()}-$1`,
});

/** When existing indices were created, in ms since 1970. A restore preserves these times. */
async function creationTimes(es: Client, indices: readonly string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const index of indices) {
    const settings = await es.indices.getSettings({ index, name: 'index.creation_date' }, { ignore: [404] });
    const date = (settings as Partial<typeof settings>)[index]?.settings?.index?.creation_date;
    if (date !== undefined) times.set(index, Number(date));
  }
  return times;
}

function sumOf(figures: readonly Figures[]): Figures {
  return figures.reduce((sum, one) => ({
    count: sum.count === null || one.count === null ? null : sum.count + one.count,
    writes: sum.writes + one.writes,
    newest:
      sum.newest === null || one.newest === null
        ? (sum.newest ?? one.newest)
        : Math.max(sum.newest, one.newest),
  }));
}
