import type { Client } from '@elastic/elasticsearch';
import { type EventStream, type Storage, unlessNew } from './streams.js';
import { DAY_MS } from '../../listing/instant.js';

interface RetentionLimits {
  /** The maximum disk space of a stream including its replicas, in bytes. Audit events, which are few, have no limit. */
  maxBytes: number;
  now: Date;
  signal?: AbortSignal | undefined;
}

/** A new index begins at the maximum size of the stream divided by this number, because only whole indices can be deleted. */
const ROLLOVERS = 8;

/** Deletes the events of a stream past their retention, then the oldest indices if it is too large. @returns the latter. */
export async function enforceRetention(
  es: Client,
  stream: EventStream,
  storage: Storage,
  { maxBytes, now, signal }: RetentionLimits,
): Promise<string[]> {
  const { name, retentionDays } = stream;
  const isDaily = storage === 'daily indices';
  if (isDaily) await deleteExpired(es, stream, now, signal);
  else {
    await es.indices.putDataLifecycle({ name, data_retention: `${retentionDays}d` }, unlessNew(signal));
    const conditions = { max_primary_shard_size: `${Math.ceil(maxBytes / ROLLOVERS)}b` };
    await es.indices.rollover({ alias: name, conditions }, unlessNew(signal));
  }
  if (stream.kind === 'audit') return [];
  const sizes = await sizesOf(es, stream, isDaily ? `${name}-*` : name, signal);
  // The write index of a data stream is kept, because Elasticsearch refuses to delete it.
  const writeIndex = isDaily ? undefined : sizes.at(-1)?.index;
  const oversized = oversizedIndices(sizes, maxBytes).filter((index) => index !== writeIndex);
  await deleteIndices(es, oversized, signal);
  return oversized;
}

/** The day of a daily index of the stream, as `YYYY-MM-DD`; null for another index. */
function dayOf({ name }: EventStream, index: string): string | null {
  if (!index.startsWith(`${name}-`)) return null;
  const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(index.slice(name.length + 1)) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

/** Returns the daily indices of the stream in which every event is past its retention. */
export function expiredIndices(indices: readonly string[], stream: EventStream, now: Date): string[] {
  return indices.filter((index) => {
    const begins = Date.parse(`${dayOf(stream, index)}T00:00:00Z`);
    return begins + (1 + stream.retentionDays) * DAY_MS <= now.getTime();
  });
}

/** Deletes daily indices past their retention, which Elasticsearch itself enforces for data streams. */
export async function deleteExpired(es: Client, stream: EventStream, now: Date, signal?: AbortSignal) {
  const { indices } = await es.indices.resolveIndex({ name: `${stream.name}-*` }, { signal });
  const names = indices.map(({ name }) => name);
  const expired = expiredIndices(names, stream, now);
  await deleteIndices(es, expired, signal);
}

async function deleteIndices(es: Client, index: string[], signal?: AbortSignal): Promise<void> {
  if (index.length > 0) await es.indices.delete({ index, ignore_unavailable: true }, { signal });
}

interface IndexSize {
  index: string;
  bytes: number;
}

/** The oldest indices to delete so that the others fit into `maxBytes`. @param sizes oldest first. */
export function oversizedIndices(sizes: readonly IndexSize[], maxBytes: number): string[] {
  let bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  const deleted: string[] = [];
  for (const one of sizes) {
    if (bytes <= maxBytes) break;
    bytes -= one.bytes;
    deleted.push(one.index);
  }
  return deleted;
}

/** The indices of an event stream and their sizes, oldest first, as their names sort. */
async function sizesOf(es: Client, stream: EventStream, index: string, signal?: AbortSignal) {
  const { indices } = await es.indices.stats({ index, metric: ['store'] }, unlessNew(signal));
  return Object.entries(indices ?? {})
    .filter(([name]) => index === stream.name || dayOf(stream, name) !== null)
    .map(([name, { total }]) => ({ index: name, bytes: total?.store?.size_in_bytes ?? 0 }))
    .sort((a, b) => (a.index < b.index ? -1 : 1));
}
