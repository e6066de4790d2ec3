import type { estypes } from '@elastic/elasticsearch';
import { isInStoreGtin } from '../../listing/gtin.js';
import type { ListingInternals, StoredListing } from '../../listing/listing.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { BY_RELEVANCE } from './sorts.js';
import type { QueryClause } from './selection.js';

/** The fields of a listing from which its match candidates are searched for. */
export type ListingToMatch = Pick<StoredListing, 'id' | 'source' | 'name' | 'brand'> & {
  internal: Pick<StoredListing['internal'], 'gtins' | 'models'>;
};

/** The number of match candidates that are fetched. On public data, 98.5 % of the matches are among the first 20. */
const CANDIDATES = 20;
/** The number of fetched listings of the same source (siblings), because a candidate may match one of them instead. */
export const SIBLINGS = 5;

/** The boosts of a search for match candidates, relative to the words of a name, which score 10 to 60 together. */
const BOOST = { gtin: 100, model: 30, identifier: 10, codes: 2, brand: 0.3 };
/** The maximum number of listings with the same GTIN that are compared with a listing. */
const MAX_OF_GTIN = 200;

/** The maximum number of rare words and word pairs of a name that are searched for. A higher number finds no further matches. */
const MAX_NAME_WORDS = { candidates: 16, siblings: 8 };
const MAX_NAME_LENGTH = 300;

/** The internal fields of a candidate that comparisons, best prices and product groups read. */
const CANDIDATE_INTERNALS = [
  'identifiers',
  'gtins',
  'models',
  'url',
  'flags',
  'kinds',
  'accessory',
  'group_id',
  'linked_at',
  'maker',
  'claim',
  'observed_at',
  'delivery',
  'quantity',
  'owner',
  'alike',
  'condition',
  'price_from',
] as const satisfies readonly (keyof ListingInternals)[];

/** The fields of a match candidate, which are named because excluding the others takes twice as long. */
export const CANDIDATE_FIELDS: string[] = [
  ...PRODUCT_FIELDS,
  ...CANDIDATE_INTERNALS.map((name) => `internal.${name}`),
];

export const CANDIDATE_SOURCE: estypes.SearchSourceConfig = { includes: CANDIDATE_FIELDS };

/** The fields of a sibling listing that matching reads. */
const SIBLING_SOURCE: estypes.SearchSourceConfig = {
  includes: [
    'id',
    'source',
    'name',
    'brand',
    'price',
    'currency',
    'internal.gtins',
    'internal.models',
    'internal.maker',
  ],
};

/**
 * Which listings are compared with a listing. `filter`: clauses that each of them must match, as the offers of a best price must.
 * A filter of the matches alone applies later instead, because the score of a pair depends on all listings that are compared.
 */
export interface MatchFilters {
  includeSameSource: boolean;
  filter?: readonly QueryClause[];
}

/**
 * Searches for listings that may be the same product as a listing, or as one of several, the most likely one first. Filters
 * apply after the query, so that Elasticsearch can skip most of the listings that share only a common word; as
 * clauses of the query they would take seven times as long on 100,000 listings.
 */
export function candidatesSearch(
  listings: readonly ListingToMatch[],
  { includeSameSource, filter = [] }: MatchFilters,
): estypes.SearchSearchRequestBody {
  const excluded: QueryClause = includeSameSource
    ? { terms: { id: listings.map(({ id }) => id) } }
    : { terms: { source: listings.map(({ source }) => source) } };
  return {
    query: { dis_max: { queries: listings.map(likeness) } },
    post_filter: { bool: { must_not: [excluded], filter: [...filter] } },
    sort: BY_RELEVANCE,
    size: CANDIDATES * listings.length,
    track_total_hits: false,
    _source: CANDIDATE_SOURCE,
  };
}

/** A found candidate, with the fields that decide whether further candidates are searched for. */
type FoundCandidate = { id: number; internal: Pick<ListingInternals, 'gtins' | 'owner'> };

/**
 * Searches for listings that the candidates lack although they are as likely: further ones with the same GTIN, and those of
 * other owners if the listings of some owners fill the page. No search if the candidates include all of them.
 * @param joint the number of listings whose candidates were found by one search; absent: the listing has one of its own.
 */
export function furtherSearches(
  listing: ListingToMatch,
  candidates: readonly FoundCandidate[],
  { includeSameSource, filter = [] }: MatchFilters,
  joint?: number,
): estypes.SearchSearchRequestBody[] {
  const size = CANDIDATES * (joint ?? 1);
  const last = candidates[size - 1];
  if (last === undefined) return [];
  const gtins = listing.internal.gtins.filter((gtin) => !isInStoreGtin(gtin));
  const hasMoreOfGtin = last.internal.gtins.some((gtin) => gtins.includes(gtin));
  const most = size * (joint === undefined ? MAX_SHARE_OF_OWNER.single : MAX_SHARE_OF_OWNER.joint);
  const owners = crowdingOwners(candidates, most);
  const known = [listing.id, ...candidates.map(({ id }) => id)];
  const shared = { track_total_hits: false, _source: CANDIDATE_SOURCE };
  const excluded: QueryClause[] = [
    { terms: { id: known } },
    ...(includeSameSource ? [] : [{ term: { source: listing.source } }]),
  ];
  const ofGtin = {
    query: { bool: { filter: [{ terms: { 'internal.gtins': gtins } }, ...filter], must_not: excluded } },
    sort: [{ id: 'asc' as const }],
    size: MAX_OF_GTIN - CANDIDATES,
    ...shared,
  };
  const ofOthers = {
    query: {
      bool: {
        // Elasticsearch skips all listings without half of the words, so the search is cheap even if it finds nothing.
        should: sharing(listing, '50%'),
        minimum_should_match: 1,
        filter: [...filter],
        must_not: [...excluded, { terms: { 'internal.owner': owners } }],
      },
    },
    sort: BY_RELEVANCE,
    size: CANDIDATES,
    ...shared,
  };
  return [...(hasMoreOfGtin ? [ofGtin] : []), ...(owners.length > 0 ? [ofOthers] : [])];
}

