import type { Client } from '@elastic/elasticsearch';
import { totalOf } from '../../engine/deep-offset.js';
import { OperationError } from '../../platform/operation-errors.js';
import { INDICES, type IndexKind, type StoredIndex } from '../../platform/stored.js';
import { formatCount } from '../../text/quantities.js';

/** What an index of one kind contained at one time. A restored index is compared with it. */
export interface Figures {
  /** The number of documents; null: it changed while it was counted. */
  count: number | null;
  /** The number of writes that the index ever received. A snapshot preserves it. */
  writes: number;
  /** The time of the newest change in milliseconds since 1970; null: none, or the kind states no such time. */
  newest: number | null;
}

const ATTEMPTS = 5;

/** Reads the figures of the indices of a kind, with every acknowledged write. @throws OperationError if a shard is not available. */
export async function figuresOf(es: Client, kind: IndexKind, index: string | readonly string[]) {
  const { changed }: StoredIndex = INDICES[kind];
  const names = typeof index === 'string' ? index : index.join();
  for (let attempt = 1; ; attempt += 1) {
    await es.indices.refresh({ index: names });
    const writes = await writesOf(es, names);
    const answer = await es.search<unknown, { newest: { value: number | null } }>({
      index: names,
      size: 0,
      track_total_hits: true,
      allow_partial_search_results: false,
      ...(changed === undefined ? {} : { aggs: { newest: { max: { field: changed } } } }),
    });
    const newest = answer.aggregations?.newest.value ?? null;
    if ((await writesOf(es, names)) === writes) return { count: totalOf(answer), writes, newest };
    if (attempt === ATTEMPTS) return { count: null, writes, newest: null };
  }
}

async function writesOf(es: Client, index: string): Promise<number> {
  const { indices = {}, _shards } = await es.indices.stats({ index, level: 'shards', metric: ['docs'] });
  if (_shards.failed > 0) throw new OperationError(`Not every shard of ${index} is available.`);
  return Object.values(indices)
    .flatMap(({ shards = {} }) => Object.values(shards).flat())
    .filter(({ routing }) => routing?.primary)
    .reduce((sum, { seq_no }) => sum + (seq_no?.max_seq_no ?? -1) + 1, 0);
}

/** Says what restored indices lack; null if nothing. If writes were made during the snapshot, documents are not compared. */
export function shortfall(recorded: Figures, found: Figures): string | null {
  if (found.writes < recorded.writes)
    return `${formatCount(recorded.writes - found.writes)} of ${formatCount(recorded.writes)} writes are missing`;
  if (found.writes > recorded.writes || recorded.count === null) return null;
  if (found.count !== recorded.count)
    return `it has ${found.count ?? 'an unknown number of'} documents instead of ${recorded.count}`;
  if (found.newest !== recorded.newest)
    return `its newest change is ${timeOf(found.newest)} instead of ${timeOf(recorded.newest)}`;
  return null;
}

export const figuresText = ({ count, newest }: Figures): string =>
  `${count === null ? '?' : formatCount(count)} documents${newest === null ? '' : `, the newest of ${timeOf(newest)}`}`;

const timeOf = (ms: number | null): string => (ms === null ? 'unknown' : new Date(ms).toISOString());
