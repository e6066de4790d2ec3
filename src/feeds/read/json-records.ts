import { FeedError } from './item.js';
import { JsonArraySplitter } from './json-array.js';
import type { Piece, Splitter } from './json.js';

const LONGEST_KEY = 256;

/** Cuts the array at a path of keys in a JSON document, such as `data.products`. What stands around it is not looked at. */
export class JsonRecordsSplitter implements Splitter {
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

  *push(chunk: Buffer): Iterable<Piece> {
    let from = 0;
    while (this.#array === null && from < chunk.length) this.#step(chunk[from++] ?? 0);
    if (this.#array !== null) yield* this.#array.push(chunk.subarray(from));
  }

  *end(): Iterable<Piece> {
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
    } else if (text.length < LONGEST_KEY) this.#text = text + character;
  }
}
