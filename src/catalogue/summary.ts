import type { Outcome } from '../listing/outcome.js';
import { reasonKind } from '../listing/validate.js';

/** What a load did, in records of the feed. `read` is the sum of all outcomes and `rejected`. */
export interface Summary extends Record<Outcome, number> {
  read: number;
  rejected: number;
  /** A record with two reasons counts under both. */
  rejected_by_reason: Record<string, number>;
  /** Whether the load was stopped before the end of the feed. */
  interrupted: boolean;
}

export function emptySummary(): Summary {
  return {
    ...{ read: 0, created: 0, price_moved: 0, changed: 0, checked: 0, history: 0, unchanged: 0, rejected: 0 },
    rejected_by_reason: {},
    interrupted: false,
  };
}

/** Distinct reasons are few; where an engine invents one for each record, the rest is counted together. */
const MAX_REASONS = 100;
const OTHER_REASONS = 'other reasons';

/** Counts one rejected record. */
export function countRejected(summary: Summary, reasons: readonly string[]): void {
  const counts = summary.rejected_by_reason;
  summary.rejected += 1;
  for (const kind of new Set(reasons.map(reasonKind))) {
    const known = Object.hasOwn(counts, kind) || Object.keys(counts).length < MAX_REASONS;
    const name = known ? kind : OTHER_REASONS;
    counts[name] = (counts[name] ?? 0) + 1;
  }
}

/** The summary of several loads together. */
export function addSummaries(a: Summary, b: Summary): Summary {
  const sum = emptySummary();
  for (const name of Object.keys(sum) as (keyof Summary)[]) {
    if (name === 'interrupted') sum.interrupted = a.interrupted || b.interrupted;
    else if (name === 'rejected_by_reason') {
      for (const [reason, count] of [...Object.entries(a[name]), ...Object.entries(b[name])]) {
        sum[name][reason] = (sum[name][reason] ?? 0) + count;
      }
    } else sum[name] = a[name] + b[name];
  }
  return sum;
}
