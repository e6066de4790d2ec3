import { parseJson } from '../../platform/parse-json.js';
import { FeedError, MAX_RAW_TEXT } from './item.js';
import { ByteCollector, type JsonText, type Splitter } from './json.js';

const [QUOTE, BACKSLASH, COLON, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\:,[]{}');
const LINE_FEED = 0x0a;
const BLANK: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r'));

/** The maximum number of characters of a JSON key that are compared with the path of the records. */
const MAX_KEY_LENGTH = 256;
const MAX_DEPTH = 1_000;

/** The maximum number of documents without the array that are reported. */
const MAX_MISSING = 1_000;

/**
 * Splits a JSON feed at the commas of the array of its records, because a streaming parser would stop at the first invalid
 * element. With a path such as `data.products`, the array stands there in each JSON document of the feed; without one, the feed
 * is the array. If an array is reached before the end of the path, such as `products` of `products.variants`, its elements are
 * returned with the rest of the path, because the members of each are part of the records within it.
 */
export class JsonArraySplitter implements Splitter {
  #line: number;
  #isInText = false;
  #escaped = false;
  /** Whether the reader is inside the array of records, where elements are divided. Outside, it searches for the array. */
  #isInRecords = false;
  /** The number of brackets that are open in the current element of the array, and the line at which it begins. */
  #depth = 0;
  #start: number | null = null;
  #element = new ByteCollector();
  /** The path of the records within the elements of the array. */
  #within = '';
  /** The brackets that are open outside of elements, and the key that was read last in each. */
  readonly #isList: boolean[] = [];
  readonly #keys: string[] = [];
  /** The text that was read last outside of elements, one character for each byte. */
  #text = '';
  /** Where the current document begins, its beginning, one character for each byte, and its size if it has no array at the path. */
  #document = { line: 1, text: '', bytes: 0 };
  #isFound = false;
  /** Whether any document so far had the array. */
  #isAnyFound = false;
  /** The documents without the array that were read before the first document that has it. They are reported at the end. */
  readonly #missing: JsonText[] = [];

  /** @param path the path of the array of records; undefined if the feed itself is the array. */
  constructor(
    private readonly path: string | undefined,
    line = 1,
  ) {
    this.#line = line;
  }

  *push(chunk: Buffer): Iterable<JsonText> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.#line += 1;
      if (!this.#isInRecords) {
        this.#search(byte);
        if (!this.#isInRecords) continue;
        yield* this.#missing.splice(0);
        from = at + 1;
      } else if (this.#isInText) this.#stepInText(byte);
      else if (BLANK.has(byte)) continue;
      else if (this.#depth === 0 && (byte === COMMA || isClosing(byte))) {
        this.#element.add(chunk.subarray(from, at));
        from = at + 1;
        yield* this.#endElement(byte);
      } else {
        this.#start ??= this.#line;
        if (byte === QUOTE) this.#isInText = true;
        else if (isOpening(byte)) this.#depth += 1;
        else if (isClosing(byte)) this.#depth -= 1;
      }
    }
    if (this.#isInRecords) this.#element.add(chunk.subarray(from));
    else if (this.#isAnyFound) yield* this.#missing.splice(0);
  }

  *end(): Iterable<JsonText> {
    if (this.#isInRecords || (this.path === undefined && !this.#isAnyFound)) yield* this.#endCutOff();
    if (this.#isList.length > 0)
      throw new FeedError(
        `The feed ends inside the document that begins at line ${this.#document.line}: it was cut off.`,
      );
    if (!this.#isAnyFound) throw new FeedError(`The feed has no array at ${this.path}.`);
    yield* this.#missing.splice(0);
  }

  /** @throws FeedError, because the feed ends within or before the array. */
  *#endCutOff(): Iterable<JsonText> {
    const start = this.#start;
    const isOpen = this.#depth > 0 || this.#isInText;
    // An element whose brackets are closed is complete, even if the end of the array is missing.
    if (start !== null && !isOpen) yield this.#takeElement(start);
    throw new FeedError(
      isOpen
        ? `The feed ends inside the record that begins at line ${start}: it was cut off there, or a bracket or quote is missing.`
        : 'The feed ends before the array does: it was cut off.',
    );
  }

  #takeElement(line: number): JsonText {
    const element = { line, ...this.#element.take() };
    return this.#within === '' ? element : { ...element, within: this.#within };
  }

  #stepInText(byte: number): void {
    if (byte === QUOTE && !this.#escaped) this.#isInText = false;
    this.#escaped = byte === BACKSLASH && !this.#escaped;
  }

  /** Returns the element that ends here: an invalid one between two commas, none in `[]` and after a comma before `]`. */
  *#endElement(end: number): Iterable<JsonText> {
    if (end === CLOSE_OBJECT)
      throw new FeedError(
        `Line ${this.#line}: there is a } behind an element of the array: a bracket is superfluous or missing.`,
      );
    const element = this.#takeElement(this.#start ?? this.#line);
    if (this.#start !== null || end === COMMA) yield element;
    this.#start = null;
    if (end === COMMA) return;
    this.#isInRecords = false;
    if (this.path !== undefined) this.#close(true);
  }

  /** Reads a byte outside of the array of the records. */
  #search(byte: number): void {
    if (this.path === undefined) return this.#searchWholeFeed(byte);
    const isOutside = this.#isList.length === 0;
    if (!isOutside) this.#keep(byte);
    if (this.#isInText) {
      this.#stepInText(byte);
      if (this.#isInText && this.#text.length < MAX_KEY_LENGTH) this.#text += String.fromCharCode(byte);
    } else if (isOpening(byte)) this.#open(byte, this.path);
    else if (isOutside) {
      if (!/\s/.test(String.fromCharCode(byte)))
        throw new FeedError(`Line ${this.#line}: there is text after the end of the document.`);
    } else if (byte === QUOTE) [this.#isInText, this.#text] = [true, ''];
    else if (byte === COLON) this.#keys[this.#isList.length - 1] = keyOf(this.#text);
    else if (isClosing(byte)) this.#close(byte === CLOSE_LIST);
  }

  #searchWholeFeed(byte: number): void {
    if (BLANK.has(byte)) return;
    if (this.#isAnyFound)
      throw new FeedError(`Line ${this.#line}: there is text after the end of the array.`);
    if (byte !== OPEN_LIST)
      throw new FeedError(`Line ${this.#line}: a JSON feed has to be an array of records.`);
    [this.#isInRecords, this.#isAnyFound] = [true, true];
  }

  #open(byte: number, path: string): void {
    const isList = byte === OPEN_LIST;
    if (this.#isList.length === 0) {
      this.#document = { line: this.#line, text: '', bytes: 0 };
      this.#keep(byte);
      this.#isFound = false;
    }
    if (this.#isList.length === MAX_DEPTH)
      throw new FeedError(`Line ${this.#line}: the document is nested deeper than ${MAX_DEPTH} levels.`);
    const within = isList ? this.#pathWithin(path) : null;
    this.#isList.push(isList);
    if (within === null) return;
    this.#within = within;
    [this.#isInRecords, this.#isFound, this.#isAnyFound] = [true, true, true];
  }

  #keep(byte: number): void {
    this.#document.bytes += 1;
    // A character has up to 4 bytes.
    if (this.#document.bytes <= 4 * MAX_RAW_TEXT) this.#document.text += String.fromCharCode(byte);
  }

  /** If the list that begins here is on the path, the rest of the path within it; otherwise null. */
  #pathWithin(path: string): string | null {
    if (this.#isList.includes(true)) return null;
    const here = this.#keys.slice(0, this.#isList.length).join('.');
    if (here === '' || here === path) return here === '' ? path : '';
    return path.startsWith(`${here}.`) ? path.slice(here.length + 1) : null;
  }

  #close(isList: boolean): void {
    if (this.#isList.pop() !== isList)
      throw new FeedError(`Line ${this.#line}: there is a ${isList ? ']' : '}'} that closes nothing.`);
    this.#keys.length = Math.min(this.#keys.length, this.#isList.length);
    if (this.#isList.length === 0 && !this.#isFound && this.#missing.length < MAX_MISSING)
      this.#missing.push({
        ...this.#document,
        text: Buffer.from(this.#document.text, 'latin1').toString(),
        isUtf8: true,
        error: `record: the document has no array at ${this.path}`,
      });
  }
}

const isOpening = (byte: number): boolean => byte === OPEN_LIST || byte === OPEN_OBJECT;
const isClosing = (byte: number): boolean => byte === CLOSE_LIST || byte === CLOSE_OBJECT;

/** Decodes a key from its bytes, and from the escapes of JSON. */
function keyOf(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString();
  return String(parseJson(`"${text}"`) ?? text);
}
