import type { estypes } from '@elastic/elasticsearch';
import type { ListingKey } from '../../schemas/decisions.js';
import { CANDIDATE_FIELDS, CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { foremost, GROUP_FIELD, MAX_GROUP } from './groups.js';
import type { QueryClause } from './selection.js';

/** Refers to a document by its index and id. Elasticsearch reads a member of it during a search. */
export interface DocumentReference {
  index: string;
  id: number;
}

/** A clause for the listings whose `field` has the value of another document at `path`; none if that value is missing. */
const sameAs = (field: string, { index, id }: DocumentReference, path: string): QueryClause => ({
  terms: { [field]: { index, id: String(id), path } },
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

/** Searches for the listings that people decided to be the same product as a listing. */
export const partnersSearch = (
  partners: readonly ListingKey[],
  { filter = [] }: MatchFilters,
): estypes.SearchSearchRequestBody => ({
  query: {
    bool: {
      filter: [...filter],
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
