import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io, Main } from './command.js';
import { EXIT } from './exit.js';

/** Runs a command if Node was started with its file. An interrupted one ends by the signal that it received. */
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
    // `stdin` is a getter, because reading `process.stdin` would open it even if the command does not use it.
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

/** Calls the handler for the first signal only: under npm, Ctrl-C may arrive twice. */
function onFirstSignal(handler: (signal: NodeJS.Signals) => void): void {
  let received = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!received) handler(signal);
      received = true;
    });
  }
}

function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
