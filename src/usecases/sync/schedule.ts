import { Cron } from 'croner';

/** When a source is loaded: a cron expression of five fields, and the time zone of its times. */
export interface Schedule {
  cron: string;
  timezone: string;
}

/** What the last runs of a source leave for the next one. */
export interface RunHistory {
  startedAt: string | null;
  /** The number of consecutive runs that failed and may succeed if they are repeated. */
  failures: number;
}

/** The pauses in ms after consecutive failures of a server or engine; a refused load is not repeated. */
const RETRY_MS = [5, 15, 60, 240].map((minutes) => minutes * 60_000);

/** Returns the first time of a schedule after another time, or null. @throws Error with the reason if it is invalid. */
export const nextTime = ({ cron, timezone }: Schedule, after: Date): Date | null =>
  new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRun(after);

/** Returns when a source is due: at once if never loaded, soon after a failure, else by its schedule; null without a schedule. */
export function dueAt(schedule: Schedule | null, { startedAt, failures }: RunHistory): Date | null {
  if (schedule === null) return null;
  if (startedAt === null) return new Date(0);
  const started = new Date(startedAt);
  const next = nextTime(schedule, started);
  const pause = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1];
  if (pause === undefined) return next;
  const again = new Date(started.getTime() + pause);
  return next === null || again < next ? again : next;
}
