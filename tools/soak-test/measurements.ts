import type { Client } from '@elastic/elasticsearch';
import { median } from '../../scripts/shared/collections.js';
import { textTable } from '../../scripts/shared/terminal.js';
import { formatCount } from '../../src/text/quantities.js';
import type { Traffic } from './traffic.js';

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

export interface MeasuredService {
  metricsUrl: string | null;
  engine: { es: Client; products: string } | null;
}

const MEGABYTE = 1_048_576;

export async function measure({ metricsUrl, engine }: MeasuredService, at: number): Promise<Measurement> {
  const metrics = metricsUrl === null ? '' : await (await fetch(metricsUrl)).text();
  const metric = (name: string, unit = 1) => {
    const line = metrics.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? null : Number(line.slice(name.length)) / unit;
  };
  const stats =
    engine &&
    (await engine.es.indices.stats({ index: engine.products, metric: 'search' }))._all.total?.search;
  return {
    at,
    resident: metric('process_resident_memory_bytes', MEGABYTE),
    heap: metric('nodejs_heap_size_used_bytes', MEGABYTE),
    sockets: metric('nodejs_active_resources{type="TCPSocketWrap"}'),
    queued: metric('catalog_events_queue_length'),
    dropped: metric('catalog_events_dropped_total'),
    openContexts: engine && (stats?.open_contexts ?? 0),
  };
}

export function describeMeasurement(measurement: Measurement): string[] {
  const { resident, heap, sockets, queued, dropped, openContexts } = measurement;
  const parts: [number | null, string][] = [
    [resident, 'MB resident'],
    [heap, 'MB of heap'],
    [openContexts, 'points in time'],
    [sockets, 'sockets'],
    [queued, 'events waiting'],
    [dropped, 'events lost'],
  ];
  return parts.flatMap(([value, label]) => (value === null ? [] : [`${value.toFixed(0)} ${label}`]));
}

/** How much the memory may grow between the second and the last quarter of a soak test: 10 % plus 20 MB. */
const GROWTH = { share: 0.1, megabytes: 20 };

export const FLAT_RULE =
  `the median of the last quarter's resident memory is at most ${GROWTH.share * 100} % ` +
  `and ${GROWTH.megabytes} MB above that of the second quarter`;

/** Whether the memory stays constant after the first quarter, in which caches and heap fill up. */
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

export function totals({ outcomes }: Traffic): { requests: number; errors: number; wrong: number } {
  const sum = (count: 'requests' | 'errors' | 'wrong') =>
    [...outcomes.values()].reduce((total, outcome) => total + outcome[count], 0);
  return { requests: sum('requests'), errors: sum('errors'), wrong: sum('wrong') };
}

/** Formats a percentile of the response times of one kind of request, in milliseconds. */
export const percentile = (traffic: Traffic, kind: string, share: number): string =>
  ((traffic.outcomes.get(kind)?.times.percentile(share) ?? NaN) / 1_000).toFixed(1);

export function trafficTable(traffic: Traffic): string {
  const sent = [...traffic.outcomes].filter(([, { requests }]) => requests > 0);
  const rows = sent.map(([name, { requests, errors }]) => [
    name,
    formatCount(requests),
    String(errors),
    ...[50, 95, 99, 100].map((share) => percentile(traffic, name, share)),
  ]);
  return textTable([['', 'requests', 'errors', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'], ...rows], 'right');
}
