import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Reject } from '../../src/usecases/ingest/load.js';
import { CommandError } from '../shared/exit.js';

/** The records of one feed that did not land, one JSON object a line; no file when there are none. */
export class RejectsFile {
  readonly #file: number;
  #empty = true;

  /** Opened before the load, so that no record is lost for want of it. In place of what an earlier load left. */
  constructor(readonly path: string) {
    this.#file = open(path, 'w');
  }

  add(reject: Reject): void {
    this.#empty = false;
    writeFileSync(this.#file, `${toLine(reject)}\n`);
  }

  /** @returns whether there is a file. */
  close(): boolean {
    closeSync(this.#file);
    if (this.#empty) rmSync(this.path, { force: true });
    return !this.#empty;
  }
}

/** Makes sure of all files before the first load. @throws CommandError when one of them could not be written. */
export function checkRejects(paths: readonly string[]): void {
  for (const path of paths) {
    const isThere = existsSync(path);
    closeSync(open(path, 'a'));
    if (!isThere) rmSync(path);
  }
}

function open(path: string, flags: string): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw new CommandError(
      `Rejected records cannot be written to ${path} (${(error as NodeJS.ErrnoException).code}). Name another folder with --rejects DIR, or --rejects none.`,
    );
  }
}

function toLine({ file, line, reasons, record }: Reject): string {
  try {
    return JSON.stringify({ file, line, reasons, record });
  } catch {
    // Nested so deeply that it cannot be written back; the line says where to find it.
    return JSON.stringify({ file, line, reasons, record: null });
  }
}
