import type { estypes } from '@elastic/elasticsearch';
import { CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { priceClauses } from './listings.js';
import { sameAs, type StandsAt } from './lookup-of.js';

/** The field by which a page shows each product once, the listing that comes first. */
export const GROUP_FIELD = 'internal.group_id';

/** As many listings as a group may have. */
const MAX_GROUP = 200;

/**
 * The listings of a product, as they were linked: what says something else since then is left out.
 * @param group its id, or where a listing stands that is in it.
 * @param filter further clauses that each must match.
 */
export const groupSearch = (
  group: number | StandsAt,
  filter: readonly estypes.QueryDslQueryContainer[] = [],
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

/** What the others of a group must match to be shown, but for their shop. @throws QueryError when the price limits cross. */
export const groupFilter = ({ includeSameSource: _, filter = [], ...limits }: MatchFilters) => [
  ...priceClauses(limits),
  ...filter,
];

/** Up to so many products are counted all but exactly; of more the engine tells about how many there are. */
const COUNTED_WELL = 10_000;

/**
 * Shows each product once, and counts them.
 * @param own filters that the page obeys and its aggregations do not.
 */
export function byProduct(own: readonly estypes.QueryDslQueryContainer[]) {
  const count = { cardinality: { field: GROUP_FIELD, precision_threshold: COUNTED_WELL } };
  return {
    collapse: { field: GROUP_FIELD },
    // A filter that all pass is asked of each listing all the same, which takes three times as long as to count them.
    aggs: {
      total_groups:
        own.length === 0 ? count : { filter: { bool: { filter: [...own] } }, aggs: { products: count } },
    },
  };
}

/** What is read of each listing of these groups, to tell what their products cost. */
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

/** All listings of some products, by what costs are told from alone. */
export const groupsSearch = (groups: readonly number[]): estypes.SearchSearchRequestBody => ({
  query: { bool: { filter: [{ terms: { [GROUP_FIELD]: [...groups] } }] } },
  sort: ['_doc'],
  size: groups.length * MAX_GROUP,
  track_total_hits: false,
  _source: false,
  // Not even their names are looked up.
  stored_fields: '_none_',
  docvalue_fields: COSTING_FIELDS,
});
