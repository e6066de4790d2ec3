import path from 'node:path';
import { formatInstant } from '../../src/listing/instant.js';
import { GuardError } from '../../src/usecases/ingest/guards.js';
import type { LoadError } from '../../src/usecases/ingest/load-records.js';
import { runCounts, type Summary } from '../../src/usecases/ingest/summary.js';
import { begunRun, type RunOutcome, type RunRecord, Runs } from '../../src/sources/runs.js';
import type { Input } from './input.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { type IngestCommandOptions, readingVersion } from './options.js';
import { NotModifiedError } from './remote.js';

function outcomeOf({ interrupted }: Summary, error: LoadError | null): RunOutcome {
  if (error === null) return interrupted ? 'interrupted' : 'loaded';
  if (error.cause instanceof NotModifiedError) return 'not_modified';
  return error.cause instanceof GuardError ? 'refused' : 'failed';
}

interface RecordedJob {
  engine: CommandEngine;
  options: IngestCommandOptions;
  io: Pick<Io, 'err'>;
  now: () => Date;
}

/** The load of one feed by `npm run ingest`, which is recorded as a run. If that fails, a warning is printed. */
export class RunRecorder {
  private constructor(
    private readonly input: Input,
    private readonly job: RecordedJob,
    private readonly runs: Runs,
    private readonly record: RunRecord,
  ) {}

  static async begin(input: Input, job: RecordedJob): Promise<RunRecorder> {
    const { engine, options, now } = job;
    const name = path.basename(input.name);
    const map = options.map === null ? null : { name: options.as ?? 'map', version: readingVersion(options) };
    const record = begunRun(now(), { name, files: [name], map });
    const load = new RunRecorder(input, job, new Runs(engine.es, engine.indexPrefix), record);
    await load.#save(record);
    return load;
  }

  get id(): string {
    return this.record.run;
  }

  /** @param error why the end of the feed was not reached; null if it was. */
  async end(summary: Summary, error: LoadError | null): Promise<void> {
    const guard = error?.cause instanceof GuardError ? error.cause : null;
    const isKnown = error?.cause instanceof NotModifiedError;
    await this.#save({
      ...this.record,
      ended_at: formatInstant(this.job.now().getTime()),
      outcome: outcomeOf(summary, error),
      rule: guard?.rule ?? null,
      reason: isKnown ? null : (error?.message ?? null),
      bytes: this.input.bytes(),
      counts: runCounts(summary, 0),
      rejected_by_reason: summary.rejected_by_reason,
    });
  }

  async #save(record: RunRecord): Promise<void> {
    try {
      await this.runs.save(record);
      if (record.ended_at !== null) await this.runs.prune(record.name);
    } catch (error) {
      this.job.io.err.write(`The run could not be recorded: ${(error as Error).message}\n`);
    }
  }
}
