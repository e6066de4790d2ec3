import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { totalOf } from '../../engine/deep-offset.js';
import { sendUpdates, type VersionedListing } from '../../engine/listing-store.js';
import { declaredDiscount } from '../../listing/deals.js';
import { toUnits } from '../../listing/price.js';
import { settledChanges } from '../../listing/changes.js';
import { peerFlagsBasis, flagsOf, ownFlagReasons } from '../../listing/flags.js';
import type { FlagReasons, StoredListing } from '../../listing/listing.js';
import { ownerOf } from '../../listing/owner.js';
import type { ExchangeRates } from '../../listing/rates.js';
import { type Flag, FLAG_NAMES } from '../../schemas/quality.js';
import type { Connections } from '../../listing/connections.js';
import { candidateSets, inGroups, relatedTo } from './candidates.js';
import { type Catalogue, type Evidence, gatherEvidence } from './evidence.js';
import { gtinConflictReasons, MAX_COPIES_STATED, priceReasons, usualOfOthers } from './rules.js';

interface FlagOptions {
  es: Client;
  products: string;
  rates: ExchangeRates;
  /** The ids of the groups whose listings are checked; by default, the whole catalogue is checked. */
  groups?: readonly number[];
  /** Stops the run after the current page. Flags that were written remain. */
  signal?: AbortSignal | undefined;
  /** The share of the time in which the run works; it pauses in the rest. */
  share?: number | undefined;
  onProgress?: (listings: number) => void;
  onWait?: (note: string) => void;
}

/**
 * Updates the flags that depend on other listings: unusual or shared small prices, GTINs with several brands, and duplicates.
 * Only listings whose flags may change are read. The run may be stopped or killed at any time and repeated.
 */
export async function flagListings(options: FlagOptions) {
  const { es, products, groups, onWait, signal, share } = options;
  const backoff = new Backoff({ onWait, signal, share });
  const catalogue = { es, products, backoff };
  await es.indices.refresh({ index: products });
  const related = groups === undefined ? null : await inGroups(groups, catalogue);
  const evidence = await gatherEvidence(catalogue, related?.scope);
  const sets = candidateSets(catalogue, evidence, related?.single);
  const written = await flagCandidates(sets, catalogue, evidence, options);
  await es.indices.refresh({ index: products });
  return { ...written, ...(await countFlags(es, products)) };
}

export type FlagSummary = Awaited<ReturnType<typeof flagListings>>;

const MAX_ATTEMPTS = 4;

/**
 * Updates the flags of listings that were just written and of related ones, after a refresh of the index.
 * @param written the values of the written listings, before and after the write; those of a thousand listings at most.
 * @returns the number of listings whose flags changed.
 */
export async function flagWritten(
  written: readonly Connections[],
  { rates, ...catalogue }: Catalogue & { rates: ExchangeRates },
): Promise<number> {
  let changed = 0;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { single, scope } = await relatedTo(written, catalogue);
    const evidence = await gatherEvidence(catalogue, scope);
    const sets = candidateSets(catalogue, evidence, single);
    const counts = await flagCandidates(sets, catalogue, evidence, { rates });
    changed += counts.changed;
    if (counts.left === 0) break;
    await catalogue.es.indices.refresh({ index: catalogue.products });
  }
  return changed;
}

async function flagCandidates(
  pages: AsyncIterable<VersionedListing[][]>,
  catalogue: Catalogue,
  evidence: Evidence,
  { rates, signal, onProgress }: Pick<FlagOptions, 'rates' | 'signal' | 'onProgress'>,
) {
  const checked = new Set<number>();
  /** `left`: listings that something else wrote at the same time, which the next run updates. */
  const counts = { changed: 0, left: 0 };
  for await (const sets of pages) {
    if (signal?.aborted) break;
    // Listings that have been checked already were checked together with their group.
    const open = sets.filter(([first]) => first !== undefined && !checked.has(first.listing.id));
    const updates = open.flatMap((set) => updatesOf(set, evidence, rates));
    for (const { listing } of open.flat()) checked.add(listing.id);
    const { changed, left } = await sendUpdates(catalogue.es, catalogue.products, updates, catalogue.backoff);
    counts.changed += changed;
    counts.left += left;
    onProgress?.(checked.size);
  }
  return counts;
}

