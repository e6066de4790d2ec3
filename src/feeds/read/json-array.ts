import { FeedError } from './item.js';
import { Collector, type Piece, type Splitter } from './json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Cuts a JSON array at its own commas, without parsing the elements: streaming parsers give up at the first bad
 * element, a data team wants the others.
 */
export class JsonArraySplitter implements Splitter {
  #state: 'before' | 'inside' | 'after' = 'before';
  /** Brackets open inside the element. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  #line: number;
  /** Where the element begins; null: only blanks of it so far. */
  #start: number | null = null;
  #open = new Collector();
  readonly #within: boolean;

  /** @param within it stands in a document, and its bracket was read already: what comes behind it is not looked at. */
  constructor({ line = 1, within = false }: { line?: number; within?: boolean } = {}) {
    this.#line = line;
    this.#within = within;
    if (within) this.#state = 'inside';
  }

  *push(chunk: Buffer): Iterable<Piece> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#within && this.#state === 'after') return;
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#inText) this.#stepInText(byte);
      else if (BLANK.has(byte)) continue;
      else if (this.#state !== 'inside') {
        this.#enter(byte);
        from = at + 1;
      } else if (this.#depth === 0 && (byte === COMMA || CLOSING.has(byte))) {
        this.#open.add(chunk.subarray(from, at));
        from = at + 1;
        yield* this.#element(byte);
      } else this.#step(byte);
    }
    if (this.#state === 'inside') this.#open.add(chunk.subarray(from));
  }

  *end(): Iterable<Piece> {
    if (this.#state === 'after') return;
    const start = this.#start;
    // An element that is closed is complete, even if the array is not.
    if (start !== null && this.#depth === 0 && !this.#inText) yield { line: start, ...this.#open.take() };
    throw new FeedError(
      this.#depth > 0 || this.#inText
        ? `The feed ends inside the record that begins at line ${start}: it was cut off there, or a bracket or quote is missing.`
        : 'The feed ends before the array does: it was cut off.',
    );
  }

  #enter(byte: number): void {
    if (this.#state === 'after')
      throw new FeedError(`Line ${this.#line}: there is text behind the end of the array.`);
    if (byte !== 0x5b) throw new FeedError(`Line ${this.#line}: a JSON feed has to be an array of records.`);
    this.#state = 'inside';
  }

  #step(byte: number): void {
    this.#start ??= this.#line;
    if (byte === QUOTE) this.#inText = true;
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#depth -= 1;
  }

  #stepInText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  /** `[]` and a comma before `]` hold no element; an empty place between two commas is one, and bad. */
  *#element(end: number): Iterable<Piece> {
    const piece = { line: this.#start ?? this.#line, ...this.#open.take() };
    if (this.#start !== null || end === COMMA) yield piece;
    this.#start = null;
    if (end !== COMMA) this.#state = 'after';
  }
}
