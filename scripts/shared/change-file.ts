import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { CommandError } from './exit.js';

interface FileProgress {
  cursor: string;
  /** The length of the file, in bytes, at the cursor. Everything after it is part of a page that was not written completely. */
  bytes: number;
}

/** A file of changes, and beside it the cursor. After a crash, lines of a page without its cursor are removed and read again. */
export class ChangeFile {
  /** The cursor at which to continue; null for a new file. */
  readonly cursor: string | null;
  readonly #progressFile: string;
  readonly #descriptor: number;
  #bytes: number;

  constructor(file: string) {
    this.#progressFile = `${file}.cursor`;
    const progress = existsSync(this.#progressFile) ? readProgress(this.#progressFile) : null;
    if (progress === null && existsSync(file))
      throw new CommandError(`${file} exists, but not ${file}.cursor, so it is unknown where to continue.`);
    this.cursor = progress?.cursor ?? null;
    this.#bytes = progress?.bytes ?? 0;
    this.#descriptor = openSync(file, progress === null ? 'wx' : 'r+');
    ftruncateSync(this.#descriptor, this.#bytes);
  }

  append(lines: string, cursor: string): void {
    const bytes = Buffer.from(lines);
    for (let written = 0; written < bytes.length;)
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#bytes + written);
    // The lines must reach the disk before the cursor, because the cursor says that they have been written.
    fdatasyncSync(this.#descriptor);
    this.#bytes += bytes.length;
    const next = `${this.#progressFile}.next`;
    writeFileSync(next, JSON.stringify({ cursor, bytes: this.#bytes } satisfies FileProgress), {
      flush: true,
    });
    renameSync(next, this.#progressFile);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function readProgress(file: string): FileProgress {
  try {
    const { cursor, bytes } = JSON.parse(readFileSync(file, 'utf8')) as Partial<FileProgress>;
    if (typeof cursor === 'string' && Number.isSafeInteger(bytes)) return { cursor, bytes: Number(bytes) };
  } catch {
    // If the file is not JSON, it has no cursor. The error below says so.
  }
  throw new CommandError(`${file} has no cursor. Remove it and the file of changes to begin again.`);
}
