import { isUndecided } from '../../feeds/map/money.js';
import type { RunCounts } from '../../sources/runs.js';
import { reasonKind } from '../../listing/validate.js';

/** The number of records by name. */
type Counts = Record<string, number>;

/** Returns the summary of a load that has read nothing. `read` is the sum of all outcomes, `repeated` and `rejected`. */
export const emptySummary = () => ({
  read: 0,
  created: 0,
  price_moved: 0,
  price_cleared: 0,
  changed: 0,
  checked: 0,
  history: 0,
  unchanged: 0,
  /** Records that a later record of the same listing replaced, because neither states a time. */
  repeated: 0,
  rejected: 0,
  /** Rejected records whose price cannot be read until the operator states the decimal separator. */
  undecided_decimal: 0,
  /** Rejected records whose source or SKU cannot be read. */
  unidentified: 0,
  /** The number of rejected records by reason. A record with two reasons counts for both. */
  rejected_by_reason: {} as Counts,
  /** Columns that no listing has. They are not loaded. */
  unknown_columns: {} as Counts,
  dropped_fields: {} as Counts,
  /** The kinds of repairs without which JSON documents could not be read. */
  repaired: {} as Counts,
  /** Records of mapped feeds with a price but no currency, and the texts beside such prices, for example `Kč`. */
  without_currency: 0,
  currency_marks: {} as Counts,
  interrupted: false,
});

/** The number of records by outcome of a load. */
export type Summary = ReturnType<typeof emptySummary>;

/** The maximum number of distinct names that a summary counts; further names are counted together. */
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 100;

export function countRejected(summary: Summary, reasons: readonly string[]): void {
  summary.rejected += 1;
  if (reasons.some(isUndecided)) summary.undecided_decimal += 1;
  countNames(summary.rejected_by_reason, [...new Set(reasons.map(reasonKind))], 'other reasons');
}

/** The number of distinct names is computed only once per record, because a record may have thousands of names. */
export function countNames(counts: Record<string, number>, names: readonly string[], others = 'others') {
  let distinct = Object.keys(counts).length;
  for (const full of names) {
    const name = full.slice(0, MAX_NAME_LENGTH);
    const counted = Object.hasOwn(counts, name) || distinct < MAX_NAMES ? name : others;
    if (!Object.hasOwn(counts, counted)) distinct += 1;
    counts[counted] = (counts[counted] ?? 0) + 1;
  }
}

/** The counts of a load for its events and the record of its run. Except `vanished`, they add up to `records`. */
export const runCounts = (total: Summary, vanished: number): RunCounts => ({
  records: total.read,
  new: total.created,
  price_moved: total.price_moved,
  price_cleared: total.price_cleared,
  changed: total.changed,
  unchanged: total.unchanged + total.checked + total.history + total.repeated,
  rejected: total.rejected,
  vanished,
});

export function addSummaries(a: Summary, b: Summary): Summary {
  const sum = emptySummary();
  for (const name of Object.keys(sum) as (keyof Summary)[]) {
    if (name === 'interrupted') sum.interrupted = a.interrupted || b.interrupted;
    else if (
      name === 'rejected_by_reason' ||
      name === 'unknown_columns' ||
      name === 'dropped_fields' ||
      name === 'repaired' ||
      name === 'currency_marks'
    ) {
      for (const [key, number] of [...Object.entries(a[name]), ...Object.entries(b[name])])
        sum[name][key] = (sum[name][key] ?? 0) + number;
    } else sum[name] = a[name] + b[name];
  }
  return sum;
}

/**
 * Returns the change of the median price in a load, in percent of the earlier price; null if no stored listing was seen again.
 * Listings that lost their price do not count. @param moves the changes of the prices that moved, as natural logarithms.
 */
export function medianOfMoves(
  moves: readonly number[],
  { unchanged, checked, history, changed, price_moved }: Summary,
): number | null {
  const seen = unchanged + checked + history + changed + price_moved;
  if (seen === 0) return null;
  // Only prices that moved are listed. All others are zeros between the falls and the rises.
  const falls = moves.filter((move) => move < 0).sort((a, b) => a - b);
  const rises = moves.filter((move) => move > 0).sort((a, b) => a - b);
  const total = Math.max(seen, moves.length);
  const at = (place: number): number =>
    falls[place] ?? (place < total - rises.length ? 0 : (rises[place - (total - rises.length)] ?? 0));
  const middle = (total - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return Number((100 * (Math.exp(median) - 1)).toPrecision(4));
}
