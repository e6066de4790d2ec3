import type { estypes } from '@elastic/elasticsearch';
import { CANDIDATE_SOURCE } from './candidates.js';
import { BY_RELEVANCE } from './listings.js';
import { searchText, withWords } from './search.js';
import { spellingSuggestion } from './spelling.js';
import { SEARCH_TUNING } from './tuning.js';

type Query = estypes.QueryDslQueryContainer;

/** Listings that have the words, and of those that do and are no accessories the cheapest. */
const SIZE = { likely: 60, cheapest: 60 };
/** Beyond any score of a search, so that what tells every word comes first, and what is identified before it. */
const BOOST = { told: 20_000, named: 20_000, identified: 100_000 };

/** What the score of a hit tells: every word is in what the listing says of itself, or at least in its description. */
export const toldBy = (score: number) => ({
  named: score >= BOOST.told + BOOST.named,
  told: score >= BOOST.told,
  described: score >= SEARCH_TUNING.allWords,
});

/** Where a listing says what it is called. */
const NAMING_FIELDS = ['name', 'brand', 'internal.categories'];
/** Where a listing says what it is. A description says what it goes with, too. */
const TELLING_FIELDS = [...NAMING_FIELDS, 'internal.attributes'];

/** What is looked for: the telling words, what the whole may identify, and words that the thing itself has not. */
export interface SoughtProduct {
  text: string;
  /** The same with its sizes as listings write them; none: it has no bare numbers. */
  otherTexts: readonly string[];
  /** The page that it is the address of, as listings have it. */
  url: string | null;
  identifiers: readonly string[];
  accessoryWords: readonly string[];
}

/**
 * Two searches: listings by identity, then by all words in what they say of themselves, then as any search finds them,
 * priced or not; and of those that say all words the cheapest, without accessories, which would fill the first.
 * @param filter clauses that every listing must match.
 */
export function productSearches(
  { text, otherTexts, url, identifiers, accessoryWords }: SoughtProduct,
  filter: readonly Query[],
): estypes.SearchSearchRequestBody[] {
  const told = withWords([text, ...otherTexts], TELLING_FIELDS);
  const named = withWords([text, ...otherTexts], NAMING_FIELDS);
  const identifying: Query[] = [
    { terms: { 'internal.identifiers': [...identifiers] } },
    ...(url === null ? [] : [{ term: { 'internal.url': url } }]),
  ];
  const shared = { track_total_hits: false, _source: CANDIDATE_SOURCE };
  const likely: Query = {
    bool: {
      should: [
        searchText(text),
        { constant_score: { filter: told, boost: BOOST.told } },
        { constant_score: { filter: named, boost: BOOST.named } },
        ...identifying.map((filter) => ({ constant_score: { filter, boost: BOOST.identified } })),
      ],
      minimum_should_match: 1,
      filter: [...filter],
    },
  };
  const cheapest: Query = {
    bool: {
      filter: [...filter, PRICED],
      must: [{ constant_score: { filter: told, boost: BOOST.told } }],
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

const PRICED: Query = { exists: { field: 'internal.price_units' } };
