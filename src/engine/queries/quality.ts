import type { estypes } from '@elastic/elasticsearch';
import { STALE_MS } from '../../listing/flags.js';
import type { ClaimVerdict } from '../../schemas/claim.js';
import { type Flag, FLAG_NAMES } from '../../schemas/quality.js';
import type { Filters } from './filters.js';
import { filterClauses } from './refinements.js';
import { freshnessFilters } from './sources.js';
import { type AggregationRequests, CACHED_COUNTS, type QueryClause, type Selection } from './selection.js';

const MAX_SOURCES = 1_000;

/** The fields whose completeness is reported, each with the index field that exists exactly if a listing states it. */
const STATED: Record<string, string> = {
  brand: 'internal.brand',
  category: 'category',
  price: 'internal.price_units',
  currency: 'currency',
  description: 'description',
  rating: 'internal.rating',
  is_available: 'is_available',
  gtin: 'internal.gtins',
  model: 'internal.models',
};

/** What is known about prices besides the price itself, each with the index field that exists exactly if it is known. */
const KNOWN_PRICES = { delivery: 'internal.delivery.units', unit_price: 'internal.quantity.unit_price' };

/** The verdicts on the price reductions of shops that rest on observed prices. */
const JUDGED = ['supported', 'exaggerated', 'unsupported'] as const satisfies readonly ClaimVerdict[];

/** The quality flags of listings that state something wrong, as opposed to something missing. */
const SERIOUS: readonly Flag[] = [
  'price_placeholder',
  'price_outlier',
  'gtin_check',
  'gtin_conflict',
  'condition_conflict',
  'duplicate',
];

/**
 * A clause for the listings with a quality flag. The flag `stale` is not stored but computed from the time
 * of the last observation, because it depends on the time of the request.
 */
function flagClause(flag: Flag, now: Date): QueryClause {
  if (flag !== 'stale') return { term: { 'internal.flags': flag } };
  return { range: { 'internal.observed_at': { lt: new Date(now.getTime() - STALE_MS).toISOString() } } };
}

/** A request that counts the quality flags of the listings of each source, and of all listings together. */
export function qualityRequest(filters: Filters, now: Date): estypes.SearchRequest {
  const aggs = assessed(now);
  return {
    ...CACHED_COUNTS,
    track_total_hits: true,
    query: { bool: { filter: filterClauses(filters, now) } },
    aggs: {
      all: { filter: { match_all: {} }, aggs },
      sources: { terms: { field: 'source', size: MAX_SOURCES }, aggs },
    },
  };
}

function assessed(now: Date): AggregationRequests {
  const flags = FLAG_NAMES.map((flag) => [flag, flagClause(flag, now)] as const);
  const judged = JUDGED.map((verdict) => [verdict, { term: { 'internal.claim.verdict': verdict } }] as const);
  // A listing whose price is usual at other owners has no declared discount, although its stated reduction was judged.
  const stated = [
    { exists: { field: 'internal.declared_discount' } },
    { terms: { 'internal.claim.verdict': [...JUDGED] } },
  ];
  return {
    stated: counted({ ...withFields(STATED), image: { term: { 'internal.has_image': true } } }),
    known: counted(withFields(KNOWN_PRICES)),
    freshness: freshnessFilters(now),
    flags: counted(Object.fromEntries(flags)),
    claims: counted({ stated: { bool: { should: stated } }, ...Object.fromEntries(judged) }),
    serious: { filter: { terms: { 'internal.flags': [...SERIOUS] } } },
  };
}

const counted = (filters: Record<string, QueryClause>): AggregationRequests[string] => ({
  filters: { filters },
});

const withFields = (fields: Readonly<Record<string, string>>): Record<string, QueryClause> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { exists: { field } }]));

/** Selects the listings with one quality flag, sorted by id. */
export const flaggedSelection = (flag: Flag, filters: Filters, now: Date): Selection => ({
  query: { bool: { filter: [...filterClauses(filters, now), flagClause(flag, now)] } },
  sort: [{ id: 'asc' }],
});
