import type { estypes } from '@elastic/elasticsearch';
import type { ListingInternals, StoredListing } from '../../listing/listing.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { BY_RELEVANCE, priceClauses } from './listings.js';
import type { Filters } from '../../schemas/filters.js';

type Query = estypes.QueryDslQueryContainer;

/** What candidates are looked for by: a listing's names, numbers and shop. */
export type Sought = Pick<StoredListing, 'id' | 'source' | 'name' | 'brand'> & {
  internal: Pick<StoredListing['internal'], 'gtins' | 'models'>;
};

/** How many candidates are fetched: on public data 98.5 % of the right ones are among the first 20. */
const CANDIDATES = 20;
/** The likest listings of the same shop, to see whether one of them fits a candidate better. */
const SIBLINGS = 5;

/** Weights of the clauses beside the score of the name's words, which is around 10 to 60: a GTIN is beyond them. */
const BOOST = { gtin: 100, model: 30, identifier: 10, codes: 2, brand: 0.3 };
/** Listings that share a GTIN; more of them are not looked at. */
const MAX_OF_GTIN = 200;

/** Words and pairs of words of the name that are looked for, the rarest first; more cost time and find nothing new. */
const MAX_NAME_WORDS = { candidates: 16, siblings: 8 };
/** Names are cut here for the look-up alone: no name needs more to be found by. */
const MAX_NAME_LENGTH = 300;

/** What of a listing's internals comparing, best prices and groups read. */
const CANDIDATE_INTERNALS = [
  'identifiers',
  'gtins',
  'models',
  'url',
  'flags',
  'group_id',
  'linked_at',
] as const satisfies readonly (keyof ListingInternals)[];

/**
 * Everything that answers show and matching reads, each by its name: patterns of what is left out cost the engine twice
 * as much for each listing.
 */
export const CANDIDATE_FIELDS: string[] = [
  ...PRODUCT_FIELDS,
  ...CANDIDATE_INTERNALS.map((name) => `internal.${name}`),
];

export const CANDIDATE_SOURCE: estypes.SearchSourceConfig = { includes: CANDIDATE_FIELDS };

/** What matching reads of a sibling. */
const SIBLING_SOURCE: estypes.SearchSourceConfig = {
  includes: ['id', 'name', 'brand', 'price', 'currency', 'internal.gtins', 'internal.models'],
};

/** Which matches are wanted. Decimals are text. */
export interface MatchFilters extends Pick<Filters, 'min_price' | 'max_price'> {
  /** Also listings of the sought listing's own shop. */
  includeSameSource: boolean;
  /** Further clauses that a match must meet. */
  filter?: readonly Query[];
}

/**
 * Listings that could be the same product, the likeliest first. What is not wanted is left out after the query: the
 * engine then passes over most of the listings that have but a common word in it, which a clause within it would make
 * it look at one by one (on 100,000 listings seven times the time).
 * @throws QueryError when the price limits cross.
 */
export function candidatesSearch(
  sought: Sought,
  { includeSameSource, filter = [], ...limits }: MatchFilters,
): estypes.SearchSearchRequestBody {
  const excluded: Query = includeSameSource
    ? { term: { id: sought.id } }
    : { term: { source: sought.source } };
  return {
    query: { bool: likeness(sought) },
    post_filter: { bool: { must_not: [excluded], filter: [...priceClauses(limits), ...filter] } },
    sort: BY_RELEVANCE,
    size: CANDIDATES,
    track_total_hits: false,
    _source: CANDIDATE_SOURCE,
  };
}

/**
 * The others that share a GTIN, where the candidates do to the last one: so many may that more are left. One page shows
 * them all.
 * @returns null where the candidates are all that there is.
 */
export function furtherSearch(
  sought: Sought,
  candidates: readonly { id: number; internal: { gtins: readonly string[] } }[],
  { includeSameSource, filter = [], ...limits }: MatchFilters,
): estypes.SearchSearchRequestBody | null {
  const { gtins } = sought.internal;
  const last = candidates[CANDIDATES - 1];
  if (last === undefined || !last.internal.gtins.some((gtin) => gtins.includes(gtin))) return null;
  const known = [sought.id, ...candidates.map(({ id }) => id)];
  return {
    query: {
      bool: {
        filter: [{ terms: { 'internal.gtins': gtins } }, ...priceClauses(limits), ...filter],
        must_not: [
          { terms: { id: known } },
          ...(includeSameSource ? [] : [{ term: { source: sought.source } }]),
        ],
      },
    },
    sort: [{ id: 'asc' }],
    size: MAX_OF_GTIN - CANDIDATES,
    track_total_hits: false,
    _source: CANDIDATE_SOURCE,
  };
}

/** Listings of the same shop whose names are most like this one's, without it. */
export function siblingsSearch(sought: Sought): estypes.SearchSearchRequestBody {
  const filter: Query[] = [{ term: { source: sought.source } }];
  return {
    query: {
      bool: {
        must: [likeName(sought, MAX_NAME_WORDS.siblings)],
        must_not: [{ term: { id: sought.id } }],
        filter,
      },
    },
    sort: BY_RELEVANCE,
    size: SIBLINGS,
    track_total_hits: false,
    _source: SIBLING_SOURCE,
  };
}

/** Candidates and siblings of each listing in turn. */
export const comparisonSearches = (
  listings: readonly Sought[],
  filters: MatchFilters,
): estypes.SearchSearchRequestBody[] =>
  listings.flatMap((listing) => [candidatesSearch(listing, filters), siblingsSearch(listing)]);

/** By the rare words of the name, by model numbers in whatever spelling, by identifiers and GTINs; the brand helps. */
function likeness(sought: Sought): { should: Query[]; minimum_should_match: 1 } {
  const { brand, internal } = sought;
  const text = sought.name.slice(0, MAX_NAME_LENGTH);
  const should: Query[] = [
    likeName(sought, MAX_NAME_WORDS.candidates),
    { match: { 'name.codes': { query: text, boost: BOOST.codes } } },
    { match: { 'internal.identifiers.codes': { query: text, boost: BOOST.identifier } } },
  ];
  if (internal.models.length > 0) {
    should.push(
      { terms: { 'internal.models': internal.models, boost: BOOST.model } },
      { terms: { 'name.codes': internal.models, boost: BOOST.codes } },
    );
  }
  if (internal.gtins.length > 0)
    should.push({ terms: { 'internal.gtins': internal.gtins, boost: BOOST.gtin } });
  if (brand !== null) {
    should.push(
      { match: { brand: { query: brand, boost: BOOST.brand } } },
      { match: { name: { query: brand, boost: BOOST.brand } } },
    );
  }
  return { should, minimum_should_match: 1 };
}

/** By the rarest words of the name, and pairs of them. */
const likeName = ({ name }: Sought, words: number): Query => ({
  more_like_this: {
    fields: ['name'],
    like: name.slice(0, MAX_NAME_LENGTH),
    min_term_freq: 1,
    min_doc_freq: 1,
    max_query_terms: words,
    minimum_should_match: '1',
  },
});
