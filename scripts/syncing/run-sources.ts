import { pause } from '../../src/platform/pause.js';
import { ensureCatalogue, untilSearchable } from '../../src/engine/indices.js';
import { ensureLeases, Lease } from '../../src/engine/lease.js';
import { formatInstant } from '../../src/listing/instant.js';
import { OperationError } from '../../src/platform/operation-errors.js';
import type { RunRecord } from '../../src/sources/runs.js';
import { readSourceStates, sourceOperation, type SourceState } from '../../src/sources/source-states.js';
import { dueAt } from '../../src/usecases/sync/schedule.js';
import { scheduleOf } from '../../src/usecases/sync/source-file.js';
import { notice } from '../shared/command.js';
import { CommandError } from '../shared/exit.js';
import { type ConfiguredSource, describeFinding, readSources } from './source-files.js';
import { configuredState, type SyncContext, type SyncResult, syncSource } from './sync-source.js';
import { storedIndex } from '../../src/platform/stored.js';

export interface RunSourcesOptions {
  /** The folder with the source files; undefined: `sources`. */
  folder: string | undefined;
  /** The sources to load, whether they are due or not; empty: those that are due. */
  names: readonly string[];
  parallel: number;
  /** Whether the run continues until the signal aborts, and loads each source when it becomes due. */
  watch: boolean;
  /** Called each time that no source is being loaded any more. */
  onIdle: () => Promise<void>;
  /** Called at least every half minute while sources are watched. */
  onAlive?: () => void;
  /** Waits for a time in ms, or until the signal aborts. By default, the time is that of the clock of this machine. */
  wait?: typeof pause;
}

interface DueSource {
  source: ConfiguredSource;
  at: Date;
}

interface SourcesRun {
  runs: RunRecord[];
  areValid: boolean;
  /** Why no source was loaded; null if one was, or if another process loads it. */
  idle: string | null;
}

/** The maximum time in ms after which source files are read again while sources are watched. */
const POLL_MS = 30_000;
const MIN_PAUSE_MS = 1_000;

/**
 * Loads sources side by side. Source files with errors are reported, and the other sources are loaded.
 * @throws CommandError if a named source does not exist.
 */
export async function runSources(
  options: RunSourcesOptions,
  context: Omit<SyncContext, 'force'>,
): Promise<SourcesRun> {
  return new Scheduler(options, context).run();
}

class Scheduler {
  readonly #running = new Map<string, Promise<void>>();
  readonly #done = new Set<string>();
  readonly #runs: RunRecord[] = [];
  #reported = '';
  #failure: { error: unknown } | null = null;

  constructor(
    private readonly options: RunSourcesOptions,
    private readonly context: Omit<SyncContext, 'force'>,
  ) {}

