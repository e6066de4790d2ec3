import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { COUNTS } from '../../engine/queries/selection.js';
import { compositeBuckets } from '../../engine/search-pages.js';
import { chunksOf } from '../../platform/chunks.js';
import { isInStoreGtin } from '../../listing/gtin.js';
import { ownerOf } from '../../listing/owner.js';
import { isUnusuallyLow, MIN_OWNERS } from '../../listing/usual-price.js';
import { type GtinBrands, MAX_SHARED_UNITS, SharedPrices } from './rules.js';

export interface Catalogue {
  es: Client;
  products: string;
  backoff: Backoff;
}

/** The values for which evidence is gathered. Others are not counted. */
export const emptyScope = () => ({
  sources: new Set<string>(),
  gtins: new Set<string>(),
  duplicateKeys: new Set<string>(),
  /** Keys of near-identical listings (`internal.alike`). */
  alike: new Set<string>(),
  /** Keys of listings whose names differ only in numbers (`internal.series`). */
  series: new Set<string>(),
  groups: new Set<number>(),
});
export type Scope = ReturnType<typeof emptyScope>;

/** Gathers evidence for flags by aggregations, for the values of a scope, or without one for the whole catalogue. */
export const gatherEvidence = async (catalogue: Catalogue, scope?: Scope) => ({
  sharedPrices: await sharedPrices(catalogue, scope?.sources),
  /** The brands of the GTINs that listings of several brands have, without in-store numbers. */
  contestedGtins: await contestedGtins(catalogue, scope),
  /** The number of listings by duplicate key (`internal.twin`), if there are several. */
  duplicates: await duplicateCounts(catalogue, scope),
  ...(await bestOfMany(catalogue, scope)),
  /** The groups whose prices differ so much that one may be unusual, or that have a list price to compare. */
  unevenGroups: await unevenGroups(catalogue, scope),
});
export type Evidence = Awaited<ReturnType<typeof gatherEvidence>>;

const within = (field: string, values?: Iterable<string | number>): estypes.QueryDslQueryContainer =>
  values === undefined ? { match_all: {} } : { terms: { [field]: [...values] } };

const termsOf = (field: string) => ({ terms: { field } });

/** Counts the listings of sources, and those of them that share a very low price. */
export async function sharedPrices(catalogue: Catalogue, sources?: Iterable<string>): Promise<SharedPrices> {
  const shared = new SharedPrices();
  const source = { source: termsOf('source') };
  const ofSources = within('source', sources);
  for await (const { key, doc_count } of buckets(catalogue, [source], { query: ofSources }))
    shared.setListings(String(key['source']), doc_count);
  const small = { range: { 'internal.price_units': { lte: MAX_SHARED_UNITS } } };
  const query = { bool: { filter: [small, ofSources] } };
  const prices = [source, { units: termsOf('internal.price_units') }];
  for await (const { key, doc_count } of buckets(catalogue, prices, { query }))
    shared.setSharing(String(key['source']), Number(key['units']), doc_count);
  return shared;
}

async function contestedGtins(catalogue: Catalogue, scope?: Scope): Promise<Map<string, GtinBrands>> {
  const contested = new Map<string, GtinBrands>();
  const sources = [
    { gtin: termsOf('internal.gtins') },
    { brand: termsOf('internal.brand') },
    { source: termsOf('source') },
    // An index of an earlier schema has no owners.
    { owner: { terms: { field: 'internal.owner', missing_bucket: true } } },
  ];
  const query = within('internal.gtins', scope?.gtins);
  let gtin = '';
  let brands = new Map<string, Map<string, number>>();
  // Buckets are sorted by GTIN first, so all buckets with the same GTIN are adjacent.
  for await (const { key, doc_count } of buckets(catalogue, sources, { query })) {
    if (isInStoreGtin(String(key['gtin']))) continue;
    // A listing may also have GTINs outside of the scope, whose counts are incomplete.
    if (scope?.gtins.has(String(key['gtin'])) === false) continue;
    if (key['gtin'] !== gtin) {
      gtin = String(key['gtin']);
      brands = new Map();
    }
    const brand = String(key['brand']);
    const counts = brands.get(brand) ?? new Map<string, number>();
    const internal = typeof key['owner'] === 'string' ? { owner: key['owner'] } : {};
    const owner = ownerOf({ source: String(key['source']), internal });
    brands.set(brand, counts.set(owner, (counts.get(owner) ?? 0) + doc_count));
    if (brands.size === 2) contested.set(gtin, { gtin, brands });
  }
  return contested;
}

/** Counts the listings by duplicate key, for keys that several listings have. */
export async function duplicateCounts(catalogue: Catalogue, scope?: Pick<Scope, 'duplicateKeys'>) {
  const duplicates = new Map<string, number>();
  const field = 'internal.twin';
  const counted =
    scope === undefined
      ? keysOfMany(catalogue, field, 2)
      : keysAmong(catalogue, [...scope.duplicateKeys], { field, atLeast: 2 });
  for await (const { key, doc_count } of counted) duplicates.set(key, doc_count);
  return duplicates;
}

const KEYS_PER_REQUEST = 500;

interface KeyBucket {
  key: string;
  doc_count: number;
}

async function* keysOfMany(catalogue: Catalogue, field: string, atLeast: number): AsyncGenerator<KeyBucket> {
  for await (const { key, doc_count } of buckets(catalogue, [{ key: termsOf(field) }], {}))
    if (doc_count >= atLeast) yield { key: String(key['key']), doc_count };
}

