import { setImmediate as nextTurn } from 'node:timers/promises';
import { FeedError, MAX_COLUMNS, MAX_RECORD_BYTES } from './item.js';
import { MAX_STREAMED_BYTES, textVisitor, visitXmlPart } from './workbook-xml.js';
import { DAY_MS } from '../../listing/instant.js';

/** The maximum number of rows of a sheet, which is Excel's limit. */
const MAX_ROWS = 1_048_576;

/** The maximum number of characters of a cell; spreadsheet programs allow 32,767 or 50,000. */
const MAX_CELL_CHARACTERS = 65_536;

/** The number of blank cells that a sheet may have, and of further ones for each other cell: bytes could expand to millions. */
const FREE_BLANK_CELLS = 1_000_000;
const BLANK_CELLS_PER_CELL = 100;

/** The data that is needed to interpret the cells of a sheet. */
export interface SheetContext {
  /** When Excel's day numbers start, in milliseconds since 1970. */
  epoch: number;
  /** For each cell style of a workbook, whether it displays a number as a date. */
  dateStyles: boolean[];
  sharedTexts: string[];
  skipLines: number;
}

/** Converts the XML of a sheet to CSV. @throws FeedError if the sheet is invalid or exceeds a limit. */
export async function* sheetToCsv(part: AsyncIterable<Buffer>, sheet: SheetContext): AsyncGenerator<Buffer> {
  const rows = csvRows(sheet.skipLines);
  let cell = { column: 0, type: 'n', style: 0 };
  let value: string | null = null;
  const inline = textVisitor('is', (text) => (value = text));
  const pieces = visitXmlPart(
    part,
    {
      open(name, attributes) {
        inline.open(name);
        if (name === 'row') {
          rows.begin(attributes['r'] === undefined ? null : Number(attributes['r']));
          cell = { ...cell, column: -1 };
        } else if (name === 'c') {
          const { r, t: type = 'n', s: style = '0' } = attributes;
          const column = r === undefined ? cell.column + 1 : columnOf(r);
          cell = { column, type, style: Number(style) };
          value = null;
        } else if (name === 'v') value = '';
      },
      text(text) {
        inline.text(text);
        if (value !== null) value += text;
      },
      close(name) {
        inline.close(name);
        if (name === 'c') {
          rows.add(cell.column, cellText(value ?? '', cell, sheet));
          value = null;
        }
        if (name === 'row') rows.end();
      },
    },
    MAX_STREAMED_BYTES,
  );
  for await (const _ of pieces) {
    for (const piece of joined(rows.lines.splice(0))) {
      yield piece;
      await nextTurn();
    }
  }
  yield* joined(rows.lines);
}

/** Turns the cells of a sheet into lines of CSV, within limits. `lines` has those that are complete. */
function csvRows(skipLines: number) {
  const lines: string[] = [];
  let cells: string[] = [];
  let width: number | null = null;
  let row = 0;
  /** The number of characters in the current row. */
  let characters = 0;
  /** The number of cells with content, and of blank cells that the CSV contains. */
  let filled = 0;
  let blank = 0;
  return {
    lines,
    /** Begins a row. @param number the number of the row, from 1; null if the sheet states none, so that it is the next row. */
    begin(number: number | null): void {
      const at = number ?? row + 1;
      if (!(at > row && at <= MAX_ROWS)) throw new FeedError('The rows of the workbook are in no order.');
      // A sheet omits blank rows, but they count for line numbers.
      lines.push('\r\n'.repeat(Math.max(0, at - Math.max(row, skipLines) - 1)));
      row = at;
      cells = [];
      characters = 0;
    },
    add(column: number, text: string): void {
      if (text === '') return;
      const refuse = (has: string) => new FeedError(`Row ${row} of the workbook ${has}.`);
      if (column >= MAX_COLUMNS) throw refuse(`has more than ${MAX_COLUMNS.toLocaleString('en-US')} columns`);
      if (text.length > MAX_CELL_CHARACTERS)
        throw refuse(`has a cell of more than ${MAX_CELL_CHARACTERS.toLocaleString('en-US')} characters`);
      characters += text.length;
      if (characters > MAX_RECORD_BYTES) throw refuse('is longer than 4 MB');
      while (cells.length < column) cells.push('');
      cells[column] = text;
      filled += 1;
    },
    end(): void {
      if (row <= skipLines) return;
      // The first row that is not blank is the header and determines the number of columns.
      if (width === null && cells.length > 0) width = cells.length;
      const missing = cells.length === 0 ? 0 : Math.max(0, (width ?? 0) - cells.length);
      blank += cells.filter((text) => text === '').length + missing;
      if (blank > FREE_BLANK_CELLS + BLANK_CELLS_PER_CELL * filled)
        throw new FeedError('Nearly all cells of the sheet are blank: remove its blank columns.');
      const all = [...cells, ...Array<string>(missing).fill('')];
      lines.push(`${all.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\r\n`);
    },
  };
}

const PIECE_CHARACTERS = 64 * 1024;

/** Joins lines into pieces of a size that can be parsed quickly. */
function* joined(lines: readonly string[]): Generator<Buffer> {
  let pending: string[] = [];
  let characters = 0;
  for (const line of lines) {
    pending.push(line);
    characters += line.length;
    if (characters < PIECE_CHARACTERS) continue;
    yield Buffer.from(pending.join(''));
    pending = [];
    characters = 0;
  }
  if (characters > 0) yield Buffer.from(pending.join(''));
}

/** The number, from 0, of the column in a cell reference: `AB12` is in column 27. */
const columnOf = (reference: string): number =>
  [...(/^[A-Z]{1,4}/.exec(reference)?.[0] ?? 'A')].reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  ) - 1;

function cellText(
  value: string,
  { type, style }: { type: string; style: number },
  { sharedTexts, dateStyles, epoch }: SheetContext,
): string {
  if (type === 's') return sharedTexts[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n' || value === '') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  return dateStyles[style] === true ? dateText(number, epoch) : numberText(number);
}

/** Formats a number with fifteen significant digits, like Excel, which may store 19.98999… for 19.99. */
const numberText = (number: number): string => String(Number(number.toPrecision(15)));

/** Converts Excel's number of days to a date, or to a time without an offset. */
function dateText(days: number, epoch: number): string {
  const at = new Date(epoch + Math.round((days * DAY_MS) / 1_000) * 1_000);
  if (Number.isNaN(at.getTime())) return String(days);
  const text = at.toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 19);
}
