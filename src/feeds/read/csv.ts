import { isAscii, isUtf8 } from 'node:buffer';
import { parseJson } from '../../platform/parse-json.js';
import { type CsvLayout, type Delimiter, DELIMITERS, detectDialect } from './csv-dialect.js';
import { type CsvRow, readLines, rowAssembler } from './csv-rows.js';
import { FeedError, type FeedItem, MAX_COLUMNS, MAX_RAW_TEXT, NOT_UTF8 } from './item.js';
import { withHead } from './text.js';

const REQUIRED_COLUMNS = ['sku', 'source', 'name'];

export interface CsvOptions {
  /** The delimiter of a CSV feed; by default, the one that occurs most often in the first line. */
  delimiter?: Delimiter | undefined;
  /** Whether the feed has a shop's own columns: all cells are text, and no column is required. */
  anyColumns?: boolean | undefined;
  /** The layout of the feed, if it is not a table with the names of its columns in the first row. */
  layout?: CsvLayout | undefined;
  /** The names of the columns that the feed must have. */
  required?: readonly string[] | undefined;
}

/** Reads CSV (RFC 4180) in UTF-8, also after a line such as `sep=;`. @param options.line the number of the first line. */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: CsvOptions & { line?: number } = {},
): AsyncGenerator<FeedItem> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const { delimiter: detected, lineEnd, skip } = detectDialect(first.value);
  const { layout, line: firstLine = 1, delimiter = layout?.delimiter } = options;
  const state: ReadRows = { header: null, width: null, beforeHeader: 0 };
  const assembler = rowAssembler(
    delimiter === undefined ? detected : DELIMITERS[delimiter],
    layout?.quotes !== false,
    () => state.header?.length ?? null,
  );
  let line = skip > 0 ? firstLine + 1 : firstLine;
  function* items(rows: Iterable<CsvRow>): Generator<FeedItem> {
    for (const row of rows) {
      const item = itemOf(row, line, options, state);
      line += linesIn(row.raw);
      if (item !== null) yield item;
    }
  }
  const text = withHead(first.value.subarray(skip), chunks);
  for await (const lines of readLines(text, lineEnd, () => unclosed(line))) {
    for (const one of lines) yield* items(assembler.push(one));
  }
  yield* items(assembler.end());
}

/** The header of a feed, and what else is known from the rows that were read. */
interface ReadRows {
  header: string[] | null;
  /** The number of cells of the first row behind the header. */
  width: number | null;
  beforeHeader: number;
}

/** The record in a row; null if the row is none. @throws FeedError */
function itemOf(
  { cells: cellBytes, raw: rawBytes, problem }: CsvRow,
  line: number,
  options: CsvOptions,
  state: ReadRows,
): FeedItem | null {
  // Spreadsheets leave blank rows. Without a line end, a blank row may show that the feed is cut off.
  if (cellBytes.every((cell) => cell.trim() === '') && /[\r\n]$/.test(rawBytes)) return null;
  const bytes = Buffer.from(rawBytes, 'latin1');
  const [allCells, text] = isAscii(bytes) ? [cellBytes, rawBytes] : [cellBytes.map(toText), bytes.toString()];
  const { columns, ignore } = options.layout ?? {};
  if (ignore !== undefined && new RegExp(ignore, 'u').test(text)) return null;
  if (state.header !== null) state.width ??= allCells.length;
  const row = withoutSurplus(allCells, state);
  if (problem === 'open') throw unclosed(line);
  if (state.header === null) {
    if (!isUtf8(bytes)) throw new FeedError(`Line ${line} is not UTF-8; name its encoding with --encoding.`);
    if (columns === undefined) {
      if (namesColumns(row, options, state)) state.header = checkedHeader(row, options);
      return null;
    }
    state.header = row.map((_, index) => columns[index] ?? `column ${index + 1}`);
  }
  const { header } = state;
  // Feeds that were joined repeat it.
  if (isHeaderAgain(row, header)) return null;
  const base = { line, bytes: bytes.length, header };
  const rejected = (error: string) => ({ ...base, raw: text.slice(0, MAX_RAW_TEXT), error });
  if (!isUtf8(bytes)) return rejected(NOT_UTF8);
  const isComplete = row.length === header.length;
  if (!isComplete && !/[\r\n]$/.test(text))
    throw new FeedError(`The feed ends in the middle of line ${line}: it was cut off.`);
  if (problem !== undefined) return rejected('record: has a quote that is not doubled');
  if (!isComplete) return rejected(`record: has ${row.length} columns instead of ${header.length}`);
  const cells = Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell]));
  return { ...base, raw: cells, ...(options.anyColumns === true ? { value: cells } : cellsToRecord(cells)) };
}

