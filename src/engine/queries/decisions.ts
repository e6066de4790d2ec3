import type { estypes } from '@elastic/elasticsearch';
import type { ListingKey } from '../../schemas/decisions.js';
import { CANDIDATE_SOURCE, type MatchFilters } from './candidates.js';
import { groupFilter } from './groups.js';
import { sameAs, type StandsAt } from './lookup-of.js';

/** Decisions about one listing that are obeyed live; after `npm run link` its group obeys all. */
const MOST = 1_000;

/** What was decided of any of these listings, given by their keys or where they stand. */
export const decisionsSearch = (
  listings: readonly (ListingKey | StandsAt)[],
): estypes.SearchSearchRequestBody => ({
  query: {
    bool: {
      should: listings.flatMap((listing) =>
        (['a', 'b'] as const).map((side) => ({
          bool: { filter: (['source', 'sku'] as const).map((key) => has(`${side}_${key}`, listing, key)) },
        })),
      ),
    },
  },
  sort: ['_doc'],
  size: MOST,
  track_total_hits: false,
});

const has = (field: string, listing: ListingKey | StandsAt, key: 'source' | 'sku') =>
  'index' in listing ? sameAs(field, listing, key) : { term: { [field]: listing[key] } };

/** Those that are decided to be the product of a listing, as far as they are wanted. @throws QueryError when the price limits cross. */
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
  size: MOST,
  track_total_hits: false,
  _source: CANDIDATE_SOURCE,
});
