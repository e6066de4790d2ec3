import type { FeedItem } from '../../src/feeds/read/feed.js';
import { cleanText } from '../../src/text/clean.js';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import { formatCount, formatDuration, type Progress } from '../shared/terminal.js';

const ROWS = [
  ['created', 'new'],
  ['price_moved', 'price moved'],
  ['changed', 'changed'],
  ['checked', 'checked again, nothing else changed'],
  ['history', 'older prices for the history alone'],
  ['unchanged', 'unchanged'],
  ['repeated', 'repeated further down'],
  ['rejected', 'rejected'],
] as const satisfies readonly (readonly [keyof Summary, string])[];

/** Rows for what most feeds have none of. */
const RARE: ReadonlySet<keyof Summary> = new Set(['repeated']);

/** What a load did, for people. */
export function describe(title: string, summary: Summary, elapsedMs: number): string {
  const rate = formatCount(Math.round((summary.read * 1000) / Math.max(elapsedMs, 1)));
  const records = summary.read === 1 ? 'record' : 'records';
  const head = `${title}: ${formatCount(summary.read)} ${records} in ${formatDuration(elapsedMs)} (${rate}/s)`;
  const rows = ROWS.filter(([field]) => summary[field] > 0 || !RARE.has(field)).map(([field, label]) =>
    row(summary[field], label),
  );
  const reasons = Object.entries(summary.rejected_by_reason)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => row(count, `  ${reason}`));
  const dropped = Object.entries(summary.dropped_fields).map(([field, count]) =>
    row(count, `landed without a bad ${field}`),
  );
  return [head, ...rows, ...reasons, ...dropped, ...columnsOf(summary)].join('\n');
}

/**
 * How far a load is, by what has landed: what was read ahead of the engine has not.
 * @param ahead records that were read and not settled yet.
 * @param share of the file that was read; null: nobody knows.
 */
export function progressOf(
  { read, rejected }: Pick<Summary, 'read' | 'rejected'>,
  {
    ahead,
    share,
    elapsedMs,
    dryRun,
  }: { ahead: number; share: number | null; elapsedMs: number; dryRun: boolean },
): Progress {
  const landed = `${formatCount(read - rejected)} ${dryRun ? 'checked' : 'landed'}`;
  return {
    share: share === null || read === 0 ? null : (share * read) / (read + ahead),
    note: rejected === 0 ? landed : `${landed}, ${formatCount(rejected)} rejected`,
    rate: `${formatCount(Math.round((read * 1000) / Math.max(elapsedMs, 1)))}/s`,
  };
}

const SHOWN_COLUMNS = 12;

/** One line that names them: a misspelt column is found by its name. */
function columnsOf({ unknown_columns }: Summary): string[] {
  const names = Object.entries(unknown_columns).sort(([, a], [, b]) => b - a);
  if (names.length === 0) return [];
  const shown = names.slice(0, SHOWN_COLUMNS).map(([name]) => quoted(name));
  const more = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  return [`Unknown columns, which are not loaded: ${shown.join(', ')}${more}`];
}

/** What a map does not take for a listing: pictures and parents of variants. */
export const describeSkipped = (count: number): string =>
  `${count === 1 ? '1 row is no listing' : `${formatCount(count)} rows are no listings`}, such as further pictures or the parents of variants`;

/** Shows what a map makes of the first record, and what it leaves over. */
export function showMapped(head: readonly FeedItem[], line: (text: string) => void): void {
  const first = head.find(({ error }) => error === undefined);
  if (first === undefined) return;
  line(`The first record, from line ${first.line}:\n${cleanText(JSON.stringify(first.value, null, 2))}`);
  const names = [...new Set(head.flatMap(({ leftover = [] }) => leftover))];
  if (names.length > 0) line(`Columns that the map does not read: ${names.map(quoted).join(', ')}`);
}

/** A name from a feed as a terminal may show it. */
export const quoted = (name: string): string => JSON.stringify(cleanText(name));

const row = (count: number, label: string): string => `${formatCount(count).padStart(12)}  ${label}`;
