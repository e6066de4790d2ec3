import type { ServerResponse } from 'node:http';

/** What may be asked of whoever reads a long answer. Times are in ms. */
export interface Pace {
  /** How often somebody looks. */
  every: number;
  /** In each so long a time, at least so many bytes, or all that there are. */
  window: number;
  bytes: number;
  /** The answer as a whole. */
  total: number;
}

/** 8 kB a second. The window is long since a connection's buffers let a slow reader go on by megabytes at a time. */
export const EXPORT_PACE: Pace = { every: 2_000, window: 30_000, bytes: 240_000, total: 600_000 };

/**
 * Cuts an answer short that is taken too slowly, takes too long, or is no longer allowed: it is missing its end, so that
 * nobody takes it for complete.
 * @param isAllowed asked each time somebody looks; a failure is no answer.
 */
export function keepPace(response: ServerResponse, pace: Pace, isAllowed: () => Promise<boolean>): void {
  const { socket } = response;
  // What waits in this process has not been taken by anybody.
  const taken = () => (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
  const started = performance.now();
  let since = started;
  let before = taken();
  const look = async () => {
    const now = performance.now();
    // Who waits for us is not slow.
    if (response.writableLength === 0 || taken() - before >= pace.bytes) {
      since = now;
      before = taken();
    }
    const isLate = now - since >= pace.window || now - started >= pace.total;
    if (isLate || !(await isAllowed().catch(() => true))) response.destroy();
  };
  const timer = setInterval(() => void look(), pace.every);
  response.once('close', () => {
    clearInterval(timer);
  });
}
