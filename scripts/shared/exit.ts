import { OperationError } from '../../src/platform/operation-errors.js';

export { StoppedError } from '../../src/platform/operation-errors.js';

/** The exit codes of all commands. `--help` lists those that a command uses. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** An argument or an environment variable is wrong; nothing was begun. */
  misused: 2,
  /** The requested work would have done harm and was not done. */
  stopped: 3,
  /** Done, except for the records that were rejected. */
  rejected: 4,
  /** A check found that work is due. */
  due: 5,
  /** As shells report a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

/** A command cannot do its work. The message tells the user all there is to know; no stack is shown. */
export class CommandError extends OperationError {
  override name = 'CommandError';
  readonly exitCode: number = EXIT.failed;
}

/** An argument or an environment variable is wrong. The message states what would be right. */
export class UsageError extends CommandError {
  override name = 'UsageError';
  override readonly exitCode = EXIT.misused;
}

/** A command was interrupted before it completed its work. */
export class InterruptedError extends CommandError {
  override name = 'InterruptedError';
  override readonly exitCode = EXIT.interrupted;
}
