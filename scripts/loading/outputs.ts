import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { MAX_RAW_TEXT } from '../../src/feeds/read/item.js';
import type { CompletedSource } from '../../src/usecases/ingest/completion.js';
import type { Reject } from '../../src/usecases/ingest/load-records.js';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import { CommandError, exitCodeOf } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';

/** The rejected records of one feed, one JSON object per line. An empty file is deleted. */
export class RejectsFile {
  readonly #file: number;
  #empty = true;

  /** Creates the file, before the load, so that no rejected record is lost because it cannot be written. */
  constructor(readonly path: string) {
    this.#file = openRejects(path, 'w');
  }

  add(reject: Reject): void {
    this.#empty = false;
    writeFileSync(this.#file, `${rejectLine(reject)}\n`);
  }

  close(): boolean {
    closeSync(this.#file);
    if (this.#empty) rmSync(this.path, { force: true });
    return !this.#empty;
  }
}

export function checkRejects(paths: readonly string[]): void {
  for (const path of paths) {
    const isThere = existsSync(path);
    closeSync(openRejects(path, 'a'));
    if (!isThere) rmSync(path);
  }
}

function openRejects(path: string, flags: string): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw new CommandError(
      `Rejected records cannot be written to ${path} (${(error as NodeJS.ErrnoException).code}). Name another folder with --rejects DIR, or --rejects none.`,
    );
  }
}

/** The maximum length of a record in the file of rejected records. Of a longer record, the file contains only the beginning. */
const MAX_REJECTED = 16 * 1024;

function rejectLine({ file, line, reasons, record }: Reject): string {
  try {
    const json = JSON.stringify(record);
    return JSON.stringify({
      file,
      line,
      reasons,
      record: json.length > MAX_REJECTED ? `${json.slice(0, MAX_RAW_TEXT)}…` : record,
    });
  } catch {
    // A record that is nested too deeply to be serialized is left out. The line still shows where it is.
    return JSON.stringify({ file, line, reasons, record: null });
  }
}

/** The report of all loads of the command as JSON, for programs. It is also written if a load fails. */
export class LoadReport {
  readonly #started = new Date();
  readonly #files: (Summary & { file: string; error: string | null })[] = [];
  readonly #completed: (Omit<CompletedSource, 'message' | 'stoppedBy'> & { stopped: boolean })[] = [];

  /** @param file the path of the report; undefined: no report is written. */
  constructor(private readonly file: string | undefined) {
    if (file !== undefined) this.#write({ exit_code: null });
  }

  /** Adds the result of a load to the report. `error` is the reason why the end of the feed was not reached. */
  loaded(file: string, summary: Summary, error: string | null): void {
    this.#files.push({ file, ...summary, error });
  }

  completed({ message: _, stoppedBy, ...counts }: CompletedSource): void {
    this.#completed.push({ ...counts, stopped: stoppedBy !== null });
  }

  ended(exit_code: number, error: string | null): void {
    if (this.file === undefined) return;
    this.#write({ exit_code, error, files: this.#files, completed: this.#completed });
  }

  failed(error: unknown): void {
    this.ended(exitCodeOf(error), error instanceof Error ? error.message : String(error));
  }

  /** Writes the report, for the first time before anything is loaded, so that an error is reported early. */
  #write(body: Record<string, unknown>): void {
    const times = { started_at: this.#started.toISOString(), ended_at: new Date().toISOString() };
    try {
      writeFileSync(fromCaller(this.file ?? ''), `${JSON.stringify({ ...times, ...body }, null, 2)}\n`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(`The report cannot be written to ${this.file} (${code}).`);
    }
  }
}
