import type { FeedItem } from '../../src/feeds/read/feed.js';
import { cleanText } from '../../src/text/clean.js';
import { quoteName } from '../../src/usecases/ingest/guards.js';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import type { Progress } from '../../src/platform/progress.js';
import { countRow } from '../shared/terminal.js';

const ROWS = [
  ['created', 'new'],
  ['price_moved', 'price moved'],
  ['price_cleared', 'price cleared'],
  ['changed', 'changed'],
  ['checked', 'checked again without a change'],
  ['history', 'older prices, added to the history only'],
  ['unchanged', 'unchanged'],
  ['repeated', 'repeated later in the feed'],
  ['rejected', 'rejected'],
] as const satisfies readonly (readonly [keyof Summary, string])[];

/** Rows of the summary that are left out at zero, because most feeds have no such records. */
const RARE: ReadonlySet<keyof Summary> = new Set(['price_cleared', 'repeated']);

export function describeSummary(title: string, summary: Summary, elapsedMs: number): string {
  const rate = formatCount(Math.round((summary.read * 1000) / Math.max(elapsedMs, 1)));
  const records = summary.read === 1 ? 'record' : 'records';
  const head = `${title}: ${formatCount(summary.read)} ${records} in ${formatDuration(elapsedMs)} (${rate}/s)`;
  const rows = ROWS.filter(([field]) => summary[field] > 0 || !RARE.has(field)).map(([field, label]) =>
    countRow(summary[field], label),
  );
  const reasons = Object.entries(summary.rejected_by_reason)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => countRow(count, `  ${reason}`));
  const until = '  in total, until --decimal point or --decimal comma states the decimal separator';
  const undecided = summary.undecided_decimal === 0 ? [] : [countRow(summary.undecided_decimal, until)];
  const dropped = Object.entries(summary.dropped_fields).map(([field, count]) => {
    const without = field === 'price' ? 'a price, which is 0 or in words' : `an invalid ${field}`;
    return countRow(count, `loaded without ${without}`);
  });
  const repaired = Object.entries(summary.repaired).map(([repair, count]) =>
    countRow(count, `read after a repair of ${repair}`),
  );
  const unclear = summary.without_currency === 0 ? [] : [withoutCurrency(summary)];
  return [
    head,
    ...rows,
    ...reasons,
    ...undecided,
    ...dropped,
    ...repaired,
    ...unclear,
    ...unknownColumnLines(summary),
  ].join('\n');
}

const NAMED_MARKS = 6;

function withoutCurrency({ without_currency: count, currency_marks }: Summary): string {
  const marks = Object.entries(currency_marks).sort(([, a], [, b]) => b - a);
  const named = marks
    .slice(0, NAMED_MARKS)
    .map(([mark, records]) => `${quoteName(mark)} (${formatCount(records)})`);
  const seen =
    marks.length === 0
      ? 'without a mark'
      : `with ${named.join(', ')}${marks.length > named.length ? ' and others' : ''}`;
  return countRow(count, `loaded with a price of unknown currency, ${seen}: specify --currency CODE`);
}

/** Returns the progress of a load. `share` is the read part of the file from 0 to 1; null if unknown. */
export function progressOf(
  { read, rejected }: Pick<Summary, 'read' | 'rejected'>,
  given: { ahead: number; share: number | null; elapsedMs: number; dryRun: boolean },
): Progress {
  const { ahead, share, elapsedMs, dryRun } = given;
  const landed = `${formatCount(read - rejected)} ${dryRun ? 'checked' : 'loaded'}`;
  return {
    share: share === null || read === 0 ? null : (share * read) / (read + ahead),
    note: rejected === 0 ? landed : `${landed}, ${formatCount(rejected)} rejected`,
    rate: `${formatCount(Math.round((read * 1000) / Math.max(elapsedMs, 1)))}/s`,
  };
}

const NAMED_COLUMNS = 12;

function unknownColumnLines({ unknown_columns }: Summary): string[] {
  const names = Object.entries(unknown_columns).sort(([, a], [, b]) => b - a);
  if (names.length === 0) return [];
  const named = names.slice(0, NAMED_COLUMNS).map(([name]) => quoteName(name));
  const more = names.length > named.length ? `, and ${names.length - named.length} more` : '';
  return [`Unknown columns, which are not loaded: ${named.join(', ')}${more}`];
}

export const describeSkipped = (count: number): string =>
  `${count === 1 ? '1 row is' : `${formatCount(count)} rows are`} not a listing, but for example a further image or the parent of variants`;

export function describeMapped(head: readonly FeedItem[]): string[] {
  const first = head.find(({ error }) => error === undefined);
  if (first === undefined) return [];
  const record = cleanText(JSON.stringify(first.value, null, 2));
  const names = [...new Set(head.flatMap(({ leftover = [] }) => leftover))];
  return [
    `The first record, from line ${first.line}:\n${record}`,
    ...(names.length > 0 ? [`Columns that the map does not read: ${names.map(quoteName).join(', ')}`] : []),
  ];
}
