import type { estypes } from '@elastic/elasticsearch';
import { PRODUCT_KEYS_SCHEMA } from '../../listing/derived.js';
import type { ListingKey } from '../../schemas/decisions.js';
import { CANDIDATE_FIELDS, CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { CONDITION_FIELD, PRICE_FROM_FIELD, priceClauses } from './filter-clauses.js';
import { mistrusted } from './quality.js';
import type { QueryClause } from './selection.js';
import type { ProductSort } from './sorts.js';

/** The index field with the id of the product to which a listing belongs. */
export const GROUP_FIELD = 'internal.group_id';

/** The field whose values the listings share that are shown as one product, in an index of a schema version. */
export const productField = (schema: number): string =>
  schema < PRODUCT_KEYS_SCHEMA ? GROUP_FIELD : 'internal.product_key';

/** The maximum number of listings of a product that are read. */
const MAX_GROUP = 200;

/**
 * A query for listings of products, and the order in which those are read that matter most, because an owner may have more
 * listings of a product than are read: those with trusted prices, then those that are not near-identical to a better one of
 * their owner, then the cheapest.
 */
const foremost = (filter: QueryClause[]): Pick<estypes.SearchSearchRequestBody, 'query' | 'sort'> => ({
  query: { bool: { filter, should: [{ constant_score: { filter: { bool: { must_not: mistrusted } } } }] } },
  sort: [
    '_score',
    { 'internal.crowd': { order: 'asc', missing: '_first', unmapped_type: 'boolean' } },
    { 'internal.price_units': { order: 'asc', missing: '_last', unmapped_type: 'long' } },
    { id: { order: 'asc', unmapped_type: 'long' } },
  ],
});

/** Refers to a document by its index and id. Elasticsearch reads a member of it during a search. */
export interface DocumentReference {
  index: string;
  id: number;
}

/** A clause for the listings whose `field` has the value of another document at `path`; none if that value is missing. */
const sameAs = (field: string, { index, id }: DocumentReference, path: string): QueryClause => ({
  terms: { [field]: { index, id: String(id), path } },
});

/** Clauses for the other listings of a product. @throws QueryError if the price limits exclude each other. */
export const groupFilter = ({ includeSameSource: _, filter = [], ...limits }: MatchFilters) => [
  ...priceClauses(limits),
  ...filter,
];

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

/** Further products that each shard returns, in the places of those whose best offer is on another shard. */
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

/** The maximum number of human decisions about a listing that take effect before the next `npm run link`. */
const MAX_DECISIONS = 1_000;

/**
 * Searches, in the index of listings and that of decisions, for the listings that were linked as offers of some products and
 * have not changed since, and for the decisions of people about listings, the latest first.
 * @param groups the ids of the groups, or a reference to a listing in the only one.
 * @param filter clauses that each listing must match.
 */
export const groupsAndDecisionsSearch = (
  groups: readonly number[] | DocumentReference,
  listings: readonly (ListingKey | DocumentReference)[],
  filter: readonly QueryClause[] = [],
): estypes.SearchSearchRequestBody => {
  const linked = foremost([
    'index' in groups ? sameAs(GROUP_FIELD, groups, GROUP_FIELD) : { terms: { [GROUP_FIELD]: [...groups] } },
    { exists: { field: 'internal.linked_at' } },
    ...filter,
  ]);
  const decided = listings.flatMap((listing) =>
    (['a', 'b'] as const).map((side) => ({
      bool: {
        filter: (['source', 'sku'] as const).map((key) =>
          'index' in listing
            ? sameAs(`${side}_${key}`, listing, key)
            : { term: { [`${side}_${key}`]: listing[key] } },
        ),
      },
    })),
  );
  const decisions = {
    bool: { filter: [{ terms: { decision: ['same', 'different'] } }, { bool: { should: decided } }] },
  };
  return {
    query: { bool: { should: [linked.query ?? {}, decisions], minimum_should_match: 1 } },
    // Decisions that an earlier version of this service stored have no time.
    sort: [
      { decided_at: { order: 'desc', missing: '_last', unmapped_type: 'date' } },
      { reviewer: { order: 'desc', missing: '_first', unmapped_type: 'keyword' } },
      ...[linked.sort ?? []].flat(),
    ],
    size: MAX_DECISIONS + MAX_GROUP * ('index' in groups ? 1 : groups.length),
    track_total_hits: false,
    _source: { includes: [...CANDIDATE_FIELDS, ...DECISION_FIELDS] },
  };
};

const DECISION_FIELDS = ['a_source', 'a_sku', 'b_source', 'b_sku', 'decision'];

/**
 * Searches for the listings that people decided to be the same product as a listing.
 * @throws QueryError if the lower price limit exceeds the upper one.
 */
export const partnersSearch = (
  partners: readonly ListingKey[],
  filters: MatchFilters,
): estypes.SearchSearchRequestBody => ({
  query: {
    bool: {
      filter: groupFilter(filters),
      should: partners.map(({ source, sku }) => ({
        bool: { filter: [{ term: { source } }, { term: { sku } }] },
      })),
      minimum_should_match: 1,
    },
  },
  sort: [{ id: 'asc' }],
  size: MAX_DECISIONS,
  track_total_hits: false,
  _source: CANDIDATE_SOURCE,
});
