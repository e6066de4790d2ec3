import { isAscii, isUtf8 } from 'node:buffer';
import { parseJson } from '../../platform/parse-json.js';
import { type CsvLayout, type Delimiter, DELIMITERS, detectDialect } from './csv-dialect.js';
import { type CsvRow, readLines, RowAssembler } from './csv-rows.js';
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
  const { layout, delimiter = layout?.delimiter } = options;
  const rows = new RowReader(
    skip > 0 ? { ...options, line: (options.line ?? 1) + 1 } : options,
    new RowAssembler(delimiter === undefined ? detected : DELIMITERS[delimiter], layout?.quotes !== false),
  );
  const text = withHead(first.value.subarray(skip), chunks);
  for await (const lines of readLines(text, lineEnd, rows.unclosed)) {
    for (const line of lines) yield* rows.push(line);
  }
  yield* rows.end();
}

class RowReader {
  #line: number;
  #header: string[] | null = null;
  /** The number of cells of the first row behind the header. */
  #width: number | null = null;
  #rowsBeforeHeader = 0;
  readonly #ignored: RegExp | null;

  constructor(
    private readonly options: CsvOptions & { line?: number },
    private readonly assembler: RowAssembler,
  ) {
    this.#line = options.line ?? 1;
    const { ignore } = options.layout ?? {};
    this.#ignored = ignore === undefined ? null : new RegExp(ignore, 'u');
  }

  push = (line: string): Generator<FeedItem> => this.#items(this.assembler.push(line));
  end = (): Generator<FeedItem> => this.#items(this.assembler.end());

  *#items(rows: Iterable<CsvRow>): Generator<FeedItem> {
    for (const row of rows) {
      const item = this.#item(row);
      if (item !== null) yield item;
      this.assembler.columns = this.#header?.length ?? null;
    }
  }

  #item({ cells: cellBytes, raw: rawBytes, problem }: CsvRow): FeedItem | null {
    const line = this.#line;
    this.#line += linesIn(rawBytes);
    // Spreadsheets leave blank rows. Without a line end, a blank row may show that the feed is cut off.
    if (cellBytes.every((cell) => cell.trim() === '') && /[\r\n]$/.test(rawBytes)) return null;
    const bytes = Buffer.from(rawBytes, 'latin1');
    const [allCells, text] = isAscii(bytes)
      ? [cellBytes, rawBytes]
      : [cellBytes.map(toText), bytes.toString()];
    if (this.#ignored?.test(text) === true) return null;
    if (this.#header !== null) this.#width ??= allCells.length;
    const row = this.#withoutSurplus(allCells);
    if (problem === 'open') throw this.unclosed(line);
    if (this.#header === null) {
      if (!isUtf8(bytes))
        throw new FeedError(`Line ${line} is not UTF-8; name its encoding with --encoding.`);
      const { columns } = this.options.layout ?? {};
      if (columns === undefined) {
        if (this.#isHeader(row)) this.#header = checkedHeader(row, this.options);
        return null;
      }
      this.#header = row.map((_, index) => columns[index] ?? `column ${index + 1}`);
    }
    // Feeds that were joined repeat it.
    if (isHeaderAgain(row, this.#header)) return null;
    const base = { line, bytes: bytes.length, header: this.#header };
    if (!isUtf8(bytes)) return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error: NOT_UTF8 };
    const isComplete = row.length === this.#header.length;
    if (!isComplete && !/[\r\n]$/.test(text))
      throw new FeedError(`The feed ends in the middle of line ${line}: it was cut off.`);
    if (problem !== undefined || !isComplete) {
      const error =
        problem === undefined
          ? `record: has ${row.length} columns instead of ${this.#header.length}`
          : 'record: has a quote that is not doubled';
      return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error };
    }
    const header = this.#header;
    const cells = Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell]));
    return {
      ...base,
      raw: cells,
      ...(this.options.anyColumns === true ? { value: cells } : cellsToRecord(cells)),
    };
  }

  /**
   * The cells of a row without the blank ones beyond the columns that all rows have which end with a delimiter. In a single
   * row, they show that a delimiter in a cell has moved the others.
   */
  #withoutSurplus(cells: string[]): string[] {
    const columns = this.#header?.length;
    if (columns === undefined || cells.length <= columns) return cells;
    const isBlank = cells.slice(columns).every((cell) => cell.trim() === '');
    return isBlank && cells.length === this.#width ? cells.slice(0, columns) : cells;
  }

  /** Whether a row names the columns. @throws FeedError if none of the first rows does. */
  #isHeader(row: readonly string[]): boolean {
    const { header } = this.options.layout ?? {};
    if (header === undefined) return true;
    // The names are compared exactly, because rows before the header may contain labels such as `Seller SKU`.
    if (row.some((name) => header.includes(name.trim()))) return true;
    this.#rowsBeforeHeader += 1;
    if (this.#rowsBeforeHeader < MAX_ROWS_BEFORE_HEADER) return false;
    throw new FeedError(
      `None of the first ${MAX_ROWS_BEFORE_HEADER} rows names a column ${header.join(' or ')}, as the first row of this format does.`,
    );
  }

  unclosed = (line = this.#line): FeedError =>
    new FeedError(
      `The record that begins at line ${line} does not end: a quote is not closed, or the feed was cut off.`,
    );
}

/** The maximum number of rows before the one that names the columns. */
const MAX_ROWS_BEFORE_HEADER = 20;

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
