import { OperationError } from '../../src/platform/operation-errors.js';
import { pause } from '../../src/platform/pause.js';
import { touch } from './alive.js';
import type { Io } from './command.js';
import { type CommandEngine, connectEngine, isEngineError, reachEngine } from './engine.js';
import { CommandError } from './exit.js';
import { text, wholeNumber } from './options.js';

/** The options of a command that can repeat its work. */
export const REPEAT_OPTIONS = {
  every: wholeNumber(
    'repeat the work every MINUTES until the command is stopped; by default it runs once',
    { min: 1, max: 99_999 },
    'MINUTES',
  ),
  alive: text('FILE', 'update the modification time of this file after each run, for monitoring'),
};

/**
 * Runs work once, or repeats it with a pause of `everyMinutes` until the signal aborts. If repeated work fails because
 * Elasticsearch is unavailable or with an `OperationError`, the message is printed, and the next repetition takes place as planned.
 */
export async function repeat(
  { everyMinutes, alive }: { everyMinutes: number | undefined; alive: string | undefined },
  env: NodeJS.ProcessEnv,
  { err, signal }: Io,
  work: (engine: CommandEngine) => Promise<void>,
): Promise<void> {
  const engine = connectEngine(env);
  try {
    if (everyMinutes === undefined) await reachEngine(engine);
    while (!signal.aborted) {
      try {
        await work(engine);
        touch(alive);
      } catch (error) {
        if (signal.aborted) return;
        const isExplained = error instanceof OperationError;
        if (!isEngineError(error) && !isExplained) throw error;
        const message = isExplained ? error.message : `Elasticsearch: ${error.message}`;
        if (everyMinutes === undefined)
          throw isExplained ? error : new CommandError(message, { cause: error });
        err.write(`${message}\n`);
      }
      if (everyMinutes === undefined) return;
      await pause(everyMinutes * 60_000, signal);
    }
  } finally {
    await engine.es.close();
  }
}
