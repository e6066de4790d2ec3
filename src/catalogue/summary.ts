import type { Outcome } from '../listing/outcome.js';
import { reasonKind } from '../listing/validate.js';

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
    ...{ read: 0, created: 0, price_moved: 0, changed: 0, checked: 0, history: 0, unchanged: 0 },
    ...{ repeated: 0, rejected: 0, unidentified: 0 },
    ...{ rejected_by_reason: {}, unknown_columns: {}, dropped_fields: {} },
    interrupted: false,
  };
}

/** Distinct reasons and columns are few; where each record has another one, the rest is counted together. */
const MAX_NAMES = 100;
const MAX_NAME = 100;

/** Counts one rejected record. */
export function countRejected(summary: Summary, reasons: readonly string[]): void {
  summary.rejected += 1;
  for (const kind of new Set(reasons.map(reasonKind)))
    count(summary.rejected_by_reason, kind, 'other reasons');
}

/** Counts the unknown columns of one record. */
export function countColumns(summary: Summary, names: readonly string[]): void {
  for (const name of names) count(summary.unknown_columns, name.slice(0, MAX_NAME), 'others');
}

/** Counts the fields that one record lands without. */
export function countDropped(summary: Summary, fields: readonly string[]): void {
  for (const field of fields) count(summary.dropped_fields, field, 'others');
}

function count(counts: Record<string, number>, name: string, others: string): void {
  const known = Object.hasOwn(counts, name) || Object.keys(counts).length < MAX_NAMES;
  const counted = known ? name : others;
  counts[counted] = (counts[counted] ?? 0) + 1;
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
