/** What the exit code of every command means. Some have no use for all of them; `--help` tells which they have. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line, or a variable, makes no sense: nothing was begun. */
  misused: 2,
  /** What was asked for would have done harm, and was not done. */
  stopped: 3,
  /** Done, but for the records that were rejected. */
  rejected: 4,
  /** The command has looked, and found that there is something to do. */
  due: 5,
  /** As a shell tells of a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

/** A command that cannot do what it was asked for; the message is all that its user needs. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number = EXIT.failed;
}

/** The command line makes no sense; the message says what would. */
export class UsageError extends CommandError {
  override name = 'UsageError';
  override readonly exitCode = EXIT.misused;
}

/** The command has looked, and went no further: going on would have done harm. */
export class StoppedError extends CommandError {
  override name = 'StoppedError';
  override readonly exitCode = EXIT.stopped;
}

/** The command was asked to end, and there is nothing to say of it. */
export class InterruptedError extends CommandError {
  override name = 'InterruptedError';
  override readonly exitCode = EXIT.interrupted;
}
