import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperationError } from './operation-errors.js';

/** Where stored pictures are, and how much space they may take. */
export interface PictureSettings {
  folder: string;
  maxBytes: number;
}

/** The name of a picture: the SHA-256 of its content. */
const NAME = /^[0-9a-f]{64}\.webp$/;

/** Reads a stored picture; null if there is none, or if the name is not that of a stored picture. */
export async function readPicture(folder: string, name: string): Promise<Buffer | null> {
  return NAME.test(name) ? readFile(path.join(folder, name)).catch(() => null) : null;
}

/** A picture that no listing has is deleted after this time in ms. The listing of a younger one may not be stored yet. */
const SETTLED_MS = 60 * 60 * 1000;

/** The stored pictures, for commands that add and delete some. A picture of several listings is stored once. */
export class PictureFolder {
  /** The SHA-256 of each picture with its size in bytes, beginning with the one that was written first. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  /** The pictures that are old enough to be deleted if no listing has them. */
  readonly settled: string[] = [];

  private constructor(private readonly settings: PictureSettings) {}

  /** Opens the folder, which is created if it does not exist. @throws OperationError if it cannot be used. */
  static async open(settings: PictureSettings, now: Date): Promise<PictureFolder> {
    const { folder } = settings;
    const pictures = new PictureFolder(settings);
    try {
      await mkdir(folder, { recursive: true });
      const found: { sha256: string; size: number; mtimeMs: number }[] = [];
      for (const name of await readdir(folder)) {
        if (!NAME.test(name)) continue;
        const file = await lstat(path.join(folder, name)).catch(() => null);
        if (file?.isFile())
          found.push({ sha256: path.parse(name).name, size: file.size, mtimeMs: file.mtimeMs });
      }
      for (const { sha256, size, mtimeMs } of found.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
        pictures.#note(sha256, size);
        if (mtimeMs < now.getTime() - SETTLED_MS) pictures.settled.push(sha256);
      }
    } catch (error) {
      const message = `PICTURES_FOLDER ${folder} cannot be used: ${(error as Error).message}`;
      throw new OperationError(message, { cause: error });
    }
    return pictures;
  }

  /** Whether there is room again for pictures that were deleted earlier because the folder was full. */
  get hasRoom(): boolean {
    return this.#bytes < 0.9 * this.settings.maxBytes;
  }

  /** Stores a picture. @returns the SHA-256 of its content. */
  async keep(picture: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(picture).digest('hex');
    // A file that a killed process has begun is never served, because it has another name.
    await writeFile(`${this.#file(sha256)}.partial`, picture);
    await rename(`${this.#file(sha256)}.partial`, this.#file(sha256));
    this.#note(sha256, picture.length);
    return sha256;
  }

  async delete(pictures: readonly string[]): Promise<void> {
    for (const sha256 of pictures) {
      await rm(this.#file(sha256), { force: true });
      this.#note(sha256, null);
    }
  }

  get isFull(): boolean {
    return this.#bytes > this.settings.maxBytes;
  }

  /** The first of these pictures (by default the oldest) that must be deleted so that the rest fit into the folder. */
  tooMany(pictures: Iterable<string> = this.#sizes.keys()): string[] {
    let bytes = this.#bytes;
    return [...new Set(pictures)].filter((sha256) => {
      if (bytes <= this.settings.maxBytes) return false;
      bytes -= this.#sizes.get(sha256) ?? 0;
      return true;
    });
  }

  /** Notes that a picture was written last, or with null that it is gone. */
  #note(sha256: string, size: number | null): void {
    this.#bytes += (size ?? 0) - (this.#sizes.get(sha256) ?? 0);
    this.#sizes.delete(sha256);
    if (size !== null) this.#sizes.set(sha256, size);
  }

  #file = (sha256: string): string => path.join(this.settings.folder, `${sha256}.webp`);
}
