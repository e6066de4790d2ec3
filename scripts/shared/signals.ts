const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `handler` at the first signal that asks this process to end, and swallows the later ones: Ctrl-C under npm
 * may arrive twice, from the terminal and from npm. The handler cleans up, then calls `endBy`.
 */
export function onFirstSignal(handler: (signal: NodeJS.Signals) => void): void {
  let received = false;
  for (const signal of ENDING) {
    process.on(signal, () => {
      if (!received) handler(signal);
      received = true;
    });
  }
}

/** Ends this process as the signal would have, so that whoever waits for it learns why it ended. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
