import { isAscii, isUtf8 } from 'node:buffer';
import { type CsvError, parse } from 'csv-parse';
import { rowToRecord } from './csv-row.js';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

const REQUIRED_COLUMNS = ['sku', 'source', 'name'];

/** Reads CSV (RFC 4180, UTF-8, comma, LF or CRLF) whose first line names the fields. */
export async function* readCsv(source: AsyncIterable<Buffer>): AsyncGenerator<FeedItem> {
  const rows = new Rows();
  const items: FeedItem[] = [];
  let failure: unknown;
  const parser = parse({
    // A character for each byte: `Rows` makes text of them, and finds what is not UTF-8.
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n'],
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
  for await (const chunk of source) {
    await new Promise((resolve) => parser.write(chunk, resolve));
    yield* items.splice(0);
    if (failure !== undefined) throw rows.toFeedError(failure);
  }
  parser.end();
  await ended;
  yield* items.splice(0);
  if (failure !== undefined) throw rows.toFeedError(failure);
}

/** Makes items of rows, and knows the lines they are on. */
class Rows {
  #line = 1;
  #header: string[] | null = null;

  next(cellBytes: string[], rawBytes: string): FeedItem | null {
    const blanks = /^[\r\n]*/.exec(rawBytes)?.[0] ?? '';
    const line = this.#line + lineEnds(blanks);
    this.#line += lineEnds(rawBytes);
    const bytes = Buffer.from(rawBytes, 'latin1');
    const [row, raw] = isAscii(bytes) ? [cellBytes, rawBytes] : [cellBytes.map(toText), bytes.toString()];
    if (this.#header === null) {
      if (!isUtf8(bytes)) throw new FeedError(`Line ${line} is not UTF-8; name its encoding.`);
      this.#header = checkedHeader(row);
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
    if (row.some((cell) => isStray(cell, text))) {
      return { ...base, raw: text.slice(0, MAX_RAW_TEXT), error: 'record: has a quote that is not doubled' };
    }
    const header = this.#header;
    const cells = Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell]));
    return { ...base, raw: cells, ...rowToRecord(cells) };
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
const lineEnds = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** Whether a quoted cell was closed in the middle: only then it keeps its opening quote without having doubled it. */
const isStray = (cell: string, text: string): boolean =>
  cell.startsWith('"') && !text.includes(`"${cell.replaceAll('"', '""')}"`);

function checkedHeader(row: string[]): string[] {
  const header = row.map((name) => name.trim());
  const missing = REQUIRED_COLUMNS.filter((name) => !header.includes(name));
  if (missing.length > 0) {
    throw new FeedError(
      `The first line of a CSV feed has to name the fields, separated by commas; ${missing.join(', ')} not found there.`,
    );
  }
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (twice !== undefined) throw new FeedError(`The CSV feed has two columns "${twice}".`);
  return header;
}