/**
 * The share of a full page that the listings of one owner may have before those of other owners are searched for as well. A page
 * of candidates for several listings is larger, so that the remaining share has enough listings of other owners.
 */
const MAX_SHARE_OF_OWNER = { single: 1 / 3, joint: 2 / 3 };

/** The owners whose listings may have displaced those of others from a full page. An index of an earlier schema has no owners. */
function crowdingOwners(page: readonly FoundCandidate[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const { owner } of page.map(({ internal }) => internal))
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([owner]) => owner);
}

/** Searches for the listings of the same source with the most similar names. */
export function siblingsSearch(listing: ListingToMatch): estypes.SearchSearchRequestBody {
  const filter: QueryClause[] = [{ term: { source: listing.source } }];
  return {
    query: {
      bool: {
        must: [likeName(listing, MAX_NAME_WORDS.siblings)],
        must_not: [{ term: { id: listing.id } }],
        filter,
      },
    },
    sort: BY_RELEVANCE,
    size: SIBLINGS,
    track_total_hits: false,
    _source: SIBLING_SOURCE,
  };
}

/** For each listing, the search for its match candidates, followed by the search for its siblings. */
export const comparisonSearches = (
  listings: readonly ListingToMatch[],
  filters: MatchFilters,
): estypes.SearchSearchRequestBody[] =>
  listings.flatMap((listing) => [candidatesSearch([listing], filters), siblingsSearch(listing)]);

/** Finds listings by rare words of the name, model numbers, identifiers, GTINs, or the brand, which scores least. */
function likeness(listing: ListingToMatch): QueryClause {
  const should = sharing(listing, '1');
  const { brand: query } = listing;
  if (query !== null)
    for (const field of ['brand', 'name']) should.push({ match: { [field]: { query, boost: BOOST.brand } } });
  return { bool: { should, minimum_should_match: 1 } };
}

/**
 * Clauses for the listings that share rare words of the name, a model number, an identifier, or a GTIN.
 * @param least how many of the words a listing must have, as `minimum_should_match`.
 */
const sharing = (listing: ListingToMatch, least: string): QueryClause[] => [
  likeName(listing, MAX_NAME_WORDS.candidates, least),
  ...withCodes(listing),
  ...withModels(listing),
  ...withSameGtin(listing, BOOST.gtin),
];

/** Clauses for the listings whose name or identifiers contain a model number that is in this name. */
function withCodes({ name }: ListingToMatch): QueryClause[] {
  const query = name.slice(0, MAX_NAME_LENGTH);
  // Every model number contains a digit, so Elasticsearch need not analyse other names for model numbers.
  if (!/\p{Nd}/u.test(query)) return [];
  return [
    { match: { 'name.codes': { query, boost: BOOST.codes } } },
    { match: { 'internal.identifiers.codes': { query, boost: BOOST.identifier } } },
  ];
}

const withModels = ({ internal: { models } }: ListingToMatch): QueryClause[] =>
  models.length === 0
    ? []
    : [
        { terms: { 'internal.models': models, boost: BOOST.model } },
        { terms: { 'name.codes': models, boost: BOOST.codes } },
      ];

/** Clauses for the listings that share a GTIN with a listing. An in-store number identifies products within one source only. */
export function withSameGtin(
  { source, internal: { gtins } }: Pick<StoredListing, 'source'> & { internal: { gtins: readonly string[] } },
  boost = 1,
): QueryClause[] {
  const [inStore, global] = [gtins.filter(isInStoreGtin), gtins.filter((gtin) => !isInStoreGtin(gtin))];
  const within = [{ term: { source } }, { terms: { 'internal.gtins': inStore } }];
  return [
    ...(global.length === 0 ? [] : [{ terms: { 'internal.gtins': global, boost } }]),
    ...(inStore.length === 0 ? [] : [{ constant_score: { filter: { bool: { filter: within } }, boost } }]),
  ];
}

const likeName = ({ name }: ListingToMatch, words: number, least = '1'): QueryClause => ({
  more_like_this: {
    fields: ['name'],
    like: name.slice(0, MAX_NAME_LENGTH),
    min_term_freq: 1,
    min_doc_freq: 1,
    max_query_terms: words,
    minimum_should_match: least,
  },
});
