import type { Client, estypes } from '@elastic/elasticsearch';
import { Backoff, type BackoffOptions } from '../../engine/backoff.js';
import { productsAlias } from '../../engine/indices.js';
import { storeListings, type VersionedListing } from '../../engine/listing-store.js';
import { versionedPages } from '../../engine/search-pages.js';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import { extendLineage } from '../../listing/lineage.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatCount } from '../../text/quantities.js';
import { formatShare, type GuardRule, isAbove } from './guards.js';
import { SeenListings } from './listing-table.js';
import type { Summary } from './summary.js';

interface TrackedSource {
  seen: SeenListings;
  available: number;
  latest: string | null;
  isUndated: boolean;
  /** When the feed was made; for several files, the earliest time. */
  asOf: string | null;
}

export interface CompletedSource extends AbsentCounts {
  source: string;
  available: number;
  marked: number;
  /** A sentence for the operator about the listings that were marked, or why none were. */
  message: string;
  /** The guard that prevented the listings from being marked as unavailable; null: none did. */
  stoppedBy: GuardRule | null;
}

interface LoadedCatalogue {
  es: Client;
  indexPrefix: string;
  signal: AbortSignal;
  now: () => Date;
  /** The id of the run, for the lineage of the marked listings; undefined: none is recorded. */
  run?: string | undefined;
}

interface CompletionOptions {
  dryRun: boolean;
  /** The maximum percentage of a source's available listings that may be marked as unavailable. */
  maxVanished: number;
  allowEmpty: boolean;
}

/** Marks listings as unavailable that complete feeds lack. Its methods are called while the feed files are read. */
export class Completion {
  readonly #sources = new Map<string, TrackedSource>();
  #earliestFile: string | null = null;
  #fileTime = '';

  private constructor() {}

  /** Counts the available listings of each source. It must be called before the load, which changes them. */
  static async start(sources: readonly string[], catalogue: Pick<LoadedCatalogue, 'es' | 'indexPrefix'>) {
    const completion = new Completion();
    const { es, indexPrefix } = catalogue;
    const where = { index: productsAlias(indexPrefix), ignore_unavailable: true };
    for (const source of sources) {
      const { count } = await es.count({ ...where, query: available(source) });
      const unread = { latest: null, isUndated: false, asOf: null };
      completion.#sources.set(source, { seen: new SeenListings(), available: count, ...unread });
    }
    return completion;
  }

