import { ConfigError } from '../../src/platform/config/config.js';
import { OperationError, StoppedError } from '../../src/platform/operation-errors.js';

export { StoppedError } from '../../src/platform/operation-errors.js';

export const EXIT = {
  done: 0,
  failed: 1,
  /** Exit code if an argument or an environment variable is invalid; nothing was started. */
  misused: 2,
  /** Exit code if the requested work would have done harm and was not done. */
  stopped: 3,
  /** Exit code if the work was done, except for the records that were rejected. */
  rejected: 4,
  /** Exit code if a check found that work is due. */
  due: 5,
  /** Exit code if Elasticsearch accepted nothing for so long that the command gave up; run it again later. */
  unavailable: 6,
  /** Exit code of an interrupted command, the same that shells report after Ctrl-C. */
  interrupted: 130,
} as const;

/** The error of a command that cannot do its work. Its message tells the user all that is needed; no stack is displayed. */
export class CommandError extends OperationError {
  override name = 'CommandError';
  readonly exitCode: number = EXIT.failed;
}

export class UsageError extends CommandError {
  override name = 'UsageError';
  override readonly exitCode = EXIT.misused;
}

/** The error of a command that gave up because Elasticsearch accepted nothing for too long. */
export class EngineGaveUpError extends CommandError {
  override name = 'EngineGaveUpError';
  override readonly exitCode = EXIT.unavailable;
}

/** The error of a command that was interrupted before it completed its work. */
export class InterruptedError extends CommandError {
  override name = 'InterruptedError';
  override readonly exitCode = EXIT.interrupted;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return EXIT.misused;
  if (error instanceof StoppedError) return EXIT.stopped;
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
