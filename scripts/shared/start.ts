import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io, Main } from './command.js';
import { EXIT } from './exit.js';
import { endBy, onFirstSignal } from './signals.js';

/**
 * Runs a command as this process, if its file is what this process was started with; imported, as by a test, it waits
 * to be called. Ends by the signal that interrupted it, so that whoever waits learns why it ended.
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
    // Looked at by those that read it alone: to open it is to hold it.
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
