import { isAscii, isUtf8 } from 'node:buffer';
import { type CsvError, parse } from 'csv-parse';
import { type Delimiter, DELIMITERS, dialectOf } from './csv-dialect.js';
import { rowToRecord } from './csv-row.js';
import { FeedError, type FeedItem, MAX_COLUMNS, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

const REQUIRED_COLUMNS = ['sku', 'source', 'name'];

export interface CsvOptions {
  /** Undefined: the one that its first line has most of. */
  delimiter?: Delimiter | undefined;
  /** The columns are a shop's own: their cells are text, and none is required. */
  foreign?: boolean | undefined;
  /** The columns without which no record is one. */
  required?: readonly string[] | undefined;
}

/**
 * Reads CSV (RFC 4180, UTF-8, lines that end with LF, CRLF or CR) whose first line names the fields, or the second where
 * the first is `sep=;`. @param options.line that of its first one.
 */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: CsvOptions & { line?: number } = {},
): AsyncGenerator<FeedItem> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const { delimiter, lineEnds, skip } = dialectOf(first.value);
  const rows = new Rows(skip > 0 ? { ...options, line: (options.line ?? 1) + 1 } : options);
  const items: FeedItem[] = [];
  let failure: unknown;
  const parser = parse({
    // A character for each byte: `Rows` makes text of them, and finds what is not UTF-8.
    encoding: 'latin1',
    delimiter: options.delimiter === undefined ? delimiter : DELIMITERS[options.delimiter],
    record_delimiter: lineEnds,
    relax_column_count: true,
    // A stray quote must cost its own row alone; `Rows` finds it.
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    raw: true,
    on_record: (parsed: unknown) => {
      const { record, raw } = parsed as { record: string[]; raw: string };
      const item = rows.next(record, raw);
      if (item !== null) items.push(item);
      return null;
    },
  });
  parser.on('error', (error) => (failure ??= error));
  parser.resume();
  const ended = new Promise((resolve) => parser.once('close', resolve));
  try {
    const begun = { value: first.value.subarray(skip) };
    for (let next: IteratorResult<Buffer> = begun; next.done !== true; next = await chunks.next()) {
      const chunk = next.value;
      await new Promise((resolve) => parser.write(chunk, resolve));
      yield* items.splice(0);
      if (failure !== undefined) throw rows.toFeedError(failure);
    }
  } finally {
    await chunks.return?.();
  }
  parser.end();
  await ended;
  yield* items.splice(0);
  if (failure !== undefined) throw rows.toFeedError(failure);
}

/** Makes items of rows, and knows the lines they are on. */
class Rows {
  #line: number;
  #header: string[] | null = null;

  constructor(private readonly options: CsvOptions & { line?: number }) {
    this.#line = options.line ?? 1;
  }

  next(cellBytes: string[], rawBytes: string): FeedItem | null {
    const blanks = /^[\r\n]*/.exec(rawBytes)?.[0] ?? '';
    const line = this.#line + linesIn(blanks);
    this.#line += linesIn(rawBytes);
    // What a spreadsheet leaves of rows that were emptied; where the feed is cut off, a row tells it.
    if (cellBytes.every((cell) => cell.trim() === '') && /[\r\n]$/.test(rawBytes)) return null;
    const bytes = Buffer.from(rawBytes, 'latin1');
    const [row, raw] = isAscii(bytes) ? [cellBytes, rawBytes] : [cellBytes.map(toText), bytes.toString()];
    if (this.#header === null) {
      if (!isUtf8(bytes)) throw new FeedError(`Line ${line} is not UTF-8; name its encoding.`);
      this.#header = checkedHeader(row, this.options);
      return null;
    }
    const text = raw.slice(blanks.length);
    const base = { line, bytes: bytes.length, header: this.#header };
    if (!isUtf8(bytes)) return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error: NOT_UTF8 };
    if (row.length !== this.#header.length) {
      if (!/[\r\n]$/.test(text))
        throw new FeedError(`The feed ends in the middle of line ${line}: it was cut off.`);
      const error = `record: has ${row.length} columns instead of ${this.#header.length}`;
      return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error };
    }
    if (hasStray(row, text)) {
      return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error: 'record: has a quote that is not doubled' };
    }
    const header = this.#header;
    const cells = Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell]));
    return {
      ...base,
      raw: cells,
      ...(this.options.foreign === true ? { value: cells } : rowToRecord(cells)),
    };
  }

  toFeedError(error: unknown): unknown {
    const code = (error as CsvError).code;
    if (code !== 'CSV_QUOTE_NOT_CLOSED' && code !== 'CSV_MAX_RECORD_SIZE') return error;
    return new FeedError(
      `The record that begins at line ${this.#line} does not end: a quote is not closed, or the feed was cut off.`,
    );
  }
}

const toText = (cellBytes: string): string => Buffer.from(cellBytes, 'latin1').toString();

/** The library drops the line feed of a CRLF between records, but not of one inside quotes. */
const linesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/**
 * Whether a quoted cell was closed in the middle: only such a cell keeps its opening quote without having doubled it. The
 * cells follow one another in the text, so the search for each begins behind the one before.
 */
function hasStray(row: readonly string[], text: string): boolean {
  let from = 0;
  return row.some((cell) => {
    if (!cell.startsWith('"')) return false;
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const at = text.indexOf(quoted, from);
    from = at + quoted.length;
    return at < 0;
  });
}

function checkedHeader(row: string[], { foreign, required = REQUIRED_COLUMNS }: CsvOptions): string[] {
  if (row.length > MAX_COLUMNS) {
    const [has, most] = [row.length, MAX_COLUMNS].map((count) => count.toLocaleString('en-US'));
    throw new FeedError(`The line that names the fields has ${has} columns; ${most} is the maximum.`);
  }
  const header = row.map((name) => name.trim());
  if (foreign === true) return numbered(header);
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

/** Of columns with one name each has its own: the second `Image` is `Image 2`. */
function numbered(header: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return header.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}
