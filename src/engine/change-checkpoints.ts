import type { Client } from '@elastic/elasticsearch';
import { EngineUnavailableError } from './errors.js';

/** Up to which sequence numbers the writes to an index are final and visible to searches. */
export interface IndexCheckpoint {
  index: string;
  uuid: string;
  /** For each shard, the sequence number up to which every write has reached every copy of the shard. */
  shards: number[];
}

export interface Checkpoints {
  products: IndexCheckpoint;
  /** The checkpoint of the index of withdrawn listings; null before the first withdrawal. */
  withdrawn: IndexCheckpoint | null;
}

const DEADLINE = { requestTimeout: 5_000 };

/**
 * Reads the global checkpoint of each shard. Writes up to it cannot be lost, and none with a lower number is under way. The
 * sequence numbers of search hits have holes, and appear out of order.
 * @throws EngineUnavailableError if there is no catalogue, or a shard has no primary.
 */
export async function readCheckpoints(
  es: Client,
  { products, withdrawn }: { products: string; withdrawn: string },
): Promise<Checkpoints> {
  const request = {
    index: [products, withdrawn],
    level: 'shards' as const,
    metric: 'docs' as const,
    ignore_unavailable: true,
    filter_path: [
      'indices.*.uuid',
      'indices.*.shards.*.seq_no.global_checkpoint',
      'indices.*.shards.*.routing.primary',
    ],
  };
  const { indices = {} } = await es.indices.stats(request, DEADLINE);
  const found = Object.entries(indices).map(([index, { uuid = '', shards = {} }]) => {
    const checkpoints: number[] = [];
    for (const [shard, of] of Object.entries(shards)) {
      const primary = of.find(({ routing }) => routing?.primary);
      if (primary?.seq_no !== undefined) checkpoints[Number(shard)] = primary.seq_no.global_checkpoint;
    }
    return { index, uuid, shards: checkpoints };
  });
  const of = (isWithdrawn: boolean) => found.find(({ index }) => (index === withdrawn) === isWithdrawn);
  const catalogue = of(false);
  if (catalogue === undefined) throw new EngineUnavailableError(`index ${products} is missing`);
  return { products: catalogue, withdrawn: of(true) ?? null };
}

/** Makes earlier writes visible on every copy. @throws EngineUnavailableError if one is not refreshed, or a primary is missing. */
export async function makeVisible(es: Client, { products, withdrawn }: Checkpoints): Promise<void> {
  const indices = [products, ...(withdrawn === null ? [] : [withdrawn])];
  const index = indices.map((one) => one.index);
  const [{ _shards }, settings] = await Promise.all([
    es.indices.refresh({ index }, DEADLINE),
    es.indices.getSettings({ index, name: 'index.number_of_shards' }, DEADLINE),
  ]);
  if ((_shards?.failed ?? 0) > 0) throw new EngineUnavailableError('a shard could not be refreshed');
  for (const { index: name, shards } of indices) {
    const expected = Number(settings[name]?.settings?.index?.number_of_shards);
    if (Object.keys(shards).length !== expected)
      throw new EngineUnavailableError(`a shard of ${name} has no primary`);
  }
}
