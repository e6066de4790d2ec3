import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import type { AliasMoveRun } from '../shared/alias-move.js';
import type { SnapshotContent } from './snapshot.js';

const POLL_MS = 500;
const STALLED_MS = 30_000;
const MEGABYTE = 1024 * 1024;

/**
 * The index settings that block writes. They are not restored, because the index may have had such a block
 * when the snapshot was taken.
 */
const BLOCKS = ['index.blocks.write', 'index.blocks.read_only_allow_delete'];

/**
 * Restores one index of a snapshot, and waits until all its shards are available.
 * @param to the new name, which must not be in use. Aliases are restored only if the name is unchanged.
 * @throws OperationError if Elasticsearch cannot restore it. The incomplete index is left for inspection.
 */
export async function restoreIndex(
  { es, signal, showProgress }: Pick<AliasMoveRun, 'es' | 'signal' | 'showProgress'>,
  { repository, snapshot }: SnapshotContent,
  from: string,
  to: string,
): Promise<void> {
  if (await es.indices.exists({ index: to }))
    throw new OperationError(`There is an index ${to} already; nothing was touched.`);
  await es.snapshot.restore(
    {
      repository,
      snapshot,
      indices: [from],
      wait_for_completion: false,
      include_global_state: false,
      include_aliases: from === to,
      rename_pattern: '.+',
      rename_replacement: to,
      ignore_index_settings: BLOCKS,
    },
    // A retry would be refused, because the first attempt has created the index.
    { maxRetries: 0 },
  );
  const display = showProgress(`restoring ${to}`);
  try {
    for (let since = performance.now(); ; await sleep(POLL_MS, undefined, { signal })) {
      const { [to]: recovery } = await es.indices.recovery({ index: to });
      const shards = (recovery?.shards ?? []).filter(({ primary }) => primary);
      const bytes = (of: 'total_in_bytes' | 'recovered_in_bytes') =>
        shards.reduce((sum, { index }) => sum + Number(index.size[of] ?? 0), 0);
      const [done, total] = [bytes('recovered_in_bytes'), bytes('total_in_bytes')];
      const note = `${formatCount(Math.round(done / MEGABYTE))} of ${formatCount(Math.round(total / MEGABYTE))} MB`;
      display.update({ share: total === 0 ? null : done / total, note });
      // The end of the restore is recognized by the number of active shards, because the health status of an
      // index is yellow even before its restore has begun.
      const { indices } = await es.cluster.health({ index: to, level: 'indices' });
      const health = indices?.[to];
      if (health === undefined) throw new OperationError(`${to} was deleted meanwhile; run this again.`);
      if (health.active_primary_shards === health.number_of_shards) return;
      if (health.initializing_shards > 0) since = performance.now();
      if (performance.now() - since > STALLED_MS) throw new OperationError(await restoreFailure(es, to));
    }
  } finally {
    display.stop();
  }
}

async function restoreFailure(es: Client, index: string): Promise<string> {
  const answer = await es.cluster.allocationExplain({ index, shard: 0, primary: true }, { ignore: [400] });
  const { unassigned_info: info, allocate_explanation: explanation } = answer as Partial<typeof answer>;
  const why = [info?.details, explanation].filter(Boolean).join('; ');
  return `${index} could not be restored: ${why || 'a shard is not available'}. The alias is where it was; delete ${index} and try again, or choose another snapshot.`;
}
