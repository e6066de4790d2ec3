import { setImmediate as turn } from 'node:timers/promises';
import { Unzip, UnzipInflate, type UnzipFile, UnzipPassThrough } from 'fflate';
import { FeedError } from './item.js';

/** Small steps bound what a bomb can expand to before it is looked at: a thousandfold of this. Larger buffers also leave gaps. */
const STEP_BYTES = 4 * 1024;

/** The library keeps an entry for each file, and the cost of each grows with the files before it. */
const MAX_FILES = 10_000;

/** What archivers add of their own accord. */
const BESIDE = /(^|\/)(\.|__MACOSX\/)|\/$/;

/** A file in an archive, while it comes in. */
interface Opened {
  name: string;
  pieces: Buffer[];
  ended: boolean;
}

/** An archive that is damaged, or has not come in as a whole. */
export class ZipError extends FeedError {
  override name = 'ZipError';
}

/**
 * Unpacks the files of a zip archive, one after another, as they come in: also from standard input. Each has to be read
 * to its end before the next.
 * @throws ZipError after the last readable byte.
 */
export async function* readZip(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ name: string; chunks: AsyncGenerator<Buffer> }> {
  const archive = new Archive(source);
  try {
    let any = false;
    for (let file = await archive.next(); file !== null; file = await archive.next()) {
      any = true;
      yield { name: file.name, chunks: archive.read(file) };
    }
    if (!any) throw new ZipError('The zip archive holds no file.');
  } finally {
    await archive.close();
  }
}

class Archive {
  readonly #unzip = new Unzip();
  readonly #steps: AsyncGenerator<Uint8Array>;
  readonly #files: Opened[] = [];
  #found = 0;
  #failure: string | undefined;

  constructor(source: AsyncIterable<Buffer>) {
    this.#steps = stepsOf(source);
    this.#unzip.register(UnzipInflate);
    this.#unzip.register(UnzipPassThrough);
    this.#unzip.onfile = (file) => this.#take(file);
  }

  /** @returns null behind the last one. */
  async next(): Promise<Opened | null> {
    while (this.#files.length === 0 && (await this.#step()));
    this.#check();
    return this.#files.shift() ?? null;
  }

  async *read(file: Opened): AsyncGenerator<Buffer> {
    for (;;) {
      yield* file.pieces.splice(0);
      this.#check();
      if (file.ended) return;
      if (!(await this.#step()) && !file.ended) throw new ZipError('The zip archive is cut off.');
    }
  }

  close = (): Promise<unknown> => this.#steps.return(undefined);

  /** @returns false at its end. */
  async #step(): Promise<boolean> {
    const step = await this.#steps.next();
    if (step.done === true) return false;
    try {
      this.#unzip.push(step.value, false);
    } catch (error) {
      this.#failure ??= `The zip archive is damaged (${(error as Error).message}).`;
    }
    return this.#failure === undefined;
  }

  #take(packed: UnzipFile): void {
    this.#found += 1;
    if (this.#found > MAX_FILES) {
      this.#failure ??= `The zip archive holds more than ${MAX_FILES.toLocaleString('en-US')} files.`;
      return;
    }
    if (BESIDE.test(packed.name)) return;
    const file: Opened = { name: packed.name, pieces: [], ended: false };
    this.#files.push(file);
    packed.ondata = (error, chunk, final) => {
      if (error !== null) this.#failure ??= `The zip archive is damaged (${error.message}).`;
      else file.pieces.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      file.ended ||= final;
    };
    packed.start();
  }

  #check(): void {
    if (this.#failure !== undefined) throw new ZipError(this.#failure);
  }
}

/** The library keeps what it is given: copies. */
async function* stepsOf(source: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      yield Uint8Array.from(chunk.subarray(at, at + STEP_BYTES));
      // Signals are handled between steps.
      await turn();
    }
  }
}
