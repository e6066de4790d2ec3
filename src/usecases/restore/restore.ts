import { findGenerations } from '../../engine/generations.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount, formatDuration } from '../../text/quantities.js';
import type { AliasMoveRun } from '../shared/alias-move.js';
import { restoreIndex } from './restore-index.js';
import { findSnapshot, PARTS, type SnapshotChoice, type SnapshotContent } from './snapshot.js';
import { swapToRestored } from './swap.js';
import { verifyRestored } from './verify.js';

export type RestoreContext = AliasMoveRun & { indexPrefix: string };

interface RestoreOptions extends SnapshotChoice {
  /** The name of an existing index to verify and to move the alias to, instead of restoring a snapshot. */
  use: string | undefined;
  yes: boolean;
  dryRun: boolean;
}

/** Restores a snapshot of the catalogue into a new index, verifies the index, and moves the alias to it. */
export async function restore(context: RestoreContext, options: RestoreOptions): Promise<void> {
  const { es, alias, indexPrefix, lease, report } = context;
  const { use, yes } = options;
  const { live, others, next } = await findGenerations(es, alias);
  const from = live?.index ?? null;
  const to = use ?? next;
  if (use === undefined) {
    const source = await findSnapshot(es, { ...options, indexPrefix, serving: live?.index });
    report(`${source.products} of the snapshot ${source.snapshot}, begun ${source.startedAt}, becomes ${to}`);
    if (options.dryRun) return;
    await restoreIndex(context, source, source.products, to);
    report(`${to}: restored`);
    await restoreParts(context, source);
  } else if (!others.some(({ index, isOwn }) => index === use && isOwn)) {
    throw new OperationError(
      `There is no index ${use} besides the serving index: npm run reindex -- --status lists them.`,
    );
  }
  report(await verifyRestored(context, to, from));
  await swapToRestored(context, { from, to, yes });
  // An earlier reindex can no longer be rolled back, because that would lead to an index that is unrelated to
  // the restored one. For the same reason, readers of the change feed begin again.
  await lease.save({ previous: null, predecessors: [] });
}

/**
 * Restores the indices of a backup other than that of the listings. Existing indices are left as they are,
 * because they are newer and cannot be rebuilt.
 */
async function restoreParts(context: RestoreContext, source: SnapshotContent): Promise<void> {
  const { es, indexPrefix, report } = context;
  for (const part of PARTS) {
    const name = `${indexPrefix}-${part}`;
    const indices = source.parts[part];
    if (indices.length === 0) continue;
    if (await es.indices.exists({ index: name })) {
      const { count } = await es.count({ index: name });
      report(`${name}: exists with ${formatCount(count)} documents, and is kept as it is`);
      continue;
    }
    for (const index of indices) {
      await restoreIndex(context, source, index, index);
      report(`${index}: restored`);
    }
  }
}

/**
 * Rehearses a restore: restores every index under a temporary name, verifies the listings, reports the time
 * of each step, and deletes the restored indices.
 */
export async function rehearseRestore(context: RestoreContext, choice: SnapshotChoice): Promise<void> {
  const { es, alias, indexPrefix, report } = context;
  const { live } = await findGenerations(es, alias);
  const serving = live?.index;
  const timed = async <T>(what: string, step: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await step();
    report(`${formatDuration(performance.now() - started)}  ${typeof result === 'string' ? result : what}`);
    return result;
  };
  const source = await timed('found the snapshot', () =>
    findSnapshot(es, { ...choice, indexPrefix, serving }),
  );
  report(`snapshot ${source.snapshot}, begun ${source.startedAt}`);
  const created: string[] = [];
  const stamp = Date.now();
  const nameOf = (index: string) => `${index}-drill-${stamp}`;
  try {
    for (const from of [source.products, ...PARTS.flatMap((part) => source.parts[part])]) {
      const to = nameOf(from);
      created.push(to);
      await timed(`restored ${from}`, () => restoreIndex(context, source, from, to));
    }
    await timed('', () => verifyRestored(context, nameOf(source.products), serving ?? null));
  } finally {
    await es.indices.delete({ index: created, ignore_unavailable: true });
  }
  report('passed; the indices of the drill were deleted');
}
