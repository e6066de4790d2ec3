import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { chunksOf } from '../../platform/chunks.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import type { AliasMoveRun } from '../../engine/alias-move.js';
import type { SnapshotContent } from './snapshot.js';

const POLL_MS = 100;
const STALLED_MS = 30_000;
const MEGABYTE = 1024 * 1024;
/** The number of indices in one request. Their names must fit into the first line of a request. */
const BATCH = 25;

/**
 * The index settings that block writes. They are not restored, because the index may have had such a block
 * when the snapshot was taken.
 */
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
 * @param renaming none of the new names may be in use. Without it, the indices keep their names and aliases.
 * @param stream the data stream to which all the indices belong, if it is restored as a whole.
 * @returns the names of the restored indices.
 * @throws OperationError if Elasticsearch cannot restore them. What was begun is left.
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
      // The end of the restore is recognized by the number of active shards, because the health status of an
      // index is yellow even before its restore has begun.
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

/** Deletes those of the indices that exist. */
export async function deleteIndices(es: Client, indices: readonly string[]): Promise<void> {
  for (const index of chunksOf(indices, BATCH)) await es.indices.delete({ index, ignore_unavailable: true });
}

/**
 * Why an index cannot be restored.
 * @param isStalled whether nothing has happened for so long that nothing will.
 * @returns null if its restore may still begin. A shard that has failed is not tried again.
 */
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
