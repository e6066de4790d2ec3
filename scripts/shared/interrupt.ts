import { endBy, onFirstSignal } from './signals.js';

/** Work that has not ended so long after a Ctrl-C waits for an engine that does not answer. */
const GRACE_MS = 10_000;

/** How a command hears of Ctrl-C, or of another signal that asks it to end. */
export interface Interrupt {
  /** For the work, which ends as soon as it can. */
  signal: AbortSignal;
  /** Ends the process as the signal would have, if there was one. @returns whether there was. */
  finish(): boolean;
}

/** @param last told before the process is ended without its work having come to an end. */
export function interruptible(last: () => void): Interrupt {
  const abort = new AbortController();
  let received: NodeJS.Signals | undefined;
  onFirstSignal((signal) => {
    received = signal;
    abort.abort();
    setTimeout(() => {
      last();
      endBy(signal);
    }, GRACE_MS).unref();
  });
  return {
    signal: abort.signal,
    finish() {
      if (received !== undefined) endBy(received);
      return received !== undefined;
    },
  };
}
