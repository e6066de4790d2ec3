import type { Client } from '@elastic/elasticsearch';
import { type EventStream, type Storage, unlessNew } from './streams.js';

/** How much of a stream is kept. */
export interface Bounds {
  /** Of disk, all copies together. Audit events stay their time whatever they take: they are few by themselves. */
  maxBytes: number;
  now: Date;
  signal?: AbortSignal | undefined;
}

const DAY_MS = 86_400_000;

/** A data stream's index is followed by another when it takes this part of what is kept: only whole ones are deleted. */
const PARTS = 8;

/**
 * Deletes what is past its time, and then the oldest of what takes too much room. Several processes may do it at once:
 * what another has deleted is gone as well.
 * @returns the indices that were deleted for their size.
 */
export async function enforceRetention(
  es: Client,
  stream: EventStream,
  storage: Storage,
  { maxBytes, now, signal }: Bounds,
): Promise<string[]> {
  const { name, retentionDays } = stream;
  const options = signal === undefined ? {} : { signal };
  const isDaily = storage === 'daily indices';
  if (isDaily) await deleteExpired(es, stream, now, signal);
  else {
    await es.indices.putDataLifecycle({ name, data_retention: `${retentionDays}d` }, unlessNew(signal));
    const conditions = { max_primary_shard_size: `${Math.ceil(maxBytes / PARTS)}b` };
    await es.indices.rollover({ alias: name, conditions }, unlessNew(signal));
  }
  if (stream.kind === 'audit') return [];
  const sizes = await sizesOf(es, stream, isDaily ? `${name}-*` : name, signal);
  // What is written to cannot be taken from a data stream.
  const last = isDaily ? undefined : sizes.at(-1)?.index;
  const gone = oversizedIndices(sizes, maxBytes).filter((index) => index !== last);
  if (gone.length > 0) await es.indices.delete({ index: gone, ignore_unavailable: true }, options);
  return gone;
}

/** The day of one of a stream's daily indices; null: it is none. */
function dayOf({ name }: EventStream, index: string): string | null {
  if (!index.startsWith(`${name}-`)) return null;
  const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(index.slice(name.length + 1)) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

/** Of these indices, the stream's own that hold nothing but what is past its retention. */
export function expiredIndices(indices: readonly string[], stream: EventStream, now: Date): string[] {
  return indices.filter((index) => {
    const begins = Date.parse(`${dayOf(stream, index)}T00:00:00Z`);
    return begins + (1 + stream.retentionDays) * DAY_MS <= now.getTime();
  });
}

/** Deletes daily indices past their retention; a data stream's retention is the engine's to keep. */
export async function deleteExpired(
  es: Client,
  stream: EventStream,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  const { indices } = await es.indices.resolveIndex({ name: `${stream.name}-*` }, options);
  const expired = expiredIndices(
    indices.map(({ name }) => name),
    stream,
    now,
  );
  if (expired.length > 0) await es.indices.delete({ index: expired, ignore_unavailable: true }, options);
}

/** An index and the disk that it takes, in bytes. */
export interface Sized {
  index: string;
  bytes: number;
}

/** Of these, oldest first, those that have to go for the rest to fit. */
export function oversizedIndices(sizes: readonly Sized[], maxBytes: number): string[] {
  let bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  const gone: string[] = [];
  for (const one of sizes) {
    if (bytes <= maxBytes) break;
    bytes -= one.bytes;
    gone.push(one.index);
  }
  return gone;
}

/** The stream's indices, oldest first: their names say the day, and a data stream's a running number after it. */
async function sizesOf(
  es: Client,
  stream: EventStream,
  index: string,
  signal?: AbortSignal,
): Promise<Sized[]> {
  const { indices } = await es.indices.stats({ index, metric: ['store'] }, unlessNew(signal));
  return Object.entries(indices ?? {})
    .filter(([name]) => index === stream.name || dayOf(stream, name) !== null)
    .map(([name, { total }]) => ({ index: name, bytes: total?.store?.size_in_bytes ?? 0 }))
    .sort((a, b) => (a.index < b.index ? -1 : 1));
}
