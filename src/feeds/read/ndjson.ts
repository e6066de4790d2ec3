import { FeedError } from './item.js';
import { Collector, type Piece, type Splitter } from './json.js';

const LINE_FEED = 0x0a;

/** One record a line; blank lines are skipped. */
export class NdjsonSplitter implements Splitter {
  #line: number;
  #open = new Collector();

  constructor(line = 1) {
    this.#line = line;
  }

  *push(chunk: Buffer): Iterable<Piece> {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      if (to === from && this.#open.bytes === 0) {
        this.#line += 1;
        from += 1;
        continue;
      }
      this.#open.add(chunk.subarray(from, to));
      const piece = { line: this.#line, ...this.#open.take() };
      if (piece.text.trim() !== '') yield piece;
      this.#line += 1;
      from = to + 1;
    }
    if (from < chunk.length) this.#open.add(chunk.subarray(from));
  }

  *end(): Iterable<Piece> {
    const piece = { line: this.#line, ...this.#open.take() };
    if (piece.text.trim() === '') return;
    if (!isJson(piece.text)) {
      throw new FeedError(`The feed ends in the middle of line ${piece.line}: it was cut off.`);
    }
    yield piece;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
