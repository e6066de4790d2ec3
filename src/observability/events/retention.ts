import type { Client } from '@elastic/elasticsearch';
import type { EventStream } from './streams.js';

const DAY_MS = 86_400_000;

/** Of these indices, the stream's own that hold nothing but what is past its retention. */
export function expiredIndices(
  indices: readonly string[],
  { name, retentionDays }: EventStream,
  now: Date,
): string[] {
  return indices.filter((index) => {
    if (!index.startsWith(`${name}-`)) return false;
    const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(index.slice(name.length + 1)) ?? [];
    const begins = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
    return begins + (1 + retentionDays) * DAY_MS <= now.getTime();
  });
}

/**
 * Deletes daily indices past their retention; a data stream's retention is the engine's to keep. Several instances
 * may do it at once: what another has deleted is gone as well.
 */
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
