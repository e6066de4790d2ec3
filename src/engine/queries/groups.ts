import type { estypes } from '@elastic/elasticsearch';
import type { ListingKey } from '../../schemas/decisions.js';
import { CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { priceClauses } from './filter-clauses.js';
import type { QueryClause } from './selection.js';

/** The field by which a page lists each product once: it shows the first of the listings with the same value. */
export const GROUP_FIELD = 'internal.group_id';

/** The maximum number of listings in a group. */
const MAX_GROUP = 200;

/** A document that Elasticsearch reads itself, because the service knows only its id so far. */
export interface DocumentReference {
  index: string;
  id: number;
}

/** Listings whose `field` has the value that another document has in `path`. If that document is missing, nothing matches. */
const sameAs = (field: string, { index, id }: DocumentReference, path: string): QueryClause => ({
  terms: { [field]: { index, id: String(id), path } },
});

/**
 * The listings that were linked as offers of one product. Listings that have changed since they were linked are excluded.
 * @param group the id of the group, or a listing in it.
 * @param filter clauses that each listing must match.
 */
export const groupSearch = (
  group: number | DocumentReference,
  filter: readonly QueryClause[] = [],
): estypes.SearchSearchRequestBody => ({
  query: {
    bool: {
      filter: [
        typeof group === 'number'
          ? { term: { [GROUP_FIELD]: group } }
          : sameAs(GROUP_FIELD, group, GROUP_FIELD),
        { exists: { field: 'internal.linked_at' } },
        ...filter,
      ],
    },
  },
  sort: [{ id: 'asc' }],
  size: MAX_GROUP,
  track_total_hits: false,
  _source: CANDIDATE_SOURCE,
});

/** The filters of the other listings in a group, without the one on their source. @throws QueryError if price limits cross. */
export const groupFilter = ({ includeSameSource: _, filter = [], ...limits }: MatchFilters) => [
  ...priceClauses(limits),
  ...filter,
];

/** The number of products up to which they are counted almost exactly. */
const COUNTED_EXACTLY = 10_000;

/**
 * Lists each product once, and counts the products.
 * @param ofFacets the filters that are applied to the hits after everything is counted.
 */
export function byProduct(ofFacets: readonly QueryClause[]) {
  const count = { cardinality: { field: GROUP_FIELD, precision_threshold: COUNTED_EXACTLY } };
  return {
    collapse: { field: GROUP_FIELD },
    // A filter that every listing passes would be evaluated for each of them, which takes three times as long as the count.
    aggs: {
      total_groups:
        ofFacets.length === 0
          ? count
          : { filter: { bool: { filter: [...ofFacets] } }, aggs: { products: count } },
    },
  };
}

/** The fields from which the price range and the best offer of a product are worked out. */
export const COSTING_FIELDS = [
  'id',
  'source',
  'currency',
  'is_available',
  'internal.price_units',
  GROUP_FIELD,
  'internal.linked_at',
  'internal.flags',
];

/** All listings of several products, with the fields from which their price range is worked out. */
export const groupsSearch = (groups: readonly number[]): estypes.SearchSearchRequestBody => ({
  query: { bool: { filter: [{ terms: { [GROUP_FIELD]: [...groups] } }] } },
  sort: ['_doc'],
  size: groups.length * MAX_GROUP,
  track_total_hits: false,
  _source: false,
  // Without this, Elasticsearch loads the stored fields of each hit to return its `_id`.
  stored_fields: '_none_',
  docvalue_fields: COSTING_FIELDS,
});

/** The maximum number of decisions about one listing that take effect before the next `npm run link`. */
const MAX_DECISIONS = 1_000;

/** The decisions of people about any of these listings, which are given by source and SKU or as documents. */
export const decisionsSearch = (
  listings: readonly (ListingKey | DocumentReference)[],
): estypes.SearchSearchRequestBody => ({
  query: {
    bool: {
      should: listings.flatMap((listing) =>
        (['a', 'b'] as const).map((side) => ({
          bool: {
            filter: (['source', 'sku'] as const).map((key) =>
              'index' in listing
                ? sameAs(`${side}_${key}`, listing, key)
                : { term: { [`${side}_${key}`]: listing[key] } },
            ),
          },
        })),
      ),
    },
  },
  sort: ['_doc'],
  size: MAX_DECISIONS,
  track_total_hits: false,
});

/** The listings that people decided to be the same product as another one. @throws QueryError if price limits cross. */
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
