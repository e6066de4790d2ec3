import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { CommandError } from '../shared/terminal.js';

/** Names a listing in judgements, which know no ids. */
export interface ListingKey {
  source: string;
  sku: string;
}

/** Two listings, and whether they are the same product. */
export interface JudgedPair {
  a: ListingKey;
  b: ListingKey;
  same: boolean;
}

export const keyOf = ({ source, sku }: ListingKey): string => `${source}\0${sku}`;

/**
 * Rows of a CSV file with a header.
 * @throws CommandError when the file cannot be read or lacks a column.
 */
export async function readCsv<Column extends string>(
  file: string,
  columns: readonly Column[],
): Promise<Record<Column, string>[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`cannot read ${file}`);
  });
  const rows = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true }) as Record<
    Column,
    string
  >[];
  const missing = columns.filter((column) => rows[0] !== undefined && !(column in rows[0]));
  if (missing.length > 0) throw new CommandError(`${file} has no column ${missing.join(', ')}`);
  return rows;
}

/** Pairs `a_source,a_sku,b_source,b_sku`, with `label` 1 or 0 where the file has it, else all the same product. */
export async function readPairs(file: string): Promise<JudgedPair[]> {
  const rows = await readCsv(file, ['a_source', 'a_sku', 'b_source', 'b_sku']);
  return rows.map((row) => ({
    a: { source: row.a_source, sku: row.a_sku },
    b: { source: row.b_source, sku: row.b_sku },
    same: !('label' in row) || row.label === '1',
  }));
}

/** Listings `a_source,a_sku`. */
export async function readSources(file: string): Promise<ListingKey[]> {
  const rows = await readCsv(file, ['a_source', 'a_sku']);
  return rows.map(({ a_source: source, a_sku: sku }) => ({ source, sku }));
}
