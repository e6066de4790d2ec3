import { parseJson } from '../../platform/parse-json.js';
import { FeedError, MAX_RAW_TEXT } from './item.js';
import { JsonArraySplitter } from './json-array.js';
import type { JsonText, Splitter } from './json.js';

/** The maximum number of characters of a JSON key that are compared with the path of the records. */
const MAX_KEY_LENGTH = 256;
const MAX_DEPTH = 1_000;

/**
 * Splits the array at a path in each JSON document of a feed, such as `data.products`, and ignores the other members of the
 * documents. If an array is reached before the end of the path, such as `products` of `products.variants`, its elements are
 * returned with the rest of the path, because the members of each are part of the records within it.
 */
export class JsonPathSplitter implements Splitter {
  readonly #keys: string[] = [];
  readonly #isArray: boolean[] = [];
  /** The characters of the text that is being read, one for each byte; null outside of texts. */
  #text: string | null = null;
  #last = '';
  #escaped = false;
  #line: number;
  #array: JsonArraySplitter | null = null;
  /** The path of the records within the elements of the array. */
  #within = '';
  /** Where the current document begins, its beginning, one character for each byte, and its size if it has no array at the path. */
  #document = { line: 1, text: '', bytes: 0 };
  #isFound = false;
  /** Whether a document had the array. */
  #isAnyFound = false;
  /** The documents without the array that have not been returned: those before the first one that has it. */
  readonly #missing: JsonText[] = [];

  constructor(
    private readonly path: string,
    line = 1,
  ) {
    this.#line = line;
  }

  *push(chunk: Buffer): Iterable<JsonText> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#array === null) rest = rest.subarray(this.#scan(rest));
      if (this.#isAnyFound) yield* this.#missing.splice(0);
      if (this.#array === null) continue;
      for (const element of this.#array.push(rest))
        yield this.#within === '' ? element : { ...element, within: this.#within };
      if (this.#array.rest === undefined) return;
      rest = this.#array.rest;
      this.#line = this.#array.line;
      this.#array = null;
      this.#close(true);
    }
  }

  *end(): Iterable<JsonText> {
    if (this.#array !== null) yield* this.#array.end();
    if (this.#isArray.length > 0 || this.#text !== null)
      throw new FeedError(
        `The feed ends inside the document that begins at line ${this.#document.line}: it was cut off.`,
      );
    if (!this.#isAnyFound) throw new FeedError(`The feed has no array at ${this.path}.`);
    yield* this.#missing.splice(0);
  }

  /** Reads up to the beginning of the array or the end of the chunk. Returns the number of bytes that were read. */
  #scan(chunk: Buffer): number {
    for (let at = 0; at < chunk.length; at++) {
      this.#step(String.fromCharCode(chunk[at] ?? 0));
      if (this.#array !== null) return at + 1;
    }
    return chunk.length;
  }

  #step(character: string): void {
    if (character === '\n') this.#line += 1;
    if (this.#isArray.length > 0) this.#keep(character);
    if (this.#text !== null) this.#stepInText(this.#text, character);
    else if (character === '{' || character === '[') this.#open(character === '[');
    else if (this.#isArray.length === 0) {
      if (!/\s/.test(character))
        throw new FeedError(`Line ${this.#line}: there is text after the end of the document.`);
    } else if (character === '"') this.#text = '';
    else if (character === ':') this.#keys[this.#isArray.length - 1] = this.#last;
    else if (character === '}' || character === ']') this.#close(character === ']');
  }

  #open(isArray: boolean): void {
    if (this.#isArray.length === 0) {
      this.#document = { line: this.#line, text: '', bytes: 0 };
      this.#keep(isArray ? '[' : '{');
      this.#isFound = false;
    }
    if (this.#isArray.length === MAX_DEPTH)
      throw new FeedError(`Line ${this.#line}: the document is nested deeper than ${MAX_DEPTH} levels.`);
    const within = isArray ? this.#pathWithin() : null;
    this.#isArray.push(isArray);
    if (within === null) return;
    this.#within = within;
    this.#array = new JsonArraySplitter({ line: this.#line, within: true });
    this.#isFound = true;
    this.#isAnyFound = true;
  }

  #keep(character: string): void {
    this.#document.bytes += 1;
    // A character has up to 4 bytes.
    if (this.#document.bytes <= 4 * MAX_RAW_TEXT) this.#document.text += character;
  }

  /** The rest of the path within the array that begins here; null if the array is not on the path. */
  #pathWithin(): string | null {
    if (this.#isArray.includes(true)) return null;
    const here = this.#keys.slice(0, this.#isArray.length).join('.');
    if (here === '' || here === this.path) return here === '' ? this.path : '';
    return this.path.startsWith(`${here}.`) ? this.path.slice(here.length + 1) : null;
  }

  #close(isArray: boolean): void {
    if (this.#isArray.pop() !== isArray)
      throw new FeedError(`Line ${this.#line}: there is a ${isArray ? ']' : '}'} that closes nothing.`);
    this.#keys.length = Math.min(this.#keys.length, this.#isArray.length);
    if (this.#isArray.length === 0 && !this.#isFound && this.#missing.length < MAX_MISSING)
      this.#missing.push({
        ...this.#document,
        text: Buffer.from(this.#document.text, 'latin1').toString(),
        isUtf8: true,
        error: `record: the document has no array at ${this.path}`,
      });
  }

  #stepInText(text: string, character: string): void {
    if (!this.#escaped && character === '"') {
      this.#last = keyOf(text);
      this.#text = null;
      return;
    }
    this.#escaped = !this.#escaped && character === '\\';
    if (text.length < MAX_KEY_LENGTH) this.#text = text + character;
  }
}

/** The maximum number of documents without the array that are reported. */
const MAX_MISSING = 1_000;

/** Decodes a key from its bytes, and from the escapes of JSON. */
function keyOf(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString();
  return String(parseJson(`"${text}"`) ?? text);
}
