import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { Components } from '../../src/matching/grouping/components.js';
import type { ListingKey } from '../../src/schemas/decisions.js';
import { CommandError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';
import type { Listing } from './api.js';

/** A pair of listings, and whether they are the same product. */
export interface JudgedPair {
  a: ListingKey;
  b: ListingKey;
  same: boolean;
}

export const listingKeyText = ({ source, sku }: ListingKey): string => `${source}\0${sku}`;

/**
 * Reads the rows of a CSV file with a header. The file may be compressed as `.gz`.
 * @throws CommandError if the file cannot be read or lacks a column.
 */
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

/**
 * Reports the invalid values in a column of a file. Does nothing if `wrong` is empty.
 * @throws CommandError that quotes the first invalid values and states what was expected.
 */
export function refuse(file: string, wrong: readonly string[], expected: string): void {
  if (wrong.length === 0) return;
  const shown = wrong.slice(0, SHOWN).map((text) => `  ${text}`);
  const more = wrong.length > SHOWN ? [`  and ${wrong.length - SHOWN} more`] : [];
  throw new CommandError([`${file}: ${expected}, but there is`, ...shown, ...more].join('\n'));
}

/**
 * Reads pairs of listings with the columns `a_source,a_sku,b_source,b_sku`. The optional column `label` is
 * 1 for the same product and 0 for different products; without it, all pairs are the same product.
 */
export async function readPairs(file: string): Promise<JudgedPair[]> {
  const rows: (Record<'a_source' | 'a_sku' | 'b_source' | 'b_sku', string> & { label?: string })[] =
    await readCsv(file, ['a_source', 'a_sku', 'b_source', 'b_sku']);
  const wrong = rows.filter(({ label }) => label !== undefined && label !== '0' && label !== '1');
  refuse(
    file,
    wrong.map(({ a_sku, b_sku, label }) => `"${label}" for ${a_sku} and ${b_sku}`),
    'a label is 1 or 0',
  );
  return rows.map((row) => ({
    a: { source: row.a_source, sku: row.a_sku },
    b: { source: row.b_source, sku: row.b_sku },
    same: row.label !== '0',
  }));
}

/** Reads judged listings from a CSV file with the columns `a_source,a_sku`. */
export async function readSources(file: string): Promise<ListingKey[]> {
  const rows = await readCsv(file, ['a_source', 'a_sku']);
  return rows.map(({ a_source: source, a_sku: sku }) => ({ source, sku }));
}

/**
 * Joins judged pairs to products.
 * @returns a function that returns the product of a listing: the lowest id of the listings that the pairs
 * connect with it, or its own id.
 */
export function judgedProducts(
  pairs: readonly JudgedPair[],
  listings: readonly Listing[],
): (listing: Listing) => number {
  const ids = new Map(listings.map((listing) => [listingKeyText(listing), listing.id]));
  const products = new Components();
  for (const { a, b, same } of pairs) {
    const [one, other] = [ids.get(listingKeyText(a)), ids.get(listingKeyText(b))];
    if (same && one !== undefined && other !== undefined) products.join(one, other);
  }
  return ({ id }) => products.find(id);
}

/**
 * Returns the path of the file of listings that belongs to a file of pairs: `truth_sources.csv` for
 * `truth.csv`.
 */
export const sourcesFile = (file: string): string => file.replace(/(\.[^./\\]*)?$/, '_sources$1');

/** The file with the true quantities of listings that belongs to a gold file. */
export const quantitiesFile = (file: string): string => file.replace(/(\.[^./\\]*)?$/, '_quantities$1');