  async run(): Promise<SourcesRun> {
    const { watch, onAlive, onIdle, wait = pause } = this.options;
    const { signal } = this.context.io;
    const { es, indexPrefix, indexLayout } = this.context.engine;
    if (!(await ensureCatalogue(es, indexPrefix, indexLayout))) await untilSearchable(es, indexPrefix);
    await ensureLeases(es, indexPrefix, 'sources');
    let areValid = true;
    let idle: string | null = null;
    while (!signal.aborted) {
      const { chosen, isValid, next, sources } = await this.#choose();
      areValid = isValid;
      idle =
        chosen.length + this.#running.size + this.#done.size === 0 ? this.#describeIdle(sources, next) : null;
      for (const source of chosen) this.#start(source);
      if (this.#running.size > 0) {
        // While sources are being loaded, source files are still read regularly, so that new sources are noticed.
        await Promise.race([...this.#running.values(), ...(watch ? [wait(POLL_MS, signal)] : [])]);
      } else {
        await onIdle();
        if (!watch) break;
        const untilDue = next === null ? POLL_MS : next.at.getTime() - this.context.now().getTime();
        const ms = Math.min(Math.max(untilDue, MIN_PAUSE_MS), POLL_MS);
        await wait(ms, signal);
      }
      onAlive?.();
      if (this.#failure !== null) break;
    }
    await Promise.all(this.#running.values());
    if (this.#failure !== null) throw this.#failure.error;
    return { runs: this.#runs, areValid, idle };
  }

  /** Reads the source files, and chooses the sources to start now. */
  async #choose(): Promise<{
    chosen: ConfiguredSource[];
    isValid: boolean;
    next: DueSource | null;
    sources: number;
  }> {
    const { folder, names, parallel, watch } = this.options;
    const { engine, now } = this.context;
    const { sources, findings } = readSources(folder, now());
    this.#report(findings.map(describeFinding));
    const free = parallel - this.#running.size;
    const isOpen = ({ name }: ConfiguredSource) =>
      !this.#running.has(name) && (watch || !this.#done.has(name));
    if (names.length > 0) {
      const missing = names.find((name) => !sources.some((source) => source.name === name));
      if (missing !== undefined) throw new CommandError(missingMessage(missing, sources, findings));
      const chosen = sources.filter((source) => names.includes(source.name) && isOpen(source));
      return { chosen: chosen.slice(0, free), isValid: true, next: null, sources: sources.length };
    }
    const states = new Map(
      (await readSourceStates(engine.es, engine.indexPrefix)).map((state) => [state.file, state]),
    );
    const broken = new Set(findings.map(({ file }) => file.replace(/^.*\/|\.[^.]*$/g, '')));
    await this.#update(sources, broken, states);
    const waiting = sources.filter(isOpen).flatMap((source): DueSource[] => {
      const { attempted_at = null, failures = 0 } = states.get(source.name) ?? {};
      const at = dueAt(scheduleOf(source.file), { startedAt: attempted_at, failures });
      return at === null ? [] : [{ source, at }];
    });
    // The source that has been due for the longest time comes first, so that no source waits forever.
    waiting.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.source.name < b.source.name ? -1 : 1));
    const due = waiting.filter(({ at }) => at <= now());
    const next = waiting.find(({ at }) => at > now()) ?? null;
    return {
      chosen: due.slice(0, free).map(({ source }) => source),
      isValid: findings.length === 0,
      next,
      sources: sources.length,
    };
  }

  #describeIdle(sources: number, next: DueSource | null): string {
    if (sources === 0) return `${this.options.folder ?? 'sources'} has no source files that can be read.`;
    if (next === null) return 'No source is due, because none has a schedule. Name the sources to load.';
    return `No source is due. The next one is ${next.source.name}, at ${formatInstant(next.at.getTime())}.`;
  }

  #start(source: ConfiguredSource): void {
    const force = this.options.names.length > 0;
    const run = syncSource(source, { ...this.context, force })
      .then((result) => this.#ended(result))
      .catch((error: unknown) => {
        if (this.context.io.signal.aborted) return;
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#done.add(source.name);
        this.#running.delete(source.name);
      });
    this.#running.set(source.name, run);
  }

  #ended(result: SyncResult): void {
    if (typeof result === 'string') return;
    if (!this.options.watch) this.#runs.push(...result);
  }

  /** Reports findings once, and again only after they have changed. */
  #report(lines: readonly string[]): void {
    const text = lines.join('\n');
    if (text !== this.#reported && text !== '') notice(this.context.io, text);
    this.#reported = text;
  }

  /** Stores what changed in source files, and deletes the states of sources whose files are gone. */
  async #update(
    sources: readonly ConfiguredSource[],
    broken: ReadonlySet<string>,
    states: ReadonlyMap<string, SourceState>,
  ): Promise<void> {
    const { es, indexPrefix } = this.context.engine;
    for (const source of sources) {
      const state = states.get(source.name);
      if (state === undefined || this.#running.has(source.name)) continue;
      const configured = configuredState(source, state);
      const stored = Object.fromEntries(
        Object.keys(configured).map((key) => [key, state[key as keyof typeof configured]]),
      );
      if (JSON.stringify(stored) === JSON.stringify(configured)) continue;
      await unlessBusy(async () => {
        const operation = sourceOperation(source.name);
        const lease = await Lease.acquire(es, indexPrefix, operation, () => undefined);
        await lease.hold(this.context.io.signal, () => lease.save(configured));
      });
    }
    const names = new Set([...sources.map(({ name }) => name), ...broken]);
    // Without a single source file, the folder is probably not the right one.
    if (sources.length === 0) return;
    for (const name of states.keys())
      if (!names.has(name))
        await es.delete(
          { index: storedIndex(indexPrefix, 'sources'), id: sourceOperation(name).name, refresh: true },
          { ignore: [404] },
        );
  }
}

/** Does work on the state of a source. Does nothing if another process is loading the source, and so holds its lease. */
async function unlessBusy(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
  }
}

function missingMessage(
  name: string,
  sources: readonly ConfiguredSource[],
  findings: readonly { file: string }[],
): string {
  if (findings.some(({ file }) => file.endsWith(`/${name}.yaml`)))
    return `${name}.yaml has errors; npm run sources -- check lists them.`;
  const names = sources.map((source) => source.name);
  return `There is no source ${JSON.stringify(name)}. ${names.length === 0 ? 'The folder has no source files.' : `The sources are ${names.slice(0, 20).join(', ')}.`}`;
}
