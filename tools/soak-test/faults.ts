import { pause } from '../../src/platform/pause.js';

export interface Fault {
  name: string;
  strike: () => Promise<void> | void;
  seconds: number;
  heal: () => Promise<void> | void;
  /** Whether Elasticsearch or Redis is unavailable during the fault, so that requests may fail. */
  isOutage?: boolean;
}

export interface FaultReport {
  name: string;
  requests: number;
  failed: number;
  /** The number of requests that failed while Elasticsearch or Redis was unavailable, which is permitted. */
  excused: number;
  wrong: number;
}

const QUIET_MS = 20_000;

/** Causes one fault every `everyMs` in turn, after `quietMs` without one. Each is repaired, even if the run ends. */
export async function runFaults(
  faults: readonly Fault[],
  given: {
    everyMs: number;
    quietMs?: number;
    signal: AbortSignal;
    totals: () => { requests: number; errors: number; wrong: number };
    onReport: (report: FaultReport) => void;
  },
): Promise<FaultReport[]> {
  const { everyMs, quietMs = QUIET_MS, signal, totals, onReport } = given;
  const reports: FaultReport[] = [];
  for (let index = 0; ; index += 1) {
    const began = performance.now();
    const before = totals();
    await pause(quietMs, signal);
    const fault = faults[index % faults.length];
    if (signal.aborted || fault === undefined) return reports;
    const struck = totals();
    try {
      await fault.strike();
      await pause(fault.seconds * 1_000, signal);
    } finally {
      await fault.heal();
    }
    const healed = totals();
    await pause(began + everyMs - performance.now(), signal);
    const after = totals();
    const report = {
      name: fault.name,
      requests: after.requests - before.requests,
      failed: after.errors - before.errors,
      excused: fault.isOutage === true ? healed.errors - struck.errors : 0,
      wrong: after.wrong - before.wrong,
    };
    reports.push(report);
    onReport(report);
  }
}