/** A row without the blank cells that all rows have beyond the columns. In one row, they show that a delimiter moved the others. */
function withoutSurplus(cells: string[], { header, width }: ReadRows): string[] {
  if (header === null || cells.length !== width || cells.length <= header.length) return cells;
  const isBlank = cells.slice(header.length).every((cell) => cell.trim() === '');
  return isBlank ? cells.slice(0, header.length) : cells;
}

/** The maximum number of rows before the one that names the columns. */
const MAX_ROWS_BEFORE_HEADER = 20;

/** Whether a row names the columns. @throws FeedError if none of the first rows does. */
function namesColumns(row: readonly string[], { layout }: CsvOptions, state: ReadRows): boolean {
  const names = layout?.header;
  if (names === undefined) return true;
  // The names are compared exactly, because rows before the header may contain labels such as `Seller SKU`.
  if (row.some((name) => names.includes(name.trim()))) return true;
  state.beforeHeader += 1;
  if (state.beforeHeader < MAX_ROWS_BEFORE_HEADER) return false;
  throw new FeedError(
    `None of the first ${MAX_ROWS_BEFORE_HEADER} rows names a column ${names.join(' or ')}, as the first row of this format does.`,
  );
}

const unclosed = (line: number): FeedError =>
  new FeedError(
    `The record that begins at line ${line} does not end: a quote is not closed, or the feed was cut off.`,
  );

/** Whether a row names the columns, perhaps behind a byte order mark. */
const isHeaderAgain = (row: readonly string[], header: readonly string[]): boolean =>
  row.length === header.length && row.every((cell, at) => cell.trim() === header[at]);

const toText = (cellBytes: string): string => Buffer.from(cellBytes, 'latin1').toString();

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

function checkedHeader(row: string[], { anyColumns, required = REQUIRED_COLUMNS }: CsvOptions): string[] {
  if (row.length > MAX_COLUMNS) {
    const [has, most] = [row.length, MAX_COLUMNS].map((count) => count.toLocaleString('en-US'));
    throw new FeedError(`The line that names the fields has ${has} columns; ${most} is the maximum.`);
  }
  const header = row.map((name) => name.trim());
  if (anyColumns === true) return numbered(header);
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0) {
    throw new FeedError(
      `The first line of a CSV feed has to name the fields, separated by commas (or ; | or tabs); ${missing.join(', ')} not found there.`,
    );
  }
  const known = new Set<string>();
  const twice = header.find((name) => name !== '' && known.size === known.add(name).size);
  if (twice !== undefined) throw new FeedError(`The CSV feed has two columns "${twice}".`);
  return header;
}

function numbered(header: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return header.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

/** The words for true and false in a column of truth values. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/** Columns whose cells contain JSON. A GTIN may also be plain text; a condition is an object in exports only. */
const JSON_FIELDS = new Set(['category_path', 'price_history', 'metadata', 'delivery']);

/** A cell that an export escaped with an apostrophe, because a spreadsheet would run it as a formula. */
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/;

/** Converts a CSV row to a record: empty cells become null, booleans and JSON are parsed. */
function cellsToRecord(cells: Record<string, string>): { value: unknown; error?: string } {
  let error: string | undefined;
  const entries = Object.entries(cells).map(([field, escaped]): [string, unknown] => {
    if (escaped === '') return [field, null];
    const cell = ESCAPED.test(escaped) ? escaped.slice(1) : escaped;
    if (field === 'is_available' || field === 'price_from')
      return [field, BOOLEANS.get(cell.trim().toLowerCase()) ?? cell];
    const isJson =
      JSON_FIELDS.has(field) ||
      (field === 'gtin' && cell.startsWith('[')) ||
      (field === 'condition' && cell.startsWith('{'));
    if (!isJson) return [field, cell];
    const parsed = parseJson(cell);
    if (parsed === undefined) error ??= `${field}: is not JSON text`;
    return [field, parsed];
  });
  const value = Object.fromEntries(entries);
  return error === undefined ? { value } : { value, error };
}
