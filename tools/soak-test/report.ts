import { formatCount } from '../../src/text/quantities.js';
import { textTable } from '../../scripts/shared/terminal.js';
import type { Measurement } from './measurements.js';
import type { RequestOutcome, Traffic } from './traffic.js';

export function totals(outcomes: Traffic['outcomes']): { requests: number; errors: number; wrong: number } {
  const sum = (count: 'requests' | 'errors' | 'wrong') =>
    [...outcomes.values()].reduce((total, outcome) => total + outcome[count], 0);
  return { requests: sum('requests'), errors: sum('errors'), wrong: sum('wrong') };
}

const milliseconds = (times: RequestOutcome['times'], share: number) =>
  `${(times.percentile(share) / 1_000).toFixed(1)}`;

export function progressLine(measurement: Measurement, traffic: Traffic): string {
  const { requests, errors } = totals(traffic.outcomes);
  const search = traffic.outcomes.get('search')?.times;
  return [
    `${(measurement.at / 60).toFixed(1)} min: ${formatCount(requests)} requests`,
    `${errors} errors`,
    ...(search === undefined ? [] : [`search p99 ${milliseconds(search, 99)} ms`]),
    ...described(measurement),
  ].join(', ');
}

export function described({ resident, heap, sockets, queued, dropped, openContexts }: Measurement): string[] {
  const parts: [number | null, (value: number) => string][] = [
    [resident, (value) => `${value.toFixed(0)} MB resident`],
    [heap, (value) => `${value.toFixed(0)} MB of heap`],
    [openContexts, (value) => `${value} points in time`],
    [sockets, (value) => `${value} sockets`],
    [queued, (value) => `${value} events waiting`],
    [dropped, (value) => `${value} events lost`],
  ];
  return parts.flatMap(([value, words]) => (value === null ? [] : [words(value)]));
}

export function table(outcomes: Traffic['outcomes']): string {
  const head = ['', 'requests', 'errors', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'];
  const rows = [...outcomes]
    .filter(([, { requests }]) => requests > 0)
    .map(([name, { requests, errors, times }]) => [
      name,
      formatCount(requests),
      String(errors),
      ...[50, 95, 99, 100].map((share) => milliseconds(times, share)),
    ]);
  return textTable([head, ...rows], 'right');
}
