import type { estypes } from '@elastic/elasticsearch';
import { CANDIDATE_FIELDS, CANDIDATE_SOURCE } from './candidates.js';
import { BY_RELEVANCE } from './sorts.js';
import { hasWordsIn, IDENTIFYING_FIELDS, withWords } from './contained-words.js';
import { partsOf } from './query-words.js';
import { literalText } from './query-text.js';
import { textClauses, textQuery } from './search.js';
import { spellingSuggestion } from './spelling.js';
import { kindsNamed } from './kinds-named.js';
import { CROWD, type QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * The maximum number of listings that each search for a best price returns. Every listing is read and compared with the
 * request, which is most of the cost. Of the cheapest and the similar listings, fewer give the same answer.
 */
export const MAX_FOUND = { exact: 60, cheapest: 30, similar: 20 };
/** The boosts that separate kinds of match. They exceed every score of a text search. */
const BOOST = { stated: 20_000, named: 20_000, identified: 100_000 };

const NAMING_FIELDS = ['name', 'brand', 'internal.categories'];

/** The product that the searches of this file look for, in one wording of the request. */
export interface SoughtProduct {
  text: string;
  /** Variants of the query text in which a number without a unit gets one, because listings state units. */
  otherTexts: readonly string[];
  /** The normalized URL, if the query text is the address of a product page; otherwise null. */
  url: string | null;
  identifiers: readonly string[];
  /** Words of accessories, such as "case". Listings with such a word in their name are not among the cheapest. */
  accessoryWords: readonly string[];
  /** Clauses that listings must match if the product is meant in this wording. */
  filter: readonly QueryClause[];
}

interface ProductSearchOptions {
  /** Clauses that every listing must match. */
  filter: readonly QueryClause[];
  /** The schema version of the index. If it is given, listings with only some words of the request are found as well. */
  someWordsIn?: number;
  /** The query text. Corrections are requested for those of its words that no listing contains. */
  suggestFor?: string;
}

/** How a hit contains the words of a request, by the names of the clauses that it matches (`productSearch`). */
export const wordCoverage = (matched: readonly string[], wording: number) => ({
  isMeant: matched.includes(nameOf('meant', wording)),
  named: matched.includes(nameOf('named', wording)),
  stated: matched.includes(nameOf('stated', wording)),
  described: ['stated', 'described'].some((one) => matched.includes(nameOf(one, wording))),
});

const nameOf = (what: string, wording: number): string => `${what}:${wording}`;

/**
 * Finds the listings with the identifier of a product, then those that state all words of a wording, and with `someWordsIn` those
 * with some of the words. Without it, only listings with all words are scored, so that the cost does not grow with the
 * number of listings that have one of the words.
 *
 * Two aggregations return the cheapest listings, because the most relevant ones may all be more expensive: those that state all
 * words and are no accessories, and those of the named kind, which may contain words only in their descriptions if `someWordsIn` is
 * given. For "notebook", the first may contain paper notebooks only.
 */
export function productSearch(
  sought: readonly SoughtProduct[],
  { filter, someWordsIn, suggestFor }: ProductSearchOptions,
): estypes.SearchSearchRequestBody {
  const wordings = withinParts(sought).map((one, at) => {
    const has = (what: string, fields: readonly string[], boost: number): QueryClause => ({
      constant_score: {
        filter: hasWordsIn([one.text, ...one.otherTexts], fields),
        boost,
        _name: nameOf(what, at),
      },
    });
    const stated = has('stated', IDENTIFYING_FIELDS, BOOST.stated);
    const named = has('named', NAMING_FIELDS, BOOST.named);
    const name = { bool: { must: [{ match: { name: one.text } }], must_not: [CROWD] } };
    const should = [
      ...identifying(one),
      { bool: { must: [stated], should: [named, name] } },
      ...(someWordsIn === undefined
        ? []
        : [textQuery(textClauses(literalText(one.text, someWordsIn)), 'any')]),
    ];
    const described =
      someWordsIn === undefined
        ? []
        : [marked(nameOf('described', at), withWords(one.text, { schema: someWordsIn }))];
    // A long text is no name of a kind, and a second clause with its words would exceed the number of terms that Elasticsearch accepts.
    const isShort = partsOf(one.text).length <= SEARCH_TUNING.maxLookupWords;
    const ofKind = isShort ? [kindsNamed(one.text)?.head.query ?? []].flat() : [];
    return {
      found: { bool: { should, minimum_should_match: 1, filter: [...one.filter] } },
      stated,
      ofKind: ofKind.map((kind) => ({ bool: { filter: [kind, described[0] ?? stated] } })),
      marks: [marked(nameOf('meant', at), { bool: { filter: [...one.filter] } }), ...described],
    };
  });
  const accessories = [...new Set(sought.flatMap(({ accessoryWords }) => accessoryWords))].join(' ');
  const listings: estypes.AggregationsAggregationContainer = {
    top_hits: {
      size: MAX_FOUND.cheapest,
      sort: [{ 'internal.price_units': 'asc' }, { id: 'asc' }],
      _source: CANDIDATE_SOURCE as estypes.SearchSourceFilter,
    },
  };
  const ofKind = wordings.flatMap((one) => one.ofKind);
  const cheapest = (clauses: QueryClause[], accessory: QueryClause[] = []) => ({
    filter: {
      bool: {
        filter: [PRICED, { bool: { should: clauses } }],
        must_not: [...accessory, { term: { is_available: false } }, CROWD],
      },
    },
    aggs: { listings },
  });
  return {
    query: {
      bool: {
        must: [{ bool: { should: wordings.map(({ found }) => found), minimum_should_match: 1 } }],
        should: wordings.flatMap(({ marks }) => marks),
        filter: [...filter],
      },
    },
    sort: BY_RELEVANCE,
    size: someWordsIn === undefined || sought.length > 1 ? MAX_FOUND.exact : MAX_FOUND.similar,
    aggs: {
      cheapest: cheapest(
        wordings.map(({ stated }) => stated),
        accessories === '' ? [] : [{ match: { name: accessories } }],
      ),
      ...(ofKind.length > 0 && { of_kind: cheapest(ofKind) }),
    },
    ...(suggestFor !== undefined && { suggest: spellingSuggestion(suggestFor) }),
    track_total_hits: false,
    _source: sought.some(({ url }) => url !== null) ? PAGE_SOURCE : CANDIDATE_SOURCE,
  };
}

/** What is read for the address of a page: also which load has set the address of a listing. */
const PAGE_SOURCE: estypes.SearchSourceConfig = { includes: [...CANDIDATE_FIELDS, 'internal.lineage'] };

/** The maximum number of parts of all wordings together. Each part becomes many terms, of which Elasticsearch accepts 8,192. */
const MAX_PARTS = SEARCH_TUNING.maxParts / 2;

/** The first wordings that are short enough together. If the first alone is too long, the rest of its text is left out. */
function withinParts(sought: readonly SoughtProduct[]): readonly SoughtProduct[] {
  let parts = 0;
  const exceeds = ({ text }: SoughtProduct) => (parts += partsOf(text).length) > MAX_PARTS;
  const at = sought.findIndex(exceeds);
  if (at !== 0) return at < 0 ? sought : sought.slice(0, at);
  return sought.slice(0, 1).map((one) => {
    const last = partsOf(one.text)[MAX_PARTS - 1];
    const end = last === undefined ? undefined : last.index + last[0].length;
    return { ...one, text: one.text.slice(0, end), otherTexts: [] };
  });
}

/** A clause that marks the hits that match a filter, without changing which are found and in which order. */
const marked = (_name: string, filter: QueryClause): QueryClause => ({
  constant_score: { filter, boost: 0, _name },
});

const identifying = ({ identifiers, url }: SoughtProduct): QueryClause[] =>
  [
    ...(identifiers.length === 0 ? [] : [{ terms: { 'internal.identifiers': [...identifiers] } }]),
    ...(url === null ? [] : [{ term: { 'internal.url': url } }]),
  ].map((filter) => ({ constant_score: { filter, boost: BOOST.identified } }));

const PRICED: QueryClause = { exists: { field: 'internal.price_units' } };
