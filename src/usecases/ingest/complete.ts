import type { Client, estypes } from '@elastic/elasticsearch';
import { productsAlias } from '../../engine/indices.js';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { Backoff, type BackoffOptions } from '../../engine/backoff.js';
import type { SeenListings } from './seen.js';
import { type Versioned, writeListings } from '../../engine/listing-store.js';

export interface CompleteOptions extends BackoffOptions {
  es: Client;
  indexPrefix: string;
  source: string;
  /** Every listing of the source's complete feed. */
  seen: SeenListings;
  /** When the feed was made: what was observed later is newer than the feed, and stays. ISO 8601, UTC. */
  asOf: string;
  now: () => Date;
  /** Only count them. */
  dryRun?: boolean;
}

/** What a complete feed of a source says of its other listings. */
export interface Absent {
  /** Available listings that it does not know, */
  vanished: number;
  /** and those of them that were observed after it was made. */
  newer: number;
}

const PAGE = 1_000;
const MAX_PASSES = 20;

const available = (source: string): estypes.QueryDslQueryContainer => ({
  bool: { filter: { term: { source } }, must_not: { term: { is_available: false } } },
});

/** How many listings of a source are not known to be unavailable. */
export async function countAvailable(
  source: string,
  { es, indexPrefix }: Pick<CompleteOptions, 'es' | 'indexPrefix'>,
): Promise<number> {
  const index = productsAlias(indexPrefix);
  return (await es.count({ index, ignore_unavailable: true, query: available(source) })).count;
}

/** Counts what `markAbsent` would mark, and what it would leave because it is newer than the feed. */
export async function countAbsent(options: CompleteOptions): Promise<Absent> {
  const counted = { vanished: 0, newer: 0 };
  const backoff = new Backoff(options);
  await refresh(options, backoff);
  for await (const hits of availableListings(options, backoff, ['sku', 'internal.observed_at'])) {
    for (const { listing } of hits) {
      if (options.seen.has(options.source, listing.sku)) continue;
      if (isNewer(listing, options)) counted.newer += 1;
      else counted.vanished += 1;
    }
  }
  return counted;
}

/**
 * Marks the listings of a source that its complete feed does not know as unavailable. Repeating it changes nothing;
 * a listing that another load writes meanwhile is looked at again.
 * @returns how many listings changed; with an aborted signal, up to then.
 */
export async function markAbsent(options: CompleteOptions): Promise<number> {
  const backoff = new Backoff(options);
  const done = { marked: 0 };
  let passes = 0;
  try {
    while (passes < MAX_PASSES) {
      const pass = await markPass(options, backoff, done);
      if (options.signal?.aborted === true || pass.conflicts + pass.blocked === 0) return done.marked;
      if (pass.blocked === 0) passes += 1;
    }
  } catch (error) {
    if (options.signal?.aborted === true) return done.marked;
    throw error;
  }
  throw new Error('Other loads keep changing the listings that are absent from this feed.');
}

async function markPass(
  options: CompleteOptions,
  backoff: Backoff,
  done: { marked: number },
): Promise<{ conflicts: number; blocked: number }> {
  const { es, indexPrefix, seen, source, now } = options;
  const pass = { conflicts: 0, blocked: 0 };
  await refresh(options, backoff);
  for await (const hits of availableListings(options, backoff)) {
    const updated_at = formatInstant(now().getTime());
    const writes = hits
      .filter(({ listing }) => !seen.has(source, listing.sku) && !isNewer(listing, options))
      .map(({ listing, ...over }) => ({ listing: { ...listing, is_available: false, updated_at }, over }));
    for (const result of await writeListings(es, productsAlias(indexPrefix), writes, backoff)) {
      if (result === 'written') done.marked += 1;
      else if (result === 'conflict') pass.conflicts += 1;
      else if (result === 'blocked') pass.blocked += 1;
      else throw new Error(`A listing could not be marked unavailable: ${result.rejected}`);
    }
    if (pass.blocked === 0) backoff.reset();
  }
  if (done.marked > 0) await refresh(options, backoff);
  return pass;
}

const isNewer = ({ internal }: StoredListing, { asOf }: CompleteOptions): boolean =>
  compareInstants(internal.observed_at, asOf) > 0;

async function refresh({ es, indexPrefix, dryRun }: CompleteOptions, backoff: Backoff): Promise<void> {
  if (dryRun !== true) await backoff.retry(() => es.indices.refresh({ index: productsAlias(indexPrefix) }));
}

/** The source's available listings, page by page, until the signal ends it. */
async function* availableListings(
  { es, indexPrefix, source, signal }: CompleteOptions,
  backoff: Backoff,
  fields?: string[],
): AsyncGenerator<Versioned[]> {
  let after: estypes.SortResults | undefined;
  do {
    const { hits } = (
      await backoff.retry(() =>
        es.search<StoredListing>(
          {
            index: productsAlias(indexPrefix),
            ignore_unavailable: true,
            size: PAGE,
            sort: [{ id: 'asc' }],
            track_total_hits: false,
            seq_no_primary_term: true,
            query: available(source),
            ...(fields === undefined ? {} : { _source: fields }),
            ...(after === undefined ? {} : { search_after: after }),
          },
          signal === undefined ? {} : { signal },
        ),
      )
    ).hits;
    after = hits.at(-1)?.sort;
    yield hits.map(toVersioned);
  } while (after !== undefined && signal?.aborted !== true);
}

function toVersioned(hit: estypes.SearchHit<StoredListing>): Versioned {
  if (hit._source === undefined) throw new Error('a listing without its source');
  const { _index: index, _source: listing, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = hit;
  return { index, listing, seqNo, primaryTerm };
}
