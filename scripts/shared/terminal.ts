import path from 'node:path';
import type { Readable } from 'node:stream';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import type { Progress, ProgressDisplay } from '../../src/platform/progress.js';
import type { Output } from './command.js';
import { CommandError } from './exit.js';

const BAR_WIDTHS = [24, 10];
const SHORT_TITLE = 16;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** Displays a progress bar on a terminal; without a terminal, prints a line every few seconds. */
export function showProgress(
  title: string,
  stream: Output,
  clock: () => number = () => performance.now(),
): ProgressDisplay {
  const started = clock();
  let lastUpdate = started;
  let bar = '';
  const clear = () => {
    if (bar !== '') stream.write('\r\x1b[2K');
    bar = '';
  };
  return {
    update(progress) {
      const now = clock();
      if (now - lastUpdate < (stream.isTTY === true ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      lastUpdate = now;
      const forms = progressForms(title, progress, now - started);
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

/** Returns the forms of a progress line, longest first, for terminals of different widths. */
function progressForms(title: string, { share, note, rate = '' }: Progress, elapsedMs: number): string[] {
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

/** Resolves a path of the user: npm runs commands in the folder of the package, not in the current folder. */
export function fromCaller(file: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? '', file);
}

export const countRow = (count: number, label: string): string =>
  `${formatCount(count).padStart(12)}  ${label}`;

/** Formats rows of cells as aligned columns. @param align `right`: all columns but the first are right-aligned. */
export function textTable(rows: readonly string[][], align: 'left' | 'right' = 'left'): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const pad = (cell: string, column: number) =>
    align === 'left' || column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

export async function withProgress<T>(
  title: string,
  stream: Output,
  work: (display: ProgressDisplay) => Promise<T>,
): Promise<T> {
  const display = showProgress(title, stream);
  try {
    return await work(display);
  } finally {
    display.stop();
  }
}

/** Converts an error of reading a file to a message that names the file as the user wrote it. */
export function fileError(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CommandError(
    code === 'ENOENT' ? `${file}: no such file.` : `${file} cannot be read (${code ?? message}).`,
  );
}

/** Reads the lines of a text file of the user. @throws CommandError if the file cannot be read. */
export async function* linesOf(file: string, input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw fileError(file, error);
  }
  yield rest;
}
