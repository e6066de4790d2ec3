import { FeedError } from './item.js';
import { ByteCollector, type JsonText, type Splitter } from './json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CLOSING_BRACE = 0x7d;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Splits a JSON array at its commas, because a streaming parser would stop at the first invalid element. */
export class JsonArraySplitter implements Splitter {
  #state: 'before' | 'inside' | 'after' = 'before';
  /** The number of brackets that were opened and not yet closed in the current element of the array. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  #line: number;
  /** The line at which the current element begins; null while only blanks were read. */
  #start: number | null = null;
  #open = new ByteCollector();
  readonly #within: boolean;
  /** What follows the array in the chunk in which it ends; undefined while it has not ended. */
  rest: Buffer | undefined;

  /**
   * @param within whether the array is part of a document: its opening bracket was already read, and the text after its end
   * is left in `rest`.
   */
  constructor({ line = 1, within = false }: { line?: number; within?: boolean } = {}) {
    this.#line = line;
    this.#within = within;
    if (within) this.#state = 'inside';
  }

  *push(chunk: Buffer): Iterable<JsonText> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
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
        if (this.#within && byte !== COMMA) {
          this.rest = chunk.subarray(from);
          return;
        }
      } else this.#step(byte);
    }
    if (this.#state === 'inside') this.#open.add(chunk.subarray(from));
  }

  /** The number of the line that was read last. */
  get line(): number {
    return this.#line;
  }

  *end(): Iterable<JsonText> {
    if (this.#state === 'after') return;
    const start = this.#start;
    // An element whose brackets are closed is complete, even if the end of the array is missing.
    if (start !== null && this.#depth === 0 && !this.#inText) yield { line: start, ...this.#open.take() };
    throw new FeedError(
      this.#depth > 0 || this.#inText
        ? `The feed ends inside the record that begins at line ${start}: it was cut off there, or a bracket or quote is missing.`
        : 'The feed ends before the array does: it was cut off.',
    );
  }

  #enter(byte: number): void {
    if (this.#state === 'after')
      throw new FeedError(`Line ${this.#line}: there is text after the end of the array.`);
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

  /**
   * Returns the element that ends at a comma or at the end of the array. `[]` and a comma before `]` contain
   * no element; nothing between two commas is an invalid element.
   */
  *#element(end: number): Iterable<JsonText> {
    if (end === CLOSING_BRACE)
      throw new FeedError(
        `Line ${this.#line}: there is a } behind an element of the array: a bracket is superfluous or missing.`,
      );
    const piece = { line: this.#start ?? this.#line, ...this.#open.take() };
    if (this.#start !== null || end === COMMA) yield piece;
    this.#start = null;
    if (end !== COMMA) this.#state = 'after';
  }
}
