import { posix } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FeedError, MAX_COLUMNS, MAX_RECORD_BYTES } from './item.js';
import { unpackEntry, zipEntries } from './zip-entries.js';

/** The texts that cells share stand behind the sheets in the archive, so all of it is held, and all of them are. */
const MAX_WORKBOOK_BYTES = 64 * 1024 * 1024;
const MAX_SHARED_CHARACTERS = 64 * 1024 * 1024;

/** Of Excel itself. */
const MAX_ROWS = 1_048_576;

/** Spreadsheets allow 32,767 or 50,000. Many cells may share one text, so its length counts for each of them. */
const MAX_CELL_CHARACTERS = 65_536;

/**
 * A workbook leaves out blank cells, and CSV does not, so that a few bytes could stand for millions of cells. A sheet may have
 * this many blank cells, and more of them for each cell that is written.
 */
const FREE_BLANK_CELLS = 1_000_000;
const BLANK_CELLS_PER_CELL = 100;

/** How an archive begins that is a workbook. */
const PART = /^(?:\[Content_Types\]\.xml|xl\/|_rels\/|docProps\/|customXml\/)/;

/** Whether a zip archive is a workbook (.xlsx), by the name of its first file. */
export const isWorkbook = (head: Buffer): boolean =>
  head.toString('hex', 0, 4) === '504b0304' && PART.test(head.toString('latin1', 30, 60));

/** As old workbooks begin, and those with a password. */
export const isOldWorkbook = (head: Buffer): boolean => head.toString('hex', 0, 4) === 'd0cf11e0';

export interface WorkbookOptions {
  /** The sheet's name; undefined: the first that is not hidden. */
  sheet?: string | undefined;
  /** So many rows are left out. */
  skipLines?: number | undefined;
}

/**
 * A sheet of a workbook (Office Open XML) as CSV: each row a line, all cells in quotes. Numbers have the digits that
 * Excel shows of them, dates are ISO 8601.
 * @throws FeedError
 */
export async function* readWorkbook(
  source: AsyncIterable<Buffer>,
  options: WorkbookOptions,
): AsyncGenerator<Buffer> {
  const parts = zipEntries(await collected(source));
  const read = (name: string) => {
    const part = parts.get(name);
    return part === undefined ? null : unpackEntry(part);
  };
  const book = await readBook(read, options.sheet);
  const dates = await dateStyles(read('xl/styles.xml'));
  const shared = await sharedTexts(read('xl/sharedStrings.xml'));
  const sheet = read(book.sheet);
  if (sheet === null) throw new FeedError('The workbook lacks its sheet: it is damaged.');
  yield* rowsOf(sheet, { ...book, dates, shared, skipLines: options.skipLines ?? 0 });
}

type Read = (name: string) => AsyncIterable<Buffer> | null;

async function collected(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_WORKBOOK_BYTES)
      throw new FeedError('The workbook is larger than 64 MB: save its sheet as CSV.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Visitor {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const MAX_DEPTH = 64;
const MAX_SHEET_BYTES = 2 * 1024 ** 3;
/** The content of the other parts is kept in memory. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

/** Reads a part of a workbook; after each piece of it, what was made of it may be taken. @throws FeedError */
async function* visit(
  part: AsyncIterable<Buffer>,
  visitor: Visitor,
  maxBytes = MAX_PART_BYTES,
): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  const decoder = new StringDecoder('utf8');
  let depth = 0;
  let understood = 0;
  const local = (name: string) => name.slice(name.lastIndexOf(':') + 1);
  const damaged = (why: string) => new FeedError(`The workbook is damaged (${why}).`);
  parser.on('error', ({ message }) => {
    throw damaged(message);
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw damaged('its elements are nested too deeply');
    understood = parser.position;
    visitor.open?.(local(name), attributes);
  });
  parser.on('text', (text) => visitor.text?.(text));
  parser.on('cdata', (text) => visitor.text?.(text));
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    understood = parser.position;
    visitor.close?.(local(name));
  });
  for await (const chunk of part) {
    if (parser.position > maxBytes) throw damaged(`a part of it is longer than ${maxBytes / 1024 / 1024} MB`);
    parser.write(decoder.write(chunk));
    if (parser.position - understood > MAX_RECORD_BYTES) throw damaged('a cell is longer than 4 MB');
    yield;
    // Signals are handled between pieces.
    await turn();
  }
  parser.write(decoder.end()).close();
}