function updatesOf(set: readonly VersionedListing[], evidence: Evidence, rates: ExchangeRates): string[] {
  const shared = set.map(({ listing: { source, internal } }) =>
    evidence.sharedPrices.reasons(source, internal.price_units),
  );
  const offers = set.map(({ listing }, i) => {
    const { price_placeholder } = { ...ownFlagReasons(listing, listing.internal), ...shared[i] };
    const { price_units: units } = listing.internal;
    const isPlaceholder = price_placeholder !== undefined;
    return { owner: ownerOf(listing), units, currency: listing.currency, isPlaceholder };
  });
  const prices = priceReasons(offers, rates);
  return set.flatMap(({ listing, index, seqNo, primaryTerm }, i) => {
    const { internal } = listing;
    const reasons = { ...prices[i], ...shared[i], ...gtinAndDuplicateReasons(listing, evidence) };
    const { list_price, price_units } = internal;
    const own = offers[i];
    const usual = list_price === null || own === undefined ? null : usualOfOthers(offers, own, rates);
    const stated = usual === null ? { reasons } : { reasons, usual_units: usual };
    const isUnjudged = Object.keys(reasons).length === 0 && usual === null;
    const judged = isUnjudged ? null : { basis: peerFlagsBasis(listing, internal), ...stated };
    const isReduced = list_price !== null && price_units !== null;
    const found = {
      judged,
      flags: flagsOf(listing, { ...internal, judged }),
      declared_discount: isReduced ? declaredDiscount(price_units, toUnits(list_price), usual) : null,
      crowd: isCrowd(listing, evidence),
    };
    const { judged: judgedBefore = null, flags, declared_discount, crowd } = internal;
    // The comparison is deep, because the engine does not preserve the order of an object's members.
    if (isDeepStrictEqual(found, { judged: judgedBefore, flags, declared_discount, crowd })) return [];
    const target = { _index: index, require_alias: false, _id: String(listing.id) };
    const update = { ...target, if_seq_no: seqNo, if_primary_term: primaryTerm };
    // The update is a script, because a partial document would be merged with the old reasons.
    const changes = settledChanges(internal, { index, seqNo });
    const script = { source: REPLACE, params: { ...found, crowd: found.crowd ?? null, changes } };
    return [`${JSON.stringify({ update })}\n${JSON.stringify({ script })}`];
  });
}

const REPLACE = `ctx._source.internal.judged = params.judged; ctx._source.internal.flags = params.flags;
ctx._source.internal.declared_discount = params.declared_discount;
if (params.crowd != null) ctx._source.internal.crowd = params.crowd;
if (params.changes != null) ctx._source.internal.changes = params.changes`;

/** Whether a listing has a better near-identical one of its owner, or one in a long series; undefined in an earlier schema. */
function isCrowd(
  { id, internal: { alike, series = '', crowd } }: StoredListing,
  { bestAlike, bestOfSeries }: Evidence,
): boolean | undefined {
  if (crowd === undefined || alike === undefined) return crowd;
  return (bestOfSeries.get(series) ?? bestAlike.get(alike) ?? id) !== id;
}

function gtinAndDuplicateReasons(
  { source, internal }: StoredListing,
  { contestedGtins, duplicates }: Evidence,
): FlagReasons {
  const { gtins, brand = null, twin: duplicateKey = null } = internal;
  // If several GTINs of a listing conflict with other brands, the reason states only the first one.
  const conflict = gtins
    .flatMap((gtin) => contestedGtins.get(gtin) ?? [])
    .map((brands) => gtinConflictReasons(brands, brand))
    .find((reasons) => reasons.gtin_conflict !== undefined);
  const copies = duplicateKey === null ? undefined : duplicates.get(duplicateKey);
  const number = (copies ?? 0) > MAX_COPIES_STATED ? `more than ${MAX_COPIES_STATED}` : copies;
  if (copies === undefined) return { ...conflict };
  return { ...conflict, duplicate: `one of ${number} listings of ${source} with this name and price` };
}

async function countFlags(es: Client, index: string) {
  interface Counts {
    flagged: { doc_count: number };
    flags: { buckets: { key: Flag; doc_count: number }[] };
  }
  const answer = await es.search<unknown, Counts>({
    index,
    size: 0,
    track_total_hits: true,
    filter_path: ['hits.total', 'aggregations'],
    aggs: {
      flagged: { filter: { exists: { field: 'internal.flags' } } },
      flags: { terms: { field: 'internal.flags', size: FLAG_NAMES.length } },
    },
  });
  const { flagged, flags } = answer.aggregations ?? {};
  const counts = (flags?.buckets ?? []).map(({ key, doc_count }) => [key, doc_count]);
  return {
    listings: totalOf(answer),
    flagged: flagged?.doc_count ?? 0,
    flags: Object.fromEntries(counts) as Partial<Record<Flag, number>>,
  };
}
