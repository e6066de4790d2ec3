import type { ServerResponse } from 'node:http';

/** The slowest accepted rate at which the bytes of a body may be transferred. */
export interface MinimumRate {
  every: number;
  /** The number of checks of a period in which at least `bytes` bytes must be transferred. */
  checks: number;
  bytes: number;
}

/**
 * Calls a function once if a transfer is too slow. Checks are counted instead of time, so that a busy process blames no client.
 * @param bytes returns the number of bytes so far. @returns a function that stops watching.
 */
export function watchProgress(bytes: () => number, rate: MinimumRate, onTooSlow: () => void): () => void {
  let checks = 0;
  let before = bytes();
  const timer = setInterval(() => {
    checks += 1;
    const now = bytes();
    if (now - before >= rate.bytes) {
      checks = 0;
      before = now;
    }
    if (checks < rate.checks) return;
    clearInterval(timer);
    onTooSlow();
  }, rate.every);
  return () => clearInterval(timer);
}

/** The slowest rate at which a client may read a long response. Times are in ms. */
export interface ReadRate {
  every: number;
  /** In every period of this many ms, the client must read at least `bytes` bytes, or everything that was sent. */
  window: number;
  bytes: number;
  total: number;
}

/** The slowest accepted reader: 8 kB per second over a long period, because buffers let it advance by megabytes at once. */
export const EXPORT_READ_RATE: ReadRate = { every: 2_000, window: 30_000, bytes: 240_000, total: 600_000 };

/** Ends a response whose client reads too slowly or may no longer read it, so that it lacks its end. If `isAllowed` fails, it continues. */
export function enforceReadRate(response: ServerResponse, rate: ReadRate, isAllowed: () => Promise<boolean>) {
  const { socket } = response;
  // The number of bytes that the client has read. Bytes in the buffer of this process do not count as read.
  const bytesRead = () => (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
  const started = performance.now();
  let since = started;
  let before = bytesRead();
  const check = async () => {
    const now = performance.now();
    // A client that has read everything is not slow: it waits for the service's next bytes.
    if (response.writableLength === 0 || bytesRead() - before >= rate.bytes) {
      since = now;
      before = bytesRead();
    }
    const isTooSlow = now - since >= rate.window || now - started >= rate.total;
    if (isTooSlow || !(await isAllowed().catch(() => true))) response.destroy();
  };
  const timer = setInterval(() => void check(), rate.every);
  response.once('close', () => clearInterval(timer));
}