async function readAll(
  part: AsyncIterable<Buffer> | null,
  visitor: Visitor,
  maxBytes?: number,
): Promise<void> {
  if (part === null) return;
  const pieces = visit(part, visitor, maxBytes);
  while ((await pieces.next()).done !== true);
}

/** Which part the sheet is, and the day that its dates are counted from, as Excel does it. */
async function readBook(read: Read, wanted?: string): Promise<{ sheet: string; epoch: number }> {
  const sheets: { name: string; id: string; hidden: boolean }[] = [];
  const targets = new Map<string, string>();
  let epoch = Date.UTC(1899, 11, 30);
  await readAll(read('xl/workbook.xml'), {
    open(name, attributes) {
      const { name: called = '', 'r:id': id = '', state = 'visible', date1904 } = attributes;
      if (name === 'sheet') sheets.push({ name: called, id, hidden: state !== 'visible' });
      if (name === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) epoch = Date.UTC(1904, 0, 1);
    },
  });
  await readAll(read('xl/_rels/workbook.xml.rels'), {
    open(_name, { Id, Target }) {
      if (Id !== undefined && Target !== undefined) targets.set(Id, posix.resolve('/xl', Target).slice(1));
    },
  });
  const sheet =
    wanted === undefined
      ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0])
      : sheets.find(({ name }) => name === wanted);
  if (sheet === undefined) {
    const names = sheets.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new FeedError(
      `The workbook has no sheet ${JSON.stringify(wanted ?? '')}; there are ${names || 'none'}.`,
    );
  }
  return { sheet: targets.get(sheet.id) ?? 'xl/worksheets/sheet1.xml', epoch };
}

