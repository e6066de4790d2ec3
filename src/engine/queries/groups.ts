import type { estypes } from '@elastic/elasticsearch';
import type { ListingKey } from '../../schemas/decisions.js';
import { CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { priceClauses } from './filter-clauses.js';
import type { QueryClause } from './selection.js';

/**
 * The field that identifies the product of a listing. A page that collapses by it returns only the first
 * listing of each product.
 */
export const GROUP_FIELD = 'internal.group_id';

/** The maximum number of listings in a product group. */
const MAX_GROUP = 200;

/**
 * Refers to a document whose content Elasticsearch reads by itself during a search (a terms look-up),
 * because the service knows only the id of the document.
 */
export interface DocumentReference {
  index: string;
  id: number;
}

/**
 * A clause for the listings whose `field` has the same value as the member `path` of another document. If
 * that document is missing, nothing matches.
 */
const sameAs = (field: string, { index, id }: DocumentReference, path: string): QueryClause => ({
  terms: { [field]: { index, id: String(id), path } },
});

/**
 * Searches for the listings that were linked as offers of one product. Listings that have changed since
 * they were linked are excluded.
 * @param group the id of the group, or a reference to a listing in it.
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

/**
 * The filter clauses for the other listings in a product group. The filter on the source is not among them.
 * @throws QueryError if the lower price limit exceeds the upper one.
 */
export const groupFilter = ({ includeSameSource: _, filter = [], ...limits }: MatchFilters) => [
  ...priceClauses(limits),
  ...filter,
];

/** The precision threshold of the count of products: up to this number, the count is almost exact. */
const COUNTED_EXACTLY = 10_000;

/**
 * The parts of a search request that return each product once and count the products.
 * @param ofFacets the filters that are applied to the hits after the facets are counted.
 */
export function byProduct(ofFacets: readonly QueryClause[]) {
  const count = { cardinality: { field: GROUP_FIELD, precision_threshold: COUNTED_EXACTLY } };
  return {
    collapse: { field: GROUP_FIELD },
    // No filter is added if it would accept every listing: Elasticsearch would evaluate it for each of
    // them, which takes three times as long as the count.
    aggs: {
      total_groups:
        ofFacets.length === 0
          ? count
          : { filter: { bool: { filter: [...ofFacets] } }, aggs: { products: count } },
    },
  };
}

/** The fields of a listing from which the price range and the best offer of its product are computed. */
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

/**
 * Searches for all listings of several products, with the fields from which their price ranges are
 * computed.
 */
export const groupsSearch = (groups: readonly number[]): estypes.SearchSearchRequestBody => ({
  query: { bool: { filter: [{ terms: { [GROUP_FIELD]: [...groups] } }] } },
  sort: ['_doc'],
  size: groups.length * MAX_GROUP,
  track_total_hits: false,
  _source: false,
  // Without this setting, Elasticsearch loads the stored fields of each hit to return its `_id`.
  stored_fields: '_none_',
  docvalue_fields: COSTING_FIELDS,
});

/**
 * The maximum number of human decisions about one listing that take effect before the next `npm run link`.
 */
const MAX_DECISIONS = 1_000;

/**
 * Searches for the human decisions about any of these listings, which are given by source and SKU or as
 * document references.
 */
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

/**
 * Searches for the listings that people decided to be the same product as another listing.
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
