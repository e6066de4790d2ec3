import type { estypes } from '@elastic/elasticsearch';
import { CANDIDATE_SOURCE } from './candidates.js';
import { BY_RELEVANCE } from './sorts.js';
import { searchText, hasWordsIn } from './search.js';
import { spellingSuggestion } from './spelling.js';
import { SEARCH_TUNING } from './tuning.js';
import type { QueryClause } from './selection.js';

const SIZE = { likely: 60, cheapest: 60 };
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
 * The fields that tell which product a listing is. The description is left out, because it also states what
 * the product is compatible with.
 */
const TELLING_FIELDS = [...NAMING_FIELDS, 'internal.attributes'];

interface SoughtProduct {
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

/**
 * Builds the two searches for the best price of a product. The first one finds listings by identifier, then
 * those that state all words, then other text matches. The second one finds the cheapest listings that state
 * all words, without accessories, which are cheaper than the product and would fill the page.
 * @param filter clauses that every listing must match.
 */
export function productSearches(
  { text, otherTexts, url, identifiers, accessoryWords }: SoughtProduct,
  filter: readonly QueryClause[],
): estypes.SearchSearchRequestBody[] {
  const stated = hasWordsIn([text, ...otherTexts], TELLING_FIELDS);
  const named = hasWordsIn([text, ...otherTexts], NAMING_FIELDS);
  const identifying: QueryClause[] = [
    { terms: { 'internal.identifiers': [...identifiers] } },
    ...(url === null ? [] : [{ term: { 'internal.url': url } }]),
  ];
  const shared = { track_total_hits: false, _source: CANDIDATE_SOURCE };
  const likely: QueryClause = {
    bool: {
      should: [
        searchText(text),
        { constant_score: { filter: stated, boost: BOOST.stated } },
        { constant_score: { filter: named, boost: BOOST.named } },
        ...identifying.map((filter) => ({ constant_score: { filter, boost: BOOST.identified } })),
      ],
      minimum_should_match: 1,
      filter: [...filter],
    },
  };
  const cheapest: QueryClause = {
    bool: {
      filter: [...filter, PRICED],
      must: [{ constant_score: { filter: stated, boost: BOOST.stated } }],
      should: [{ constant_score: { filter: named, boost: BOOST.named } }],
      must_not: [{ match: { name: accessoryWords.join(' ') } }, { term: { is_available: false } }],
    },
  };
  return [
    { ...shared, query: likely, sort: BY_RELEVANCE, size: SIZE.likely, suggest: spellingSuggestion(text) },
    {
      ...shared,
      query: cheapest,
      sort: [{ 'internal.price_units': 'asc' }, { id: 'asc' }],
      track_scores: true,
      size: SIZE.cheapest,
    },
  ];
}

const PRICED: QueryClause = { exists: { field: 'internal.price_units' } };
