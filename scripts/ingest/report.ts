import type { Summary } from '../../src/catalogue/summary.js';
import { formatCount, formatDuration } from '../shared/terminal.js';

const ROWS = [
  ['created', 'new'],
  ['price_moved', 'price moved'],
  ['changed', 'changed'],
  ['checked', 'checked again, nothing else changed'],
  ['history', 'older prices for the history alone'],
  ['unchanged', 'unchanged'],
  ['rejected', 'rejected'],
] as const satisfies readonly (readonly [keyof Summary, string])[];

/** What a load did, for people. */
export function describe(title: string, summary: Summary, elapsedMs: number): string {
  const rate = formatCount(Math.round((summary.read * 1000) / Math.max(elapsedMs, 1)));
  const records = summary.read === 1 ? 'record' : 'records';
  const head = `${title}: ${formatCount(summary.read)} ${records} in ${formatDuration(elapsedMs)} (${rate}/s)`;
  const rows = ROWS.map(([field, label]) => row(summary[field], label));
  const reasons = Object.entries(summary.rejected_by_reason)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => row(count, `  ${reason}`));
  return [head, ...rows, ...reasons].join('\n');
}

const row = (count: number, label: string): string => `${formatCount(count).padStart(12)}  ${label}`;
