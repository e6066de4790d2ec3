import { MAX_RECORD_BYTES } from './item.js';

/** A row of a CSV feed: one line, or several if a quoted cell contains line breaks. */
export interface CsvRow {
  cells: string[];
  /** The text of the row with its line end. */
  raw: string;
  /** Why the cells are uncertain: a quote is not doubled, or the quote of a cell is not closed up to the end of the feed. */
  problem?: 'stray' | 'open';
}

/** Splits a feed into lines with their ends, one character per byte. @param end the last character of each line. */
export async function* readLines(source: AsyncIterable<Buffer>, end: '\n' | '\r', tooLong: () => Error) {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of source) {
    const text = chunk.toString('latin1');
    const lines = [];
    let from = 0;
    for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, from)) {
      parts.push(text.slice(from, at + 1));
      lines.push(parts.length === 1 ? (parts[0] ?? '') : parts.join(''));
      [parts, length, from] = [[], 0, at + 1];
    }
    parts.push(text.slice(from));
    length += text.length - from;
    yield lines;
    if (length > MAX_RECORD_BYTES) throw tooLong();
  }
  if (length > 0) yield [parts.join('')];
}

/**
 * Assembles the rows of a CSV feed from its lines. A quote of a text such as `"Hero" figure 12"` must affect no other row,
 * so a quoted cell continues in the next line only if it is closed there, and if the lines that it would span are not
 * complete rows by themselves. In feeds that are separated by tabs, a quote that encloses no cell is a character.
 * @param quotes whether quotes may enclose cells. @param columns returns the number of columns; null until the header is known.
 */
export function rowAssembler(delimiter: string, quotes: boolean, columns: () => number | null) {
  /** The lines that are held until a quoted cell that begins in the first of them is closed. */
  let held: string[] = [];
  let heldBytes = 0;
  let quoted = quotedCells(delimiter);
  const split = (line: string): string[] => line.slice(0, lengthOf(line)).split(delimiter);

  /** Adds a line. @returns the rows that are complete, in order. */
  function* push(line: string): Generator<CsvRow> {
    if (!quotes || (held.length === 0 && !line.includes('"'))) {
      yield { cells: split(line), raw: line };
      return;
    }
    held.push(line);
    heldBytes += line.length;
    const state = quoted.push(line);
    if (state !== 'open' || heldBytes > MAX_RECORD_BYTES) yield* release(state);
  }

  function* release(state: CellState): Generator<CsvRow> {
    const lines = held;
    const { cells } = quoted;
    [held, heldBytes, quoted] = [[], 0, quotedCells(delimiter)];
    const [first = ''] = lines;
    // If the first line is a complete row, a quote that is not doubled affects only this line.
    const isStray = state === 'stray' && lines.length > 1 && split(first).length === columns();
    if (isStray || areRows(lines, state)) {
      // The first line is a row of its own, although one of its quotes is not closed or not doubled.
      if (delimiter === '\t') yield { cells: split(first).map(unquoted), raw: first };
      else yield { cells: split(first), raw: first, problem: 'stray' };
      for (const line of lines.slice(1)) yield* push(line);
      return;
    }
    const raw = lines.join('');
    yield state === 'whole' ? { cells, raw } : { cells: split(first), raw, problem: state };
  }

  /** Whether each line is a row by itself, so that its quotes do not enclose line breaks. */
  const areRows = (lines: readonly string[], state: CellState): boolean => {
    const isSingle = lines.length === 1;
    if (isSingle && state === 'whole' && delimiter !== '\t') return false;
    const rows = lines.filter((line) => line.trim() !== '').map(split);
    const complete = rows.filter(({ length }) => length === columns());
    if (2 * complete.length <= rows.length) return false;
    if (delimiter === '\t') return true;
    // A last line whose quote is not closed is cut off.
    if (isSingle) return state === 'stray' || /[\r\n]$/.test(lines[0] ?? '');
    return state !== 'whole' || areAlike(complete);
  };

  return {
    push,
    /** Returns the rows that were held at the end of the feed. */
    *end(): Generator<CsvRow> {
      while (held.length > 0) yield* release('open');
    },
  };
}

/** The length of a line without its line end. */
function lengthOf(line: string): number {
  if (line.endsWith('\r\n')) return line.length - 2;
  return line.endsWith('\n') || line.endsWith('\r') ? line.length - 1 : line.length;
}

/** Whether rows have numbers and URLs in the same columns, as the rows of a table have. Cells with quotes do not count. */
function areAlike(rows: readonly string[][]): boolean {
  const [first = []] = rows;
  const kinds = first.map((_, column) => {
    const cells = rows.map((row) => row[column] ?? '');
    return cells.some((cell) => cell.includes('"')) ? new Set<string>() : new Set(cells.map(kindOf));
  });
  for (const kind of kinds) kind.delete('blank');
  return kinds.every(({ size }) => size <= 1) && kinds.some((kind) => kind.size === 1 && !kind.has('text'));
}

function kindOf(cell: string): 'blank' | 'url' | 'number' | 'text' {
  if (cell.trim() === '') return 'blank';
  return /^https?:/i.test(cell) ? 'url' : /^\W?\d/.test(cell) ? 'number' : 'text';
}

/** Removes the quotes that enclose a cell, if all quotes in it are doubled. */
const unquoted = (cell: string): string =>
  /^"(?:[^"]|"")*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;

/** Whether the cells that were read are complete, the last one is open, or a quote in one of them is not doubled. */
type CellState = 'whole' | 'open' | 'stray';

/** Splits lines into cells that may be enclosed in quotes. */
function quotedCells(delimiter: string) {
  const cells: string[] = [];
  /** The lines so far of a quoted cell that is not closed yet, each with its line end. */
  let open: string[] | null = null;
  const push = (text: string): CellState => {
    const line = text.slice(0, lengthOf(text));
    for (let at = 0; ;) {
      if (open === null && line[at] !== '"') {
        const padded = paddedCell(line, at, delimiter);
        const end = line.indexOf(delimiter, padded?.end ?? at);
        cells.push(padded?.text ?? line.slice(at, end < 0 ? undefined : end));
        if (end < 0) return 'whole';
        at = end + 1;
        continue;
      }
      const from = open === null ? at + 1 : at;
      const end = closingQuote(line, from);
      open ??= [];
      if (end < 0) {
        open.push(text.slice(from));
        return 'open';
      }
      open.push(line.slice(from, end));
      cells.push(open.join('').replaceAll('""', '"'));
      open = null;
      if (end + 1 === line.length) return 'whole';
      if (line[end + 1] !== delimiter) return 'stray';
      at = end + 2;
    }
  };
  return { cells, push };
}

/** A cell in quotes with blanks around them, as in `1, "Pan, black", 9.90`; null if there is none. */
function paddedCell(line: string, at: number, delimiter: string): { text: string; end: number } | null {
  const opening = afterBlanks(line, at);
  if (delimiter === '\t' || line[opening] !== '"') return null;
  const closing = closingQuote(line, opening + 1);
  const end = afterBlanks(line, closing + 1);
  if (closing < 0 || (end < line.length && line[end] !== delimiter)) return null;
  return { text: line.slice(opening + 1, closing).replaceAll('""', '"'), end };
}

function afterBlanks(line: string, from: number): number {
  let at = from;
  while (line[at] === ' ') at += 1;
  return at;
}

/** The position of the next quote that is not doubled; -1 if there is none. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at >= 0 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at;
}
