import type { Client, estypes } from '@elastic/elasticsearch';
import { productsAlias } from '../../engine/indices.js';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { Backoff, type BackoffOptions } from '../../engine/backoff.js';
import type { SeenListings } from './repeats.js';
import { versionedPages } from '../../engine/search-pages.js';
import { type VersionedListing, storeListings } from '../../engine/listing-store.js';

interface CompleteOptions extends BackoffOptions {
  es: Client;
  indexPrefix: string;
  source: string;
  seen: SeenListings;
  /** When the feed was made (ISO 8601, UTC). Listings that were observed later stay available. */
  asOf: string;
  now: () => Date;
  dryRun?: boolean;
}

/** How many available listings of a source are missing in its complete feed. */
export interface AbsentCounts {
  /** The number of missing listings that were last observed before the feed was made. */
  vanished: number;
  /** The number of listings that the feed lacks but that were observed after the feed was made. */
  newer: number;
}

const MAX_ATTEMPTS = 20;

const available = (source: string): estypes.QueryDslQueryContainer => ({
  bool: { filter: { term: { source } }, must_not: { term: { is_available: false } } },
});

export async function countAvailable(
  source: string,
  { es, indexPrefix }: Pick<CompleteOptions, 'es' | 'indexPrefix'>,
): Promise<number> {
  const index = productsAlias(indexPrefix);
  return (await es.count({ index, ignore_unavailable: true, query: available(source) })).count;
}

/**
 * Counts the listings that a complete feed lacks: those that `markAbsent` would mark as unavailable, and newer ones.
 */
export async function countAbsent(options: CompleteOptions): Promise<AbsentCounts> {
  const counted = { vanished: 0, newer: 0 };
  const backoff = new Backoff(options);
  await refresh(options, backoff);
  for await (const hits of availablePages(options, backoff, ['sku', 'internal.observed_at'])) {
    for (const { listing } of hits) {
      if (options.seen.has(options.source, listing.sku)) continue;
      if (isNewer(listing, options)) counted.newer += 1;
      else counted.vanished += 1;
    }
  }
  return counted;
}

/**
 * Marks the listings that a complete feed lacks as unavailable. Safe to repeat; a listing that another load writes in
 * the meantime is examined again.
 * @returns the number of listings that were marked, even if the signal was aborted.
 */
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

async function markFound(
  options: CompleteOptions,
  backoff: Backoff,
  done: { marked: number },
): Promise<{ conflicts: number; blocked: number }> {
  const { es, indexPrefix, seen, source, now } = options;
  const failed = { conflicts: 0, blocked: 0 };
  await refresh(options, backoff);
  for await (const hits of availablePages(options, backoff)) {
    const updated_at = formatInstant(now().getTime());
    const writes = hits
      .filter(({ listing }) => !seen.has(source, listing.sku) && !isNewer(listing, options))
      .map(({ listing, ...over }) => ({ listing: { ...listing, is_available: false, updated_at }, over }));
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
