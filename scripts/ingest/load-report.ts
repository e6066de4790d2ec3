import { writeFileSync } from 'node:fs';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import { CommandError, EXIT } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';
import type { Completed } from './completion.js';

/** What a load did, for programs: written as JSON however it ended. */
export class LoadReport {
  readonly #started = new Date();
  readonly #files: (Summary & { file: string; error: string | null })[] = [];
  readonly #completed: Omit<Completed, 'said'>[] = [];

  /** @param file undefined: nobody wants one. */
  constructor(private readonly file: string | undefined) {
    if (file !== undefined) this.#write({ exit_code: null });
  }

  /** @param error why it did not reach its end; null: it did. */
  loaded(file: string, summary: Summary, error: string | null): void {
    this.#files.push({ file, ...summary, error });
  }

  completed({ said: _, ...counts }: Completed): void {
    this.#completed.push(counts);
  }

  ended(exit_code: number, error: string | null): void {
    if (this.file === undefined) return;
    this.#write({ exit_code, error, files: this.#files, completed: this.#completed });
  }

  /** What an error means for the exit code, and says. */
  failed(error: unknown): void {
    this.ended(
      error instanceof CommandError ? error.exitCode : EXIT.failed,
      error instanceof Error ? error.message : String(error),
    );
  }

  /** @throws CommandError where it cannot be written; the first time before anything is loaded. */
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
