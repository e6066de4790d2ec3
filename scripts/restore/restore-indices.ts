import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Output } from '../shared/command.js';
import { CommandError } from '../shared/exit.js';
import { formatCount, showProgress } from '../shared/terminal.js';
import type { Source } from './snapshot.js';

const POLL_MS = 500;
/** A shard that nobody works on for so long will not be restored. */
const STALLED_MS = 30_000;
const MEGABYTE = 1024 * 1024;

/** Blocks that an index had when the snapshot was made. */
const BLOCKS = ['index.blocks.write', 'index.blocks.read_only_allow_delete'];

/**
 * Restores one index of a snapshot, and waits until all of it is there.
 * @param to the name that it gets, which no index has. Aliases are restored only under its own name.
 * @throws CommandError where Elasticsearch cannot restore it; the index is left for a look at it.
 */
export async function restoreIndex(
  es: Client,
  { repository, snapshot }: Source,
  { from, to, err, signal }: { from: string; to: string; err: Output; signal: AbortSignal },
): Promise<void> {
  if (await es.indices.exists({ index: to }))
    throw new CommandError(`There is an index ${to} already; nothing was touched.`);
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
    // The client's own second try would be refused, because the first has made the index.
    { maxRetries: 0 },
  );
  const display = showProgress(`restoring ${to}`, err);
  try {
    for (let since = performance.now(); ; await sleep(POLL_MS, undefined, { signal })) {
      const { [to]: recovery } = await es.indices.recovery({ index: to });
      const shards = (recovery?.shards ?? []).filter(({ primary }) => primary);
      const bytes = (of: 'total_in_bytes' | 'recovered_in_bytes') =>
        shards.reduce((sum, { index }) => sum + Number(index.size[of] ?? 0), 0);
      const [done, total] = [bytes('recovered_in_bytes'), bytes('total_in_bytes')];
      const note = `${formatCount(Math.round(done / MEGABYTE))} of ${formatCount(Math.round(total / MEGABYTE))} MB`;
      display.update({ share: total === 0 ? null : done / total, note });
      // Not its status: an index that is about to be restored is yellow, not red.
      const { indices } = await es.cluster.health({ index: to, level: 'indices' });
      const health = indices?.[to];
      if (health === undefined) throw new CommandError(`${to} was deleted meanwhile; run this again.`);
      if (health.active_primary_shards === health.number_of_shards) return;
      if (health.initializing_shards > 0) since = performance.now();
      if (performance.now() - since > STALLED_MS) throw new CommandError(await reasonOf(es, to));
    }
  } finally {
    display.stop();
  }
}

async function reasonOf(es: Client, index: string): Promise<string> {
  const answer = await es.cluster.allocationExplain({ index, shard: 0, primary: true }, { ignore: [400] });
  const { unassigned_info: info, allocate_explanation: explanation } = answer as Partial<typeof answer>;
  const why = [info?.details, explanation].filter(Boolean).join('; ');
  return `${index} could not be restored: ${why || 'a shard is not there'}. The alias is where it was; delete ${index} and try again, or choose another snapshot.`;
}