  /** Notes that the next feed file begins; must be called before each file is read. */
  beginFile(now: Date): void {
    this.#fileTime = formatInstant(now.getTime());
    for (const tracked of this.#sources.values()) Object.assign(tracked, { latest: null, isUndated: false });
  }

  listing(source: string, sku: string, at: string | null | undefined): void {
    const tracked = this.#sources.get(source);
    if (tracked === undefined) return;
    tracked.seen.add(source, sku);
    if (at === undefined) return;
    if (at === null) tracked.isUndated = true;
    else tracked.latest = later(tracked.latest, at);
  }

  /** Must be called after each file was read. @param made when the feed was made, or the file written; null if unknown. */
  endFile(made: Date | null): void {
    if (made !== null) this.#fileTime = formatInstant(made.getTime());
    this.#earliestFile = earlier(this.#earliestFile, this.#fileTime);
    for (const tracked of this.#sources.values()) {
      const latest = tracked.isUndated ? later(tracked.latest, this.#fileTime) : tracked.latest;
      if (latest !== null) tracked.asOf = earlier(tracked.asOf, latest);
    }
  }

  /** Marks the missing listings of each source as unavailable, unless a guard prevents it or the signal is aborted. */
  async *finish(
    total: Summary,
    options: CompletionOptions,
    catalogue: LoadedCatalogue,
    onWait: (note: string) => void,
  ): AsyncGenerator<CompletedSource> {
    for (const [source, { seen, available, asOf }] of this.#sources) {
      const { dryRun } = options;
      const made = asOf ?? this.#earliestFile ?? this.#fileTime;
      const work = { ...catalogue, source, seen, onWait, dryRun, asOf: made };
      const absent = await countAbsent(work).catch((error: unknown) => {
        if (catalogue.signal.aborted) return null;
        throw error;
      });
      if (absent === null || catalogue.signal.aborted) return;
      const counts = { source, available: Math.max(available, absent.vanished + absent.newer), ...absent };
      const refusal = refusalOf(counts, made, seen.empty, total, options);
      if (refusal !== null) {
        const message = `${refusal.reason} Nothing of ${source} was marked unavailable.`;
        yield { ...counts, marked: 0, stoppedBy: refusal.rule, message };
        continue;
      }
      const marked = dryRun ? absent.vanished : await markAbsent(work);
      const would = dryRun ? 'would be ' : '';
      const message = `${formatCount(marked)} listings of ${source} are not in the feed: ${would}marked unavailable`;
      yield { ...counts, marked, stoppedBy: null, message: `${message}${describeNewer(absent, made)}` };
      if (catalogue.signal.aborted) return;
    }
  }
}

function refusalOf(
  { source, available, vanished, newer }: AbsentCounts & { source: string; available: number },
  asOf: string,
  nothingSeen: boolean,
  { unidentified }: Summary,
  { maxVanished, allowEmpty }: CompletionOptions,
): { rule: GuardRule; reason: string } | null {
  const absent = vanished + newer;
  const of = (count: number) =>
    `${formatCount(count)} of the ${formatCount(available)} available listings of ${source}`;
  if (nothingSeen && !allowEmpty) {
    const reason = `The feed contains no listing of ${source}, so it does not count as complete: ${of(vanished)} would have become unavailable.`;
    return { rule: 'allow_empty', reason };
  }
  if (vanished > 0 && unidentified > 0) {
    const reason = `${formatCount(unidentified)} of the rejected records lack a readable source or SKU, so they may belong to listings that seem to be missing: ${of(vanished)} would have become unavailable. Correct these records and load the feed again.`;
    return { rule: 'unidentified', reason };
  }
  // If many missing listings were observed after the feed was made, the feed is outdated or incomplete, so they count too.
  if (!isAbove(absent, available, maxVanished)) return null;
  const share = formatShare(absent, available);
  const enough = Math.ceil((100 * absent) / available);
  const reason = `${of(absent)} are not in the feed: ${share}, above the ${maxVanished} % of --max-vanished. ${formatCount(vanished)} would have become unavailable${describeNewer({ newer }, asOf)}. If this is intended, use --max-vanished ${enough}.`;
  return { rule: 'max_vanished', reason };
}

const describeNewer = ({ newer }: Pick<AbsentCounts, 'newer'>, asOf: string): string =>
  newer === 0
    ? ''
    : `; ${formatCount(newer)} more stay available, because they were observed after the feed was made (${asOf})`;

const earlier = (a: string | null, b: string): string => (a === null || compareInstants(b, a) < 0 ? b : a);
const later = (a: string | null, b: string): string => (a === null || compareInstants(a, b) < 0 ? b : a);

interface CompleteOptions extends BackoffOptions, Omit<LoadedCatalogue, 'signal'> {
  source: string;
  seen: SeenListings;
  /** When the feed was made (ISO 8601, UTC). Listings that were observed later stay available. */
  asOf: string;
  dryRun?: boolean;
}

interface AbsentCounts {
  /** Missing listings that were last observed before the feed was made. */
  vanished: number;
  /** Missing listings that were observed after the feed was made. */
  newer: number;
}

const MAX_ATTEMPTS = 20;

const available = (source: string): estypes.QueryDslQueryContainer => ({
  bool: { filter: { term: { source } }, must_not: { term: { is_available: false } } },
});

/** Counts the listings that a complete feed lacks: those that `markAbsent` would mark, and those observed later. */
async function countAbsent(options: CompleteOptions): Promise<AbsentCounts> {
  const counted = { vanished: 0, newer: 0 };
  const backoff = new Backoff(options);
  await refresh(options, backoff);
  for await (const hits of availablePages(options, backoff, ['sku', 'internal.observed_at']))
    for (const { listing } of hits)
      if (!options.seen.has(options.source, listing.sku))
        counted[isNewer(listing, options) ? 'newer' : 'vanished'] += 1;
  return counted;
}

/** Marks absent listings, also if others write them meanwhile. Safe to repeat. @returns their number, even if aborted. */
export async function markAbsent(options: CompleteOptions): Promise<number> {
  const backoff = new Backoff(options);
  const done = { marked: 0 };
  let attempts = 0;
  try {
    while (attempts < MAX_ATTEMPTS) {
      const failed = await markFound(options, backoff, done);
      if (options.signal?.aborted === true || failed.conflicts + failed.blocked === 0) return done.marked;
      if (failed.blocked === 0) attempts += 1;
    }
  } catch (error) {
    if (options.signal?.aborted === true) return done.marked;
    throw error;
  }
  throw new Error('Other loads keep changing the listings that are absent from this feed.');
}

async function markFound(options: CompleteOptions, backoff: Backoff, done: { marked: number }) {
  const { es, indexPrefix, seen, source, now, run } = options;
  const failed = { conflicts: 0, blocked: 0 };
  await refresh(options, backoff);
  for await (const hits of availablePages(options, backoff)) {
    const updated_at = formatInstant(now().getTime());
    const writes = hits
      .filter(({ listing }) => !seen.has(source, listing.sku) && !isNewer(listing, options))
      .map((over) => ({ listing: unavailable(over.listing, { run, updated_at }), over }));
    for (const result of await storeListings(es, productsAlias(indexPrefix), writes, backoff)) {
      if (result === 'written') done.marked += 1;
      else if (result === 'conflict') failed.conflicts += 1;
      else if (result === 'blocked') failed.blocked += 1;
      else throw new Error(`A listing could not be marked unavailable: ${result.rejected}`);
    }
    if (failed.blocked === 0) backoff.reset();
  }
  if (done.marked > 0) await refresh(options, backoff);
  return failed;
}

function unavailable(
  listing: StoredListing,
  { run, updated_at }: { run: string | undefined; updated_at: string },
): StoredListing {
  const { internal } = listing;
  const traced =
    run === undefined || internal.lineage === undefined
      ? internal
      : { ...internal, lineage: extendLineage(internal.lineage, { run }, ['is_available'], updated_at) };
  return { ...listing, is_available: false, updated_at, internal: traced };
}

const isNewer = ({ internal }: StoredListing, { asOf }: CompleteOptions): boolean =>
  compareInstants(internal.observed_at, asOf) > 0;

async function refresh({ es, indexPrefix, dryRun }: CompleteOptions, backoff: Backoff): Promise<void> {
  if (dryRun !== true) await backoff.retry(() => es.indices.refresh({ index: productsAlias(indexPrefix) }));
}

const availablePages = (
  { es, indexPrefix, source, signal }: CompleteOptions,
  backoff: Backoff,
  fields?: string[],
): AsyncGenerator<VersionedListing[]> =>
  versionedPages(es, productsAlias(indexPrefix), { query: available(source), fields, backoff, signal });
