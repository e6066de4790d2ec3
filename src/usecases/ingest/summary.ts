import type { Outcome } from '../../listing/outcome.js';
import { reasonKind } from '../../listing/validate.js';

/** What a load did, in records of the feed. `read` is the sum of all outcomes, `repeated` and `rejected`. */
export interface Summary extends Record<Outcome, number> {
  read: number;
  /** A later record of the same listing counts in their place: neither says when it was observed. */
  repeated: number;
  rejected: number;
  /** Rejected records that do not tell which listing they are of. */
  unidentified: number;
  /** A record with two reasons counts under both. */
  rejected_by_reason: Record<string, number>;
  /** How many records have a column that is none of a listing's, by its name; those are not loaded. */
  unknown_columns: Record<string, number>;
  /** How many records landed without a field that was bad, by its name. */
  dropped_fields: Record<string, number>;
  /** Whether the load was stopped before the end of the feed. */
  interrupted: boolean;
}

export function emptySummary(): Summary {
  return {
    read: 0,
    created: 0,
    price_moved: 0,
    changed: 0,
    checked: 0,
    history: 0,
    unchanged: 0,
    repeated: 0,
    rejected: 0,
    unidentified: 0,
    rejected_by_reason: {},
    unknown_columns: {},
    dropped_fields: {},
    interrupted: false,
  };
}

/** Distinct reasons and columns are few; where each record has another one, the rest is counted together. */
const MAX_NAMES = 100;
const MAX_NAME = 100;

/** Counts one rejected record. */
export function countRejected(summary: Summary, reasons: readonly string[]): void {
  summary.rejected += 1;
  count(summary.rejected_by_reason, [...new Set(reasons.map(reasonKind))], 'other reasons');
}

/** Counts the unknown columns of one record. */
export function countColumns(summary: Summary, names: readonly string[]): void {
  count(summary.unknown_columns, names, 'others');
}

/** Counts the fields that one record lands without. */
export function countDropped(summary: Summary, fields: readonly string[]): void {
  count(summary.dropped_fields, fields, 'others');
}

/** Reads how many names there are once for a record, not for each of what may be thousands of names. */
function count(counts: Record<string, number>, names: readonly string[], others: string): void {
  let distinct = Object.keys(counts).length;
  for (const full of names) {
    const name = full.slice(0, MAX_NAME);
    const counted = Object.hasOwn(counts, name) || distinct < MAX_NAMES ? name : others;
    if (!Object.hasOwn(counts, counted)) distinct += 1;
    counts[counted] = (counts[counted] ?? 0) + 1;
  }
}

/** The summary of several loads together. */
export function addSummaries(a: Summary, b: Summary): Summary {
  const sum = emptySummary();
  for (const name of Object.keys(sum) as (keyof Summary)[]) {
    if (name === 'interrupted') sum.interrupted = a.interrupted || b.interrupted;
    else if (name === 'rejected_by_reason' || name === 'unknown_columns' || name === 'dropped_fields') {
      for (const [key, number] of [...Object.entries(a[name]), ...Object.entries(b[name])]) {
        sum[name][key] = (sum[name][key] ?? 0) + number;
      }
    } else sum[name] = a[name] + b[name];
  }
  return sum;
}
