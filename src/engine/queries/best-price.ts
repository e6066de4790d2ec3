import type { estypes } from '@elastic/elasticsearch';
import { CANDIDATE_SOURCE } from './candidates.js';
import { BY_RELEVANCE } from './sorts.js';
import { hasWordsIn } from './contained-words.js';
import { searchText } from './search.js';
import { spellingSuggestion } from './spelling.js';
import { SEARCH_TUNING } from './tuning.js';
import type { QueryClause } from './selection.js';

/**
 * The maximum number of listings that each search for a best price returns. Every listing is read and compared with the
 * request, which is most of the cost. Of the cheapest and the similar listings, fewer give the same answer.
 */
export const MAX_FOUND = { exact: 60, cheapest: 30, similar: 20 };
/**
 * The boosts that separate kinds of match. They exceed every score of a text search, and listings with the
 * searched identifier come first.
 */
const BOOST = { stated: 20_000, named: 20_000, identified: 100_000 };

/**
 * Tells from the score of a hit which part of the listing contains all words of the query: `named` is the
 * name, brand or category, `stated` these or the attributes, and `described` any field.
 */
export const wordCoverage = (score: number) => ({
  named: score >= BOOST.stated + BOOST.named,
  stated: score >= BOOST.stated,
  described: score >= SEARCH_TUNING.allWords,
});

const NAMING_FIELDS = ['name', 'brand', 'internal.categories'];
/**
 * The fields that identify the product of a listing. The description is left out, because it also states what
 * the product is compatible with.
 */
const IDENTIFYING_FIELDS = [...NAMING_FIELDS, 'internal.attributes'];

/** The product that the searches of this file look for. */
export interface SoughtProduct {
  text: string;
  /** Variants of the query text in which a number without a unit gets one, because listings state units. */
  otherTexts: readonly string[];
  /** The normalized URL, if the query text is the address of a product page; otherwise null. */
  url: string | null;
  identifiers: readonly string[];
  /**
   * Words of accessories, such as "case". In the search for the cheapest listings, those with such a word in
   * their name are excluded.
   */
  accessoryWords: readonly string[];
}

const SHARED = { track_total_hits: false, _source: CANDIDATE_SOURCE };

/**
 * Finds the listings with the identifier of the product, then those that state all words of the query. Only
 * listings with all words are scored, so that its cost does not grow with the number of listings that have one
 * of the words.
 * @param filter clauses that every listing must match.
 */
export const productSearch = (
  sought: SoughtProduct,
  filter: readonly QueryClause[],
): estypes.SearchSearchRequestBody => ({
  ...withOneOf(
    [
      ...identifying(sought),
      { bool: { must: [stating(sought)], should: [naming(sought), { match: { name: sought.text } }] } },
    ],
    filter,
  ),
  size: MAX_FOUND.exact,
});

/**
 * Finds the cheapest listings that state all words of the query, without accessories, which are cheaper than the
 * product and would fill the page.
 */
export const cheapestSearch = (
  sought: SoughtProduct,
  filter: readonly QueryClause[],
): estypes.SearchSearchRequestBody => ({
  ...SHARED,
  size: MAX_FOUND.cheapest,
  query: {
    bool: {
      filter: [...filter, PRICED],
      must: [stating(sought)],
      should: [naming(sought)],
      must_not: [{ match: { name: sought.accessoryWords.join(' ') } }, { term: { is_available: false } }],
    },
  },
  sort: [{ 'internal.price_units': 'asc' }, { id: 'asc' }],
  track_scores: true,
});

/**
 * Finds the listings with any word of the query, those that state all words first, and suggests a correction
 * of typos.
 * @param within the fields that contain all words of a listing.
 */
export const similarSearch = (
  sought: SoughtProduct,
  filter: readonly QueryClause[],
  within: readonly string[],
): estypes.SearchSearchRequestBody => ({
  ...withOneOf(
    [searchText(sought.text, { within }), stating(sought), naming(sought), ...identifying(sought)],
    filter,
  ),
  size: MAX_FOUND.similar,
  suggest: spellingSuggestion(sought.text),
});

/** A request for the listings that match at least one of several clauses and pass the filters, by the sum of their scores. */
const withOneOf = (
  should: QueryClause[],
  filter: readonly QueryClause[],
): estypes.SearchSearchRequestBody => ({
  ...SHARED,
  query: { bool: { should, minimum_should_match: 1, filter: [...filter] } },
  sort: BY_RELEVANCE,
});

const stating = ({ text, otherTexts }: SoughtProduct): QueryClause => ({
  constant_score: { filter: hasWordsIn([text, ...otherTexts], IDENTIFYING_FIELDS), boost: BOOST.stated },
});

const naming = ({ text, otherTexts }: SoughtProduct): QueryClause => ({
  constant_score: { filter: hasWordsIn([text, ...otherTexts], NAMING_FIELDS), boost: BOOST.named },
});

const identifying = ({ identifiers, url }: SoughtProduct): QueryClause[] =>
  [
    { terms: { 'internal.identifiers': [...identifiers] } },
    ...(url === null ? [] : [{ term: { 'internal.url': url } }]),
  ].map((filter) => ({ constant_score: { filter, boost: BOOST.identified } }));

const PRICED: QueryClause = { exists: { field: 'internal.price_units' } };
