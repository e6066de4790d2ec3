import { Backoff } from '../../src/engine/backoff.js';
import { productsAlias } from '../../src/engine/indices.js';
import { LeaseHeldError } from '../../src/engine/lease.js';
import { drainQueue, type QueueContext } from '../../src/follow-up/drain-queue.js';
import { runFullPass } from '../../src/follow-up/full-pass.js';
import { changedConnections, type Connections, connectionsOf } from '../../src/listing/connections.js';
import { formatInstant } from '../../src/listing/instant.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import { isBrandsNeverLearned } from '../../src/usecases/learn/learn-brands.js';
import { FollowUpQueue, type FollowUpStep } from '../../src/sources/follow-up-queue.js';
import { readRates } from '../../src/products/read-rates.js';
import { hasSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { type Io, notice } from '../shared/command.js';
import { catalogueOf, type CommandEngine } from '../shared/engine.js';
import { learnBrandsIfGrown } from './brands.js';
import { updateFlags } from './quality.js';
import { rebuildSuggestions } from './suggestions.js';
import { storedIndex } from '../../src/platform/stored.js';

/** The number of written listings whose values are stored in one entry of the queue. */
const LISTINGS_PER_ENTRY = 1_000;
/** If a load wrote more than this number of listings or share of the catalogue, a full pass follows it. */
const MAX_LISTINGS = 100_000;
const MAX_SHARE = 0.2;
/** How long a load waits while another process updates what depends on the listings in the queue. */
const PATIENCE_MS = 5 * 60_000;

const STEPS: Record<
  FollowUpStep,
  (engine: CommandEngine, io: Io, share: number | undefined) => Promise<void>
> = {
  brands: learnBrandsIfGrown,
  quality: (engine, io, share) => updateFlags(engine, io, { share }),
  suggestions: rebuildSuggestions,
};

interface StepsOptions {
  /** The share of the time, 0 to 1, in which the steps work. They pause for the rest. */
  share?: number;
  /** Whether to continue a full pass that another process did not finish. */
  resume?: boolean;
}

/** Runs steps over the whole catalogue. @throws LeaseHeldError if another process does; CommandError without a catalogue. */
export async function runSteps(
  names: readonly FollowUpStep[],
  engine: CommandEngine,
  io: Io,
  { share, resume = false }: StepsOptions = {},
): Promise<void> {
  await catalogueOf(engine);
  const steps = Object.fromEntries(
    names.map((name) => [name, (signal: AbortSignal) => STEPS[name](engine, { ...io, signal }, share)]),
  );
  await runFullPass(queueContext(engine, io), steps, { resume, report: (line) => notice(io, line) });
}

/** What the work on the queue of a catalogue needs. */
export function queueContext({ es, indexPrefix, exchangeRatesFile }: CommandEngine, io: Io): QueueContext {
  return {
    es,
    indexPrefix,
    queue: new FollowUpQueue(es, indexPrefix),
    products: productsAlias(indexPrefix),
    suggestions: storedIndex(indexPrefix, 'suggestions'),
    rates: readRates(exchangeRatesFile),
    backoff: new Backoff({ signal: io.signal, onWait: (line) => notice(io, line) }),
    now: () => new Date(),
    signal: io.signal,
  };
}

/** Updates what depends on the listings in the queue, and prints how much has changed. */
export async function followQueue(engine: CommandEngine, io: Io, patienceMs: number): Promise<void> {
  const started = performance.now();
  const counts = await drainQueue(queueContext(engine, io), patienceMs);
  if (counts === null) return;
  const took = formatDuration(performance.now() - started);
  io.out.write(
    `follow-up: the flags of ${formatCount(counts.flags)} listings and ${formatCount(counts.suggestions)} suggestions changed, in ${took}\n`,
  );
}

/** The follow-up of loads: it notes what they write, then updates what depends on it, or runs a full pass if that is much. */
export class LoadFollowUp {
  readonly #at = formatInstant(Date.now());
  readonly #entries: string[] = [];
  readonly #sources = new Set<string>();
  #listings = 0;
  /** The written listings that are not in the queue yet. */
  #unsaved: { sources: Set<string>; listings: number; written: Connections[] } = nothing();
  #saving: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #needsFullPass = false;

  constructor(
    private readonly engine: CommandEngine,
    private readonly steps: readonly FollowUpStep[],
  ) {}

  /** Notes a written listing. @param before the listing before the write; null if it is new. */
  written(before: StoredListing | null, after: StoredListing): void {
    this.#note(after.source, changedConnections(before, after));
  }

  withdrawn(listing: StoredListing): void {
    this.#note(listing.source, [connectionsOf(listing)]);
  }

  #note(source: string, connections: readonly Connections[]): void {
    if (connections.length === 0 || this.steps.length === 0) return;
    this.#listings += 1;
    this.#unsaved.sources.add(source);
    this.#unsaved.listings += 1;
    if (!this.#needsFullPass) this.#unsaved.written.push(...connections);
    if (this.#unsaved.listings >= LISTINGS_PER_ENTRY) this.#save();
  }

  /**
   * Stores the noted listings in the queue, so that their follow-up does not depend on this process. It must be called at the end
   * of every load, also of a failed one. It never throws: `run` throws the error instead.
   */
  async saved(): Promise<void> {
    this.#save();
    await this.#saving;
  }

  #save(): void {
    const { sources, listings, written } = this.#unsaved;
    if (listings === 0) return;
    this.#unsaved = nothing();
    this.#saving = this.#saving
      .then(() => this.#add([...sources], written))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
  }

  async #add(sources: string[], written: Connections[]): Promise<void> {
    const isNew = sources.some((source) => !this.#sources.has(source));
    for (const source of sources) this.#sources.add(source);
    if (this.#needsFullPass && !isNew) return;
    const { es, indexPrefix } = this.engine;
    const { count } = await es.count({ index: productsAlias(indexPrefix) });
    this.#needsFullPass ||= this.#listings > MAX_LISTINGS || this.#listings >= MAX_SHARE * count;
    const queue = new FollowUpQueue(es, indexPrefix);
    const entry = this.#needsFullPass ? { sources: [...this.#sources], written: null } : { sources, written };
    this.#entries.push(await queue.add({ ...entry, at: this.#at, steps: this.steps }));
    // If a full pass is needed, the last entry suffices: the pass covers the listings of all entries.
    if (this.#needsFullPass) await queue.remove(this.#entries.splice(0, this.#entries.length - 1));
  }

  /** Updates what depends on the stored listings. A step that was never done for this catalogue is done for all listings. */
  async run(engine: CommandEngine, io: Io): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    const steps = this.#needsFullPass ? this.steps : await this.#missing(engine);
    try {
      if (steps.length > 0) await runSteps(steps, engine, io);
      if (this.#needsFullPass && !io.signal.aborted)
        await new FollowUpQueue(engine.es, engine.indexPrefix).remove(this.#entries);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
      notice(io, `${error.message} The follow-up of this load comes after it.`);
    }
    if (!this.#needsFullPass && !io.signal.aborted) await followQueue(engine, io, PATIENCE_MS);
  }

  async #missing(engine: CommandEngine): Promise<FollowUpStep[]> {
    const isMissing: Record<FollowUpStep, () => Promise<boolean>> = {
      brands: async () => this.#listings > 0 && (await isBrandsNeverLearned(engine)),
      quality: () => Promise.resolve(false),
      suggestions: async () =>
        !(await hasSuggestions(engine.es, storedIndex(engine.indexPrefix, 'suggestions'))),
    };
    const missing = await Promise.all(this.steps.map((step) => isMissing[step]()));
    return this.steps.filter((_step, i) => missing[i]);
  }
}

const nothing = () => ({ sources: new Set<string>(), listings: 0, written: [] as Connections[] });
