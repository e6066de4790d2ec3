import { utimesSync, writeFileSync } from 'node:fs';
import { OperationError } from '../../src/platform/operation-errors.js';
import { pause } from '../../src/platform/pause.js';
import { type Io, notice } from './command.js';
import { type CommandEngine, connectEngine, isEngineError, reachEngine } from './engine.js';
import { CommandError, UsageError } from './exit.js';
import { flag, text, type Values } from './options.js';

/** The options of commands that can run as a worker, which repeats its work until it is stopped. */
export const WATCH_OPTIONS = {
  watch: flag('run until the command is stopped; by default, it ends when the present work is done'),
  alive: text('FILE', 'with --watch, update the modification time of this file regularly, for monitoring'),
};

/** Updates the modification time of the file of `--alive`, if one was given. */
export function touch(file: string | undefined): void {
  if (file === undefined) return;
  writeFileSync(file, '', { flag: 'a' });
  utimesSync(file, new Date(), new Date());
}

/** @throws UsageError if `--alive` is given without `--watch`. */
export function checkWatch({ watch, alive }: Values<typeof WATCH_OPTIONS>): void {
  if (alive !== undefined && !watch) throw new UsageError('--alive needs --watch.');
}

/**
 * Runs work once, or with `watch` repeats it with a pause of `everyMs` until the signal aborts. If repeated work fails because
 * Elasticsearch is unavailable or with an `OperationError`, the message is printed, and the work is repeated as planned.
 */
export async function repeat(
  { everyMs, ...given }: Values<typeof WATCH_OPTIONS> & { everyMs: number },
  env: NodeJS.ProcessEnv,
  io: Io,
  work: (engine: CommandEngine) => Promise<void>,
): Promise<void> {
  checkWatch(given);
  const { signal } = io;
  const { watch, alive } = given;
  const engine = connectEngine(env);
  try {
    if (!watch) await reachEngine(engine);
    while (!signal.aborted) {
      try {
        await work(engine);
        touch(alive);
      } catch (error) {
        if (signal.aborted) return;
        const isExplained = error instanceof OperationError;
        if (!isEngineError(error) && !isExplained) throw error;
        const message = isExplained ? error.message : `Elasticsearch: ${(error as Error).message}`;
        if (!watch) throw isExplained ? error : new CommandError(message, { cause: error });
        notice(io, message);
      }
      if (!watch) return;
      await pause(everyMs, signal);
    }
  } finally {
    await engine.es.close();
  }
}
