import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperationError } from './operation-errors.js';

/** Where stored pictures are, and how much space they may take. */
export interface PictureSettings {
  folder: string;
  maxBytes: number;
}

/** The path at which the service serves the pictures. */
export const PICTURES_PATH = '/pictures';

/** The name of a picture: the SHA-256 of its content. */
const STORED = /^[0-9a-f]{64}\.webp$/;
/** A file is renamed when it is complete, so that one that a killed process has begun is never served. */
const WRITTEN = /^([0-9a-f]{64})\.(?:webp|partial)$/;

/** The path of a stored picture, by the SHA-256 of its content. */
export const picturePath = (sha256: string): string => `${PICTURES_PATH}/${sha256}.webp`;

/** Reads a stored picture; null if there is none, or if the name is not that of a stored picture. */
export async function readPicture(folder: string, name: string): Promise<Buffer | null> {
  if (!STORED.test(name)) return null;
  return readFile(path.join(folder, name)).catch(() => null);
}

/**
 * How old a file must be in ms to be deleted because no listing has it. Another process may have written it and not yet
 * stored its name in a listing.
 */
const SETTLED_MS = 60 * 60 * 1000;

/** The stored pictures, for commands that add and delete some. A picture of several listings is stored once. */
export class PictureFolder {
  /** The SHA-256 of each picture with its size in bytes, beginning with the one that was written first. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  /** The pictures that may be deleted if no listing has them. */
  readonly settled: string[] = [];

  private constructor(private readonly settings: PictureSettings) {}

  /** Opens the folder, and creates it if there is none. @throws OperationError if it cannot be used. */
  static async open(settings: PictureSettings, now: Date): Promise<PictureFolder> {
    const pictures = new PictureFolder(settings);
    try {
      await mkdir(settings.folder, { recursive: true });
      await pictures.#read(now.getTime() - SETTLED_MS);
    } catch (error) {
      const message = `PICTURES_FOLDER ${settings.folder} cannot be used: ${(error as Error).message}`;
      throw new OperationError(message, { cause: error });
    }
    return pictures;
  }

  async #read(settledUntil: number): Promise<void> {
    const found: { sha256: string; size: number; at: number }[] = [];
    for (const name of await readdir(this.settings.folder)) {
      const [, sha256] = WRITTEN.exec(name) ?? [];
      if (sha256 === undefined) continue;
      const file = await lstat(path.join(this.settings.folder, name)).catch(() => null);
      if (file?.isFile()) found.push({ sha256, size: file.size, at: file.mtimeMs });
    }
    for (const { sha256, size, at } of found.sort((one, other) => one.at - other.at)) {
      this.#note(sha256, size);
      if (at < settledUntil) this.settled.push(sha256);
    }
  }

  /** Whether there is room for pictures that were deleted because the folder was full. */
  get hasRoom(): boolean {
    return this.#bytes < 0.9 * this.settings.maxBytes;
  }

  /** Stores a picture. @returns the SHA-256 of its content. */
  async keep(picture: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(picture).digest('hex');
    const [partial, complete] = this.#files(sha256);
    await writeFile(partial, picture);
    await rename(partial, complete);
    this.#note(sha256, picture.length);
    return sha256;
  }

  /** Deletes pictures. Those that are gone already are ignored. */
  async delete(pictures: readonly string[]): Promise<void> {
    for (const sha256 of pictures) {
      for (const file of this.#files(sha256)) await rm(file, { force: true });
      this.#note(sha256, null);
    }
  }

  /** The oldest pictures, without which the others fit into the folder. */
  tooMany(): string[] {
    let bytes = this.#bytes;
    return [...this.#sizes].flatMap(([sha256, size]) => {
      if (bytes <= this.settings.maxBytes) return [];
      bytes -= size;
      return [sha256];
    });
  }

  /** Notes that a picture was written last, or with null that it is gone. */
  #note(sha256: string, size: number | null): void {
    this.#bytes += (size ?? 0) - (this.#sizes.get(sha256) ?? 0);
    this.#sizes.delete(sha256);
    if (size !== null) this.#sizes.set(sha256, size);
  }

  #files(sha256: string): [partial: string, complete: string] {
    const place = path.join(this.settings.folder, sha256);
    return [`${place}.partial`, `${place}.webp`];
  }
}
