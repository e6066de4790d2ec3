import type { estypes } from '@elastic/elasticsearch';
import { PRODUCT_KEYS_SCHEMA } from '../../listing/schema-versions.js';
import { CONDITION_FIELD, mistrusted, PRICE_FROM_FIELD } from './filter-clauses.js';
import type { QueryClause } from './selection.js';
import type { ProductSort } from './sorts.js';

/** The index field with the id of the product to which a listing belongs. */
export const GROUP_FIELD = 'internal.group_id';

/** The index field whose value all listings of a product share, in an index of this schema version. */
export const productField = (schema: number): string =>
  schema < PRODUCT_KEYS_SCHEMA ? GROUP_FIELD : 'internal.product_key';

/** The maximum number of listings of a product that are read. */
export const MAX_GROUP = 200;

/**
 * A query for listings of products, and the order in which those are read that matter most, because an owner may have more
 * listings of a product than are read: those with trusted prices, then those that are not near-identical to a better one of
 * their owner, then the cheapest.
 */
export const foremost = (filter: QueryClause[]): Pick<estypes.SearchSearchRequestBody, 'query' | 'sort'> => ({
  query: { bool: { filter, should: [{ constant_score: { filter: { bool: { must_not: mistrusted } } } }] } },
  sort: [
    '_score',
    { 'internal.crowd': { order: 'asc', missing: '_first', unmapped_type: 'boolean' } },
    { 'internal.price_units': { order: 'asc', missing: '_last', unmapped_type: 'long' } },
    { id: { order: 'asc', unmapped_type: 'long' } },
  ],
});

/** The precision threshold of the count of products: up to this number, it is almost exact. */
const COUNTED_EXACTLY = 10_000;

/**
 * The parts of a search request that return only one listing of each product and count the products.
 * @param field from `productField`.
 * @param ofFacets the filters that are applied to the hits after the facets are counted.
 * @param first how many products are sorted by `buckets`, instead of by the listings that are shown.
 */
export function byProduct(
  field: string,
  ofFacets: readonly QueryClause[],
  { buckets, first = 0 }: { buckets?: ProductSort['buckets']; first?: number } = {},
) {
  const count = { cardinality: { field, precision_threshold: COUNTED_EXACTLY } };
  // A filter aggregation is used only if there is a filter: with one that accepts every listing,
  // Elasticsearch takes three times as long.
  const filtered = (products: estypes.AggregationsAggregationContainer) =>
    ofFacets.length === 0 ? products : { filter: { bool: { filter: [...ofFacets] } }, aggs: { products } };
  const sorted = buckets && {
    terms: { field, size: first, shard_size: first + SPARE, order: buckets.order },
    aggs: buckets.aggs,
  };
  return {
    collapse: { field },
    aggs: { total_groups: filtered(count), ...(sorted && { sorted_groups: filtered(sorted) }) },
  };
}

/** How many more products each shard returns, because a product drops out if its best offer is on another shard. */
const SPARE = 1_000;

/** The fields from which the price range and the best offer of a product are computed. */
const COSTING_FIELDS = [
  'id',
  'source',
  'currency',
  'is_available',
  'internal.price_units',
  'internal.linked_at',
  'internal.flags',
  CONDITION_FIELD,
  PRICE_FROM_FIELD,
];

/**
 * Searches for all listings of several products, with the fields from which price ranges are computed.
 * @param field from `productField`.
 */
export const groupsSearch = (field: string, groups: readonly number[]): estypes.SearchSearchRequestBody => ({
  ...foremost([{ terms: { [field]: [...groups] } }]),
  size: groups.length * MAX_GROUP,
  track_total_hits: false,
  _source: false,
  // This option prevents Elasticsearch from loading the stored fields of each hit, which it does to return `_id`.
  stored_fields: '_none_',
  docvalue_fields: [...COSTING_FIELDS, field],
});
