import { styleText } from 'node:util';

/** How far a long piece of work is. */
export interface Progress {
  /** From 0 to 1; null: nobody knows. */
  share: number | null;
  /** What was done so far, for people: `12,000 records, 4,000/s`. */
  note: string;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** A line of its own, without a clash with the bar. */
  line(text: string): void;
  /** Takes the bar away. */
  stop(): void;
}

const BAR_WIDTH = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** A bar with the time left on a terminal, a plain line every few seconds elsewhere. */
export function showProgress(
  title: string,
  stream: NodeJS.WriteStream = process.stderr,
  clock: () => number = () => performance.now(),
): ProgressDisplay {
  const started = clock();
  let shown = started;
  let bar = '';
  const clear = () => {
    if (bar !== '') stream.write('\r\x1b[2K');
    bar = '';
  };
  return {
    update(progress) {
      const now = clock();
      if (now - shown < (stream.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      const text = describe(title, progress, now - started, stream.isTTY);
      if (!stream.isTTY) {
        stream.write(`${text}\n`);
        return;
      }
      bar = text.slice(0, (stream.columns || 80) - 1);
      stream.write(`\r${bar}\x1b[K`);
    },
    line(text) {
      clear();
      stream.write(`${text}\n`);
    },
    stop: clear,
  };
}

function describe(title: string, { share, note }: Progress, elapsedMs: number, withBar: boolean): string {
  if (share === null) return `${title}  ${note}`;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = withBar ? ` ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}` : '';
  const left = share > 0.01 ? `, ${formatDuration((elapsedMs * (1 - share)) / share)} left` : '';
  return `${title} ${bar}${percent}  ${note}${left}`;
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1234567` → `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A command that cannot do what it was asked for; the message is all that its user needs. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Ends the process with 1 and a plain message for a `CommandError`, with its stack for what nobody expected. */
export function fail(error: unknown): void {
  const expected = error instanceof CommandError;
  const text = expected
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${styleText('red', text, { stream: process.stderr })}\n`);
  process.exitCode = 1;
}
