import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a time in ms, or until the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
