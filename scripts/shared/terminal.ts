import path from 'node:path';
import type { Output } from './command.js';

/** How far a long piece of work is. */
export interface Progress {
  /** From 0 to 1; null: nobody knows. */
  share: number | null;
  /** What was done so far, for people: `12,000 records`. */
  note: string;
  /** How fast: `4,000/s`. A narrow terminal loses the note before this. */
  rate?: string;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** A line of its own, without a clash with the bar. */
  line(text: string): void;
  /** Takes the bar away. */
  stop(): void;
}

const BAR_WIDTHS = [24, 10];
const SHORT_TITLE = 16;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** A bar with the time left on a terminal, a plain line every few seconds elsewhere. */
export function showProgress(
  title: string,
  stream: Output,
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
      if (now - shown < (stream.isTTY === true ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      const forms = describe(title, progress, now - started);
      if (stream.isTTY !== true) {
        stream.write(`${forms.at(BAR_WIDTHS.length) ?? ''}\n`);
        return;
      }
      const width = (stream.columns || 80) - 1;
      bar = (forms.find((form) => form.length <= width) ?? forms.at(-1) ?? '').slice(0, width);
      stream.write(`\r${bar}\x1b[K`);
    },
    line(text) {
      clear();
      stream.write(`${text}\n`);
    },
    stop: clear,
  };
}

/**
 * The longest form first: a narrow terminal loses the bar, then of the title, then the note; rate and time left stay.
 * The third is without a bar.
 */
function describe(title: string, { share, note, rate = '' }: Progress, elapsedMs: number): string[] {
  const left =
    share === null || share <= 0.01 || share >= 1
      ? ''
      : `${formatDuration((elapsedMs * (1 - share)) / share)} left`;
  const percent = share === null ? '' : `${Math.floor(share * 100)} %`;
  const done = [note, rate, left].filter((part) => part !== '').join(', ');
  const bars = BAR_WIDTHS.map((width) => (share === null ? '' : ` ${barOf(share, width)}`));
  const short = title.length <= SHORT_TITLE ? title : `…${title.slice(1 - SHORT_TITLE)}`;
  return [
    ...[...bars, ''].map((bar) => `${title} ${bar}${percent.padStart(5)}  ${done}`),
    `${short}  ${percent}  ${done}`,
    `${percent}  ${done}`,
    [percent, rate, left].join(' '),
    [rate, left].join(' '),
  ].map((form) => form.trim());
}

const barOf = (share: number, width: number): string => {
  const filled = Math.round(share * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
};

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

/** Where a file that the user names is: npm runs a command in the package's folder, whatever the user's own. */
export function fromCaller(file: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? '', file);
}