/** The built-in formats that are dates or times. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

/** Which of the cell styles show a number as a date. */
async function dateStyles(part: AsyncIterable<Buffer> | null): Promise<boolean[]> {
  const formats = new Set(DATE_FORMATS);
  const styles: boolean[] = [];
  let inCells = false;
  await readAll(part, {
    open(name, { numFmtId = '', formatCode = '' }) {
      // Letters of dates, outside of what is quoted, escaped, or a colour or condition.
      if (name === 'numFmt' && /[dmyhs]/i.test(formatCode.replace(/"[^"]*"|\\.|\[[^[\]]*\]|General/g, '')))
        formats.add(Number(numFmtId));
      if (name === 'cellXfs') inCells = true;
      if (name === 'xf' && inCells) styles.push(formats.has(Number(numFmtId)));
    },
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return styles;
}

/** The texts that cells name by number. */
async function sharedTexts(part: AsyncIterable<Buffer> | null): Promise<string[]> {
  const texts: string[] = [];
  const text = new TextOf('si');
  let characters = 0;
  await readAll(
    part,
    {
      open: (name) => text.open(name),
      text: (piece) => text.add(piece),
      close(name) {
        if (!text.close(name)) return;
        const taken = text.take();
        characters += taken.length + 16;
        if (characters > MAX_SHARED_CHARACTERS)
          throw new FeedError('The workbook has more than 64 MB of text: save its sheet as CSV.');
        texts.push(taken);
      },
    },
    MAX_SHEET_BYTES,
  );
  return texts;
}

/** The text of an element, of runs with formats each; how it is pronounced is left out. */
class TextOf {
  #pieces: string[] = [];
  #reading = false;
  #aside = false;

  constructor(private readonly element: string) {}

  open(name: string): void {
    if (name === this.element) this.#pieces = [];
    if (name === 'rPh') this.#aside = true;
    this.#reading = name === 't' && !this.#aside;
  }

  add(piece: string): void {
    if (this.#reading) this.#pieces.push(piece);
  }

  /** @returns whether the element ends. */
  close(name: string): boolean {
    if (name === 't') this.#reading = false;
    if (name === 'rPh') this.#aside = false;
    return name === this.element;
  }

  take(): string {
    // What cannot stand in XML is written as _x000D_.
    return this.#pieces
      .splice(0)
      .join('')
      .replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  }
}

interface Sheet {
  epoch: number;
  dates: boolean[];
  shared: string[];
  skipLines: number;
}

async function* rowsOf(part: AsyncIterable<Buffer>, sheet: Sheet): AsyncGenerator<Buffer> {
  const lines: string[] = [];
  const inline = new TextOf('is');
  let cells: string[] = [];
  let width: number | null = null;
  let row = 0;
  let cell = { column: 0, type: 'n', style: 0 };
  let value: string | null = null;
  /** Characters of the row. */
  let characters = 0;
  /** Cells of the sheet that hold something, and those that will be blank in CSV. */
  const counts = { filled: 0, blank: 0 };
  const takeCell = (text: string) => {
    if (text === '') return;
    const { column } = cell;
    if (column >= MAX_COLUMNS)
      throw new FeedError(
        `Row ${row} of the workbook has more than ${MAX_COLUMNS.toLocaleString('en-US')} columns.`,
      );
    if (text.length > MAX_CELL_CHARACTERS)
      throw new FeedError(
        `Row ${row} of the workbook has a cell of more than ${MAX_CELL_CHARACTERS.toLocaleString('en-US')} characters.`,
      );
    characters += text.length;
    if (characters > MAX_RECORD_BYTES) throw new FeedError(`Row ${row} of the workbook is longer than 4 MB.`);
    while (cells.length < column) cells.push('');
    cells[column] = text;
    counts.filled += 1;
  };
  const takeRow = () => {
    if (row <= sheet.skipLines) return;
    // What names the columns tells how many there are.
    if (width === null && cells.length > 0) width = cells.length;
    const missing = Math.max(0, (width ?? 0) - cells.length);
    counts.blank += cells.length === 0 ? 0 : cells.filter((text) => text === '').length + missing;
    if (counts.blank > FREE_BLANK_CELLS + BLANK_CELLS_PER_CELL * counts.filled)
      throw new FeedError('Nearly all cells of the sheet are blank: remove its blank columns.');
    const all = cells.length === 0 ? [] : [...cells, ...Array<string>(missing).fill('')];
    lines.push(`${all.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\r\n`);
  };
  const pieces = visit(
    part,
    {
      open(name, attributes) {
        inline.open(name);
        if (name === 'row') {
          const at = Number(attributes['r'] ?? row + 1);
          if (!(at > row && at <= MAX_ROWS)) throw new FeedError('The rows of the workbook are in no order.');
          // Blank ones are not written, but lines count them.
          lines.push('\r\n'.repeat(Math.max(0, at - Math.max(row, sheet.skipLines) - 1)));
          row = at;
          cells = [];
          cell = { ...cell, column: -1 };
          characters = 0;
        } else if (name === 'c') {
          const { r, t: type = 'n', s: style = '0' } = attributes;
          const column = r === undefined ? cell.column + 1 : columnOf(r);
          cell = { column, type, style: Number(style) };
          value = null;
        } else if (name === 'v') value = '';
      },
      text(text) {
        inline.add(text);
        if (value !== null) value += text;
      },
      close(name) {
        if (inline.close(name)) value = inline.take();
        if (name === 'c') {
          takeCell(textOf(value ?? '', cell, sheet));
          value = null;
        }
        if (name === 'v') return;
        if (name === 'row') takeRow();
      },
    },
    MAX_SHEET_BYTES,
  );
  while ((await pieces.next()).done !== true) {
    for (const piece of joined(lines.splice(0))) {
      yield piece;
      await turn();
    }
  }
  yield* joined(lines);
}

const PIECE_CHARACTERS = 64 * 1024;

/** Joins lines into pieces that are small enough to be read quickly. */
function* joined(lines: readonly string[]): Generator<Buffer> {
  let held: string[] = [];
  let characters = 0;
  for (const line of lines) {
    held.push(line);
    characters += line.length;
    if (characters < PIECE_CHARACTERS) continue;
    yield Buffer.from(held.join(''));
    held = [];
    characters = 0;
  }
  if (characters > 0) yield Buffer.from(held.join(''));
}

/** `AB12` is in column 27, counted from 0. */
const columnOf = (reference: string): number =>
  [...(/^[A-Z]{1,4}/.exec(reference)?.[0] ?? 'A')].reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  ) - 1;

function textOf(
  value: string,
  { type, style }: { type: string; style: number },
  { shared, dates, epoch }: Sheet,
): string {
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n' || value === '') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  return dates[style] === true ? dateOf(number, epoch) : shownNumber(number);
}

/** Excel keeps 19.99 as 19.989999999999998 at times, and shows the fifteen digits that are exact. */
const shownNumber = (number: number): string => String(Number(number.toPrecision(15)));

const DAY_MS = 86_400_000;

/** A number of days, as a date or as a time without an offset. */
function dateOf(days: number, epoch: number): string {
  const at = new Date(epoch + Math.round((days * DAY_MS) / 1_000) * 1_000);
  if (Number.isNaN(at.getTime())) return String(days);
  const text = at.toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 19);
}
