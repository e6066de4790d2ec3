import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import type { GtinBrands } from './gtins.js';
import { OUTLIER_TIMES, SharedPrices, SMALL_UNITS } from './prices.js';

/** Buckets a request. */
const PAGE = 5_000;

export interface Look {
  es: Client;
  /** The alias of the product index. */
  products: string;
  backoff: Backoff;
  /** Limits the counts to these values; absent: the whole catalogue is counted. */
  related?: Related;
}

/** The values of the listings that are judged. Counts are complete for these values, and for no others. */
export interface Related {
  sources: readonly string[];
  gtins: ReadonlySet<string>;
  twins: readonly string[];
  groups: readonly number[];
}

const within = (field: string, values?: Iterable<string | number>): estypes.QueryDslQueryContainer =>
  values === undefined ? { match_all: {} } : { terms: { [field]: [...values] } };

/** What listings say of each other, as the engine counts it; no listing is read for it. */
export interface Said {
  shared: SharedPrices;
  /** The GTINs that listings of several brands have. */
  contested: ReadonlyMap<string, GtinBrands>;
  /** How many listings are twins of each other. */
  twins: ReadonlyMap<string, number>;
  /** Groups with prices so far apart that one may be none. */
  uneven: readonly number[];
}

export const lookAround = async (look: Look): Promise<Said> => ({
  shared: await sharedPrices(look),
  contested: await contestedGtins(look),
  twins: await twinCounts(look),
  uneven: await unevenGroups(look),
});

/** How often each source has each small price. */
async function sharedPrices(look: Look): Promise<SharedPrices> {
  const shared = new SharedPrices();
  const source = { source: { terms: { field: 'source' } } };
  const ofSources = within('source', look.related?.sources);
  for await (const { key, doc_count } of buckets(look, [source], { query: ofSources }))
    shared.add(String(key['source']), null, doc_count);
  const prices = [source, { units: { terms: { field: 'internal.price_units' } } }];
  const small = { range: { 'internal.price_units': { lte: SMALL_UNITS } } };
  for await (const { key, doc_count } of buckets(look, prices, {
    query: { bool: { filter: [small, ofSources] } },
  })) {
    shared.add(String(key['source']), Number(key['units']), doc_count);
  }
  return shared;
}

async function contestedGtins(look: Look): Promise<Map<string, GtinBrands>> {
  const contested = new Map<string, GtinBrands>();
  const sources = [
    { gtin: { terms: { field: 'internal.gtins' } } },
    { brand: { terms: { field: 'internal.brand' } } },
    { source: { terms: { field: 'source' } } },
  ];
  let gtin = '';
  let brands = new Map<string, Map<string, number>>();
  // Sorted by the GTIN, so the buckets of one GTIN follow one another.
  const { gtins } = look.related ?? {};
  for await (const { key, doc_count } of buckets(look, sources, { query: within('internal.gtins', gtins) })) {
    if (gtins?.has(String(key['gtin'])) === false) continue;
    if (key['gtin'] !== gtin) {
      gtin = String(key['gtin']);
      brands = new Map();
    }
    const brand = String(key['brand']);
    const counts = brands.get(brand) ?? new Map<string, number>();
    brands.set(brand, counts.set(String(key['source']), doc_count));
    if (brands.size === 2) contested.set(gtin, { gtin, brands });
  }
  return contested;
}

async function twinCounts(look: Look): Promise<Map<string, number>> {
  const twins = new Map<string, number>();
  for await (const { key, doc_count } of buckets(look, [{ twin: { terms: { field: 'internal.twin' } } }], {
    query: within('internal.twin', look.related?.twins),
  })) {
    if (doc_count > 1) twins.set(String(key['twin']), doc_count);
  }
  return twins;
}

/** Of groups in several currencies the figures tell nothing, so they are all among them. */
async function unevenGroups(look: Look): Promise<number[]> {
  const groups: number[] = [];
  const aggs = {
    low: { min: { field: 'internal.price_units' } },
    high: { max: { field: 'internal.price_units' } },
    currencies: { cardinality: { field: 'currency' } },
  };
  const sources = [{ group: { terms: { field: 'internal.group_id' } } }];
  for await (const { key, doc_count, low, high, currencies } of buckets(look, sources, {
    query: within('internal.group_id', look.related?.groups),
    aggs,
  })) {
    const isUneven = (currencies?.value ?? 0) > 1 || (high?.value ?? 0) > OUTLIER_TIMES * (low?.value ?? 0);
    if (doc_count > 1 && isUneven) groups.push(Number(key['group']));
  }
  return groups;
}

interface Bucket extends Partial<Record<'low' | 'high' | 'currencies', { value: number | null }>> {
  key: Record<string, estypes.FieldValue>;
  doc_count: number;
}

/** All combinations of values, a page at a time: a composite aggregation is exact, and goes on however many there are. */
async function* buckets(
  { es, products, backoff }: Look,
  sources: Record<string, estypes.AggregationsCompositeAggregationSource>[],
  { query = { match_all: {} }, aggs = {} }: Pick<estypes.SearchRequest, 'query' | 'aggs'> = {},
): AsyncGenerator<Bucket> {
  let after: Bucket['key'] | undefined;
  do {
    const composite = { size: PAGE, sources, ...(after === undefined ? {} : { after }) };
    const request: estypes.SearchRequest = {
      index: products,
      size: 0,
      track_total_hits: false,
      query,
      allow_partial_search_results: false,
      aggs: { pages: { composite, aggs } },
    };
    const answer = await backoff.retry(() =>
      es.search<unknown, { pages: { buckets: Bucket[]; after_key?: Bucket['key'] } }>(request),
    );
    backoff.reset();
    yield* answer.aggregations?.pages.buckets ?? [];
    after = answer.aggregations?.pages.after_key;
  } while (after !== undefined);
}
