import { once } from 'node:events';
import { createWriteStream, rmSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Reject } from '../../src/catalogue/load.js';

/** The records of one feed that did not land, one JSON object a line; no file when there are none. */
export class RejectsFile {
  #stream: WriteStream | null = null;

  /** Removes what an earlier load of the same feed left. */
  constructor(readonly path: string) {
    rmSync(path, { force: true });
  }

  async add(reject: Reject): Promise<void> {
    this.#stream ??= createWriteStream(this.path);
    if (!this.#stream.write(`${toLine(reject)}\n`)) await once(this.#stream, 'drain');
  }

  /** @returns whether there is a file. */
  async close(): Promise<boolean> {
    if (this.#stream === null) return false;
    this.#stream.end();
    await finished(this.#stream);
    return true;
  }
}

function toLine({ line, reasons, record }: Reject): string {
  try {
    return JSON.stringify({ line, reasons, record });
  } catch {
    // Nested so deeply that it cannot be written back; the line says where to find it.
    return JSON.stringify({ line, reasons, record: null });
  }
}
