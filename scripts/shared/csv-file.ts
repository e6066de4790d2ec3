import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { CommandError } from './exit.js';
import { fromCaller } from './terminal.js';

/** Reads a CSV file with a header, which may be a .gz. @throws CommandError if it is unreadable or lacks a column. */
export async function readCsv<Column extends string>(
  file: string,
  columns: readonly Column[],
): Promise<Record<Column, string>[]> {
  const bytes = await readFile(fromCaller(file)).catch(() => {
    throw new CommandError(`cannot read ${file}`);
  });
  const rows = parseCsv<Column>(file, file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  const missing = columns.filter((column) => rows[0] !== undefined && !(column in rows[0]));
  if (missing.length > 0) throw new CommandError(`${file} has no column ${missing.join(', ')}`);
  return rows;
}

function parseCsv<Column extends string>(file: string, text: string | Buffer): Record<Column, string>[] {
  try {
    return parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true });
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}

const SHOWN = 5;

/** Refuses invalid values. @throws CommandError that quotes the first ones, if there are any, and states what was expected. */
export function refuse(file: string, wrong: readonly string[], expected: string): void {
  if (wrong.length === 0) return;
  const shown = wrong.slice(0, SHOWN).map((text) => `  ${text}`);
  const more = wrong.length > SHOWN ? [`  and ${wrong.length - SHOWN} more`] : [];
  throw new CommandError([`${file}: ${expected}, but there is`, ...shown, ...more].join('\n'));
}

/** The file with all judged listings that belongs to a file of pairs: `truth_sources.csv` for `truth.csv`. */
export const sourcesFile = (file: string): string => beside(file, '_sources');

/** The file with the true quantities of listings that belongs to a file of pairs. */
export const quantitiesFile = (file: string): string => beside(file, '_quantities');

const beside = (file: string, suffix: string): string => file.replace(/(\.[^./\\]*)?$/, `${suffix}$1`);
