import type { Client } from '@elastic/elasticsearch';
import { median } from '../../scripts/shared/median.js';

/** Measurements of the service at one time. A value is null if it is unavailable. */
export interface Measurement {
  /** The time of the measurement in seconds since the start of the requests. */
  at: number;
  /** The resident memory of the service, and the used heap of Node.js, in megabytes. */
  resident: number | null;
  heap: number | null;
  sockets: number | null;
  queued: number | null;
  dropped: number | null;
  /** The open search contexts (points in time and scrolls) on the indices of this catalogue. */
  openContexts: number | null;
}

export interface Sources {
  metricsUrl: string | null;
  engine: { es: Client; products: string } | null;
}

const MEGABYTE = 1_048_576;

export async function measure({ metricsUrl, engine }: Sources, at: number): Promise<Measurement> {
  const metrics = metricsUrl === null ? null : await metricsOf(metricsUrl);
  const megabytes = (name: string) => {
    const bytes = metrics?.get(name);
    return bytes === undefined ? null : bytes / MEGABYTE;
  };
  return {
    at,
    resident: megabytes('process_resident_memory_bytes'),
    heap: megabytes('nodejs_heap_size_used_bytes'),
    sockets: metrics?.get('nodejs_active_resources{type="TCPSocketWrap"}') ?? null,
    queued: metrics?.get('catalog_events_queue_length') ?? null,
    dropped: metrics?.get('catalog_events_dropped_total') ?? null,
    openContexts: engine === null ? null : await openContexts(engine),
  };
}

async function metricsOf(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function openContexts({ es, products }: NonNullable<Sources['engine']>): Promise<number> {
  const { _all: all } = await es.indices.stats({ index: products, metric: 'search' });
  return all.total?.search?.open_contexts ?? 0;
}

/** How much the memory may grow between the second and the last quarter of a soak test: 10 % plus 20 MB. */
const GROWTH = { share: 0.1, megabytes: 20 };

export const FLAT_RULE =
  `the median of the last quarter's resident memory is at most ${GROWTH.share * 100} % ` +
  `and ${GROWTH.megabytes} MB above that of the second quarter`;

/** Returns whether memory stays constant. Caches and the heap fill up in the first quarter of the test. */
export function memoryIsFlat(
  measurements: readonly Pick<Measurement, 'resident'>[],
): { flat: boolean; second: number; last: number } | null {
  const memory = measurements.flatMap(({ resident }) => resident ?? []);
  if (memory.length < 8) return null;
  const quarter = Math.floor(memory.length / 4);
  const second = median(memory.slice(quarter, 2 * quarter));
  const last = median(memory.slice(-quarter));
  return { flat: last <= second * (1 + GROWTH.share) + GROWTH.megabytes, second, last };
}
