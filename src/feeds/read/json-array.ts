import { FeedError } from './item.js';
import { ByteCollector, type JsonText, type Splitter } from './json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Splits a JSON array at its commas, so that each element is parsed by itself. A streaming parser would stop
 * at the first invalid element.
 */
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

  /**
   * Creates a splitter of a JSON array.
   * @param within whether the opening bracket of the array was already read. Then text after the array is
   * ignored.
   */
  constructor({ line = 1, within = false }: { line?: number; within?: boolean } = {}) {
    this.#line = line;
    this.#within = within;
    if (within) this.#state = 'inside';
  }

  *push(chunk: Buffer): Iterable<JsonText> {
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
    const piece = { line: this.#start ?? this.#line, ...this.#open.take() };
    if (this.#start !== null || end === COMMA) yield piece;
    this.#start = null;
    if (end !== COMMA) this.#state = 'after';
  }
}

/** The maximum number of characters of a JSON key that are compared with the path of the records. */
const MAX_KEY_LENGTH = 256;

/** Splits the array at a path in a JSON document, such as `data.products`, and ignores the text around it. */
export class JsonPathSplitter implements Splitter {
  readonly #keys: string[] = [];
  #isArray: boolean[] = [];
  #text: string | null = null;
  #last = '';
  #escaped = false;
  #line: number;
  #array: JsonArraySplitter | null = null;

  constructor(
    private readonly path: string,
    line = 1,
  ) {
    this.#line = line;
  }

  *push(chunk: Buffer): Iterable<JsonText> {
    let from = 0;
    while (this.#array === null && from < chunk.length) this.#step(chunk[from++] ?? 0);
    if (this.#array !== null) yield* this.#array.push(chunk.subarray(from));
  }

  *end(): Iterable<JsonText> {
    if (this.#array === null) throw new FeedError(`The feed has no array at ${this.path}.`);
    yield* this.#array.end();
  }

  #step(byte: number): void {
    const character = String.fromCharCode(byte);
    if (character === '\n') this.#line += 1;
    if (this.#text !== null) this.#stepInText(this.#text, character);
    else if (character === '"') this.#text = '';
    else if (character === ':') this.#keys[this.#isArray.length - 1] = this.#last;
    else if (character === '{' || character === '[') this.#open(character === '[');
    else if (character === '}' || character === ']') {
      this.#isArray.pop();
      this.#keys.length = Math.min(this.#keys.length, this.#isArray.length);
    }
  }

  #open(isArray: boolean): void {
    const here = this.#isArray.includes(true) ? null : this.#keys.slice(0, this.#isArray.length).join('.');
    if (isArray && here === this.path)
      this.#array = new JsonArraySplitter({ line: this.#line, within: true });
    else this.#isArray.push(isArray);
  }

  #stepInText(text: string, character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') {
      this.#last = text;
      this.#text = null;
    } else if (text.length < MAX_KEY_LENGTH) this.#text = text + character;
  }
}
