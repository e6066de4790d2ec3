import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io, Main } from './command.js';
import { EXIT } from './exit.js';

/**
 * Runs a command as this process, if the command's file is the one that Node was started with. A file that
 * is imported, such as by a test, does not run its command. An interrupted command ends by the signal that
 * interrupted it, so that the parent process sees the reason.
 * @param file `import.meta.url` of the command's file.
 */
export async function start(file: string, main: Main): Promise<void> {
  const [, started = ''] = process.argv;
  if (started === '' || realpathSync(started) !== realpathSync(fileURLToPath(file))) return;
  const abort = new AbortController();
  let received: NodeJS.Signals | undefined;
  onFirstSignal((signal) => {
    received = signal;
    abort.abort(signal);
  });
  const io: Io = {
    // A getter is used, because reading `process.stdin` would open it.
    get stdin() {
      return process.stdin;
    },
    out: process.stdout,
    err: process.stderr,
    signal: abort.signal,
  };
  const code = await main(process.argv.slice(2), process.env, io);
  if (received !== undefined && code === EXIT.interrupted) endBy(received);
  else process.exitCode = code;
}

/**
 * Calls the handler for the first signal and ignores later ones: under npm, Ctrl-C may arrive twice, from
 * the terminal and from npm.
 */
function onFirstSignal(handler: (signal: NodeJS.Signals) => void): void {
  let received = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!received) handler(signal);
      received = true;
    });
  }
}

/** Ends this process by the default action of a signal. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
