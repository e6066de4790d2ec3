import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FeedError } from '../../src/feeds/read/feed.js';
import type { OpenFeed } from '../../src/usecases/ingest/feed-source.js';

/** The number of bytes that are kept in memory before a file is created. */
const MEMORY_BYTES = 4 * 1024 ** 2;
/** The maximum size of a stream that is kept. */
const MAX_BYTES = 8 * 1024 ** 3;

/**
 * Makes a stream readable several times, one reader after another. What was read is kept in memory and, if it is longer,
 * in a temporary file, which has no name, so that it disappears with the process.
 */
export class Spool {
  #source: { feed: OpenFeed; rest: AsyncIterator<Buffer> } | null = null;
  /** The beginning of the stream. */
  #file: { fd: number; bytes: number } | null = null;
  /** The chunks after it. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #end: { error?: unknown } | null = null;
  #failure: FeedError | null = null;
  #isOpen = false;
  #isReleased = false;

  /** @param start opens the stream; called once. */
  constructor(private readonly start: () => OpenFeed) {}

  /** Opens the stream from its beginning. */
  open(): OpenFeed {
    this.#isOpen = true;
    let position = 0;
    const read = async function* (this: Spool) {
      for await (const chunk of this.#chunks()) {
        position += chunk.length;
        yield chunk;
      }
    };
    return {
      chunks: read.call(this),
      position: () => position,
      charset: () => this.#source?.feed.charset?.() ?? null,
      close: () => {
        this.#isOpen = false;
        if (this.#isReleased) this.#close();
      },
    };
  }

  /** Notes that nothing more has to be kept, because the stream is not opened again. */
  release(): void {
    this.#isReleased = true;
    if (!this.#isOpen) this.#close();
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#file !== null) {
      const { fd, bytes } = this.#file;
      const file: AsyncIterable<Buffer> = createReadStream('', {
        fd,
        end: bytes - 1,
        start: 0,
        autoClose: false,
      });
      yield* file;
    }
    yield* this.#kept;
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk;
  }

  /** Returns the next chunk that was never read before; null at the end. */
  async #next(): Promise<Buffer | null> {
    if (this.#end === null) {
      try {
        if (this.#source === null) {
          const feed = this.start();
          this.#source = { feed, rest: feed.chunks[Symbol.asyncIterator]() };
        }
        const next = await this.#source.rest.next();
        if (next.done !== true) {
          if (!this.#isReleased) this.#keep(next.value);
          return next.value;
        }
        this.#end = {};
      } catch (error) {
        this.#end = { error };
      }
    }
    if ('error' in this.#end) throw this.#end.error;
    return null;
  }

  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes < MEMORY_BYTES) return;
    const before = this.#file?.bytes ?? 0;
    if (before + this.#keptBytes > MAX_BYTES) throw this.#fail('it is longer than 8 GB');
    const folder = temporaryFolder();
    try {
      this.#file ??= { fd: unnamedFile(folder), bytes: 0 };
      for (const kept of this.#kept) writeWhole(this.#file.fd, kept);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw this.#fail(`${folder} does not accept it (${code}); TMPDIR names another folder`);
    }
    this.#file.bytes = before + this.#keptBytes;
    this.#kept = [];
    this.#keptBytes = 0;
  }

  #fail(why: string): FeedError {
    return (this.#failure = new FeedError(
      `A feed of listings that are stored is read twice, and this stream cannot be kept for that: ${why}. Save the feed to a file and load the file.`,
    ));
  }

  #close(): void {
    this.#source?.feed.close();
    this.#kept = [];
    if (this.#file !== null) closeSync(this.#file.fd);
    this.#file = null;
  }
}

/** Returns TMPDIR if it is set. Otherwise /var/tmp has precedence, because /tmp is often in memory. */
function temporaryFolder(): string {
  const folder = tmpdir();
  if (folder !== '/tmp') return folder;
  try {
    accessSync('/var/tmp', constants.W_OK);
    return '/var/tmp';
  } catch {
    return folder;
  }
}

function unnamedFile(parent: string): number {
  const folder = mkdtempSync(path.join(parent, 'catalogue-feed-'));
  try {
    return openSync(path.join(folder, 'feed'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeWhole(file: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
}
