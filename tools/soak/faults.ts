import { setTimeout as sleep } from 'node:timers/promises';

/** Something that goes wrong for a while, as it does in production. */
export interface Fault {
  name: string;
  /** Makes it happen. */
  strike: () => Promise<void>;
  /** Seconds between the beginning and the repair. */
  seconds: number;
  /** Repairs it, and waits until everything is as before. */
  heal: () => Promise<void>;
  /** There is no engine or no key store meanwhile, so that requests may fail. */
  isOutage?: boolean;
}

/** What happened to the traffic around a fault. */
export interface FaultReport {
  name: string;
  requests: number;
  failed: number;
  /** Of those that failed, how many did so during an outage. */
  excused: number;
  wrong: number;
}

const QUIET_MS = 20_000;

/**
 * Lets one fault after another happen, a fault every `everyMs`, until the signal says that it is enough. A fault that has
 * begun is always repaired.
 * @param quietMs how long the traffic runs undisturbed before each fault.
 * @param totals counts the requests so far, those that failed and those that were answered wrongly.
 * @param onReport is told after each fault.
 */
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
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  for (let turn = 0; ; turn += 1) {
    const began = performance.now();
    const before = totals();
    await pause(quietMs);
    const fault = faults[turn % faults.length];
    if (signal.aborted || fault === undefined) return reports;
    const struck = totals();
    try {
      await fault.strike();
      await pause(fault.seconds * 1_000);
    } finally {
      await fault.heal();
    }
    const healed = totals();
    await pause(began + everyMs - performance.now());
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
