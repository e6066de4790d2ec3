import type { estypes } from '@elastic/elasticsearch';
import { MISTRUSTED, STALE_MS } from '../../listing/flags.js';
import { type Flag, FLAG_NAMES } from '../../schemas/flags.js';
import type { Filters } from '../../schemas/filters.js';
import { freshnessFilters } from './freshness.js';
import { filterClauses } from './listings.js';
import type { Selection } from './selection.js';

type Query = estypes.QueryDslQueryContainer;

/** More sources than anybody has. */
const MOST_SOURCES = 1_000;

/** The fields that a listing is the better for, and where they show. */
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

/** A listing with one of these is not what it says. */
const SERIOUS: readonly Flag[] = [
  ...(['price_placeholder', 'price_outlier', 'gtin_check', 'gtin_conflict', 'duplicate'] as const),
];

/** Listings with a flag. That one was not checked for long is seen as it is asked for. */
export function flagClause(flag: Flag, now: Date): Query {
  if (flag !== 'stale') return { term: { 'internal.flags': flag } };
  return { range: { last_checked: { lt: new Date(now.getTime() - STALE_MS).toISOString() } } };
}

/** Listings whose price is none to buy at. */
export const mistrusted: Query = { terms: { 'internal.flags': [...MISTRUSTED] } };

/** How far the listings of each source, and all of them, can be trusted. */
export function qualityRequest(filters: Filters, now: Date): estypes.SearchRequest {
  const aggs = assessed(now);
  return {
    size: 0,
    track_total_hits: true,
    allow_partial_search_results: false,
    request_cache: true,
    query: { bool: { filter: filterClauses(filters, now) } },
    aggs: {
      all: { filter: { match_all: {} }, aggs },
      sources: { terms: { field: 'source', size: MOST_SOURCES }, aggs },
    },
  };
}

function assessed(now: Date): Record<string, estypes.AggregationsAggregationContainer> {
  const stated = Object.entries(STATED).map(([name, field]): [string, Query] => [
    name,
    { exists: { field } },
  ]);
  return {
    stated: {
      filters: {
        filters: { ...Object.fromEntries(stated), image: { term: { 'internal.has_image': true } } },
      },
    },
    freshness: freshnessFilters(now),
    flags: {
      filters: { filters: Object.fromEntries(FLAG_NAMES.map((flag) => [flag, flagClause(flag, now)])) },
    },
    serious: { filter: { terms: { 'internal.flags': [...SERIOUS] } } },
  };
}

/** Listings with a flag, by id. */
export const flaggedSelection = (flag: Flag, filters: Filters, now: Date): Selection => ({
  query: { bool: { filter: [...filterClauses(filters, now), flagClause(flag, now)] } },
  sort: [{ id: 'asc' }],
});