/** Yields the given keys that enough listings have. The execution hint avoids global ordinals, which each write invalidates. */
async function* keysAmong<Bucket extends KeyBucket>(
  { es, products: index, backoff }: Catalogue,
  keys: readonly string[],
  { field, atLeast, aggs = {} }: { field: string; atLeast: number; aggs?: estypes.SearchRequest['aggs'] },
): AsyncGenerator<Bucket> {
  for (const some of chunksOf(keys, KEYS_PER_REQUEST)) {
    const size = { size: some.length, min_doc_count: atLeast };
    const terms = { field, include: [...some], ...size, execution_hint: 'map' as const };
    const request = { index, ...COUNTS, query: within(field, some), aggs: { keys: { terms, aggs } } };
    const found = await backoff.retry(() => es.search<unknown, { keys: { buckets: Bucket[] } }>(request));
    yield* found.aggregations?.keys.buckets ?? [];
  }
}

/** From this size on, a series is flagged. The longest one in eleven catalogues of up to 50,000 listings has 16 listings. */
const MIN_SERIES = 20;

/** The ids of the best near-identical listings and the best of each long series, by key; empty if there is only one owner. */
export async function bestOfMany(catalogue: Catalogue, scope?: Pick<Scope, 'alike' | 'series'>) {
  const none = new Map<string, number>();
  if (!(await hasSeveralOwners(catalogue))) return { bestAlike: none, bestOfSeries: none };
  return {
    bestAlike: await bestOf(catalogue, 'internal.alike', 2, scope?.alike),
    bestOfSeries: await bestOf(catalogue, 'internal.series', MIN_SERIES, scope?.series),
  };
}

async function bestOf(catalogue: Catalogue, field: string, atLeast: number, values?: Iterable<string>) {
  const best = new Map<string, number>();
  const keys = [...(values ?? [])];
  if (values === undefined) for await (const { key } of keysOfMany(catalogue, field, atLeast)) keys.push(key);
  const top_hits = { size: 1, sort: BEST_FIRST, _source: false, docvalue_fields: ['id'] };
  const found = keysAmong<BestBucket>(catalogue, keys, { field, atLeast, aggs: { first: { top_hits } } });
  for await (const { key, first } of found) best.set(key, first.hits.hits[0]?.fields.id[0] ?? 0);
  return best;
}

const BEST_FIRST: estypes.SortCombinations[] = [
  { is_available: { order: 'desc', missing: '_first' } },
  { 'internal.price_units': { order: 'asc', missing: '_last' } },
  { id: 'asc' },
];

interface BestBucket extends KeyBucket {
  first: { hits: { hits: { fields: { id: number[] } }[] } };
}

async function hasSeveralOwners({ es, products, backoff }: Catalogue): Promise<boolean> {
  const owned = { exists: { field: 'internal.owner' } };
  const one = { index: products, size: 1, track_total_hits: false, allow_partial_search_results: false };
  const ownerOnly = { ...one, _source: false, docvalue_fields: ['internal.owner'] };
  const firstOf = (query: estypes.QueryDslQueryContainer) =>
    backoff.retry(() => es.search({ ...ownerOnly, query }));
  const [first] = (await firstOf(owned)).hits.hits;
  if (first === undefined) return false;
  const [owner = ''] = first.fields?.['internal.owner'] as string[];
  const others = { bool: { filter: owned, must_not: { term: { 'internal.owner': owner } } } };
  return (await firstOf(others)).hits.hits.length > 0;
}

async function unevenGroups(catalogue: Catalogue, scope?: Scope): Promise<number[]> {
  const groups: number[] = [];
  const aggs = {
    low: { min: { field: 'internal.price_units' } },
    high: { max: { field: 'internal.price_units' } },
    currencies: { cardinality: { field: 'currency' } },
    declared: { value_count: { field: 'internal.list_price_observed' } },
  };
  const query = within('internal.group_id', scope?.groups);
  const found = buckets(catalogue, [{ group: termsOf('internal.group_id') }], { query, aggs });
  for await (const { key, doc_count, low, high, currencies, declared } of found) {
    // Groups with several currencies are always checked. A price below half of the usual one is below half of the highest.
    const isUneven = (currencies?.value ?? 0) > 1 || isUnusuallyLow(low?.value ?? 0, high?.value ?? 0);
    const isCompared = (declared?.value ?? 0) > 0 && doc_count > MIN_OWNERS;
    if (doc_count > 1 && (isUneven || isCompared)) groups.push(Number(key['group']));
  }
  return groups;
}

interface EvidenceBucket extends Partial<
  Record<'low' | 'high' | 'currencies' | 'declared', { value: number | null }>
> {
  key: Record<string, estypes.FieldValue>;
  doc_count: number;
}

const BUCKETS_PER_PAGE = 5_000;

function buckets(
  { es, products: index, backoff }: Catalogue,
  sources: Record<string, estypes.AggregationsCompositeAggregationSource>[],
  { query, aggs = {} }: Pick<estypes.SearchRequest, 'query' | 'aggs'>,
): AsyncGenerator<EvidenceBucket> {
  const pages = { composite: { size: BUCKETS_PER_PAGE, sources }, aggs };
  const request = { index, ...COUNTS, ...(query && { query }), aggs: { pages } };
  return compositeBuckets(es, request, 'pages', backoff);
}
