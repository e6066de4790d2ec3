import type { estypes } from '@elastic/elasticsearch';
import { type ContainedWord, identified, withEachWord, withPhrase } from './contained-words.js';
import { type LinkedOffers, withLinkedOffers } from './linked-offers.js';
import type { QueryText } from './query-text.js';
import { wordQueries } from './query-words.js';
import { alikeClauses, type NameOf, rankingClauses } from './ranking.js';
import { boosted, pinnedFirst, withoutHidden } from './rule-clauses.js';
import { type ActingRules, NO_ACTING_RULES } from './rules.js';
import { combined, type MatchMode, type QueryClause, type Selection } from './selection.js';
import { BY_RELEVANCE } from './sorts.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/** What determines, besides a query text, which listings are selected, and in which order. */
export interface TextFilter {
  filter: QueryClause[];
  /** Whether a listing must contain any or all words of the query text; `any` by default. */
  match?: MatchMode;
  /** The sort order of the selected listings; by relevance by default. */
  sort?: estypes.Sort;
  /** The clauses of the query text, by default without names. */
  clauses?: TextClauses;
  /** The listing whose exact name is the query text. */
  named?: { id: number; source: string } | null;
  /** If the text is an identifier, the linked offers of the listings that it finds. */
  linked?: LinkedOffers | null;
  /** The merchandising rules that act on the search; none by default. */
  rules?: ActingRules;
}

/** Selects the listings with words of a query text. A phrase in quotes must occur exactly. */
export function textSelection(
  read: QueryText,
  {
    filter,
    match = 'any',
    sort = BY_RELEVANCE,
    clauses = textClauses(read),
    named = null,
    linked = null,
    rules: { pins, boosts, hidden } = NO_ACTING_RULES,
  }: TextFilter,
): Selection {
  const words = textQuery(clauses, match);
  const scored = named === null ? words : withOtherShops(words, named);
  const quoted: QueryClause =
    read.phrases.length === 0 ? scored : { bool: { must: [scored], filter: read.phrases.map(withPhrase) } };
  const relevance = boosts.length === 0 ? quoted : boosted(quoted, boosts, wordQueries(read.text).length);
  const ranked = pinnedFirst(linked === null ? relevance : withLinkedOffers(relevance, linked), pins);
  return { query: { bool: { must: [ranked], filter: [...filter, ...withoutHidden(hidden)] } }, sort };
}

/** The clauses of a text search. The pages of one search share them, because building them takes most of the time of building a query. */
export interface TextClauses {
  /** One clause for each word, which adds an equal share of the boost `allWords`. */
  each: QueryClause[];
  /** A clause for the listings whose SKU, GTIN or model number is the text. */
  whole: QueryClause;
  /** Clauses for listings that serve the purpose of the words without having them. */
  alike: QueryClause[];
  /** Clauses that rank the listings. */
  ranking: QueryClause[];
}

/** The prefix of the names of query clauses that search for a single word. */
export const WORD = 'word:';

/**
 * Builds the clauses of a query text.
 * @param isNamed whether the clauses have names, so that Elasticsearch reports which of them each listing matched.
 */
export function textClauses(read: QueryText, isNamed = false): TextClauses {
  const words = knownWords(read);
  const name: NameOf = (_name) => (isNamed ? { _name } : {});
  const boost = tuning.allWords / words.length;
  return {
    each: words.map(({ word, query }) => ({
      constant_score: { filter: query, boost, ...name(`${WORD}${word}`) },
    })),
    whole: identified(read.typed, name('identifier')),
    alike: alikeClauses(words),
    ranking: rankingClauses(read, name),
  };
}

/**
 * The query of a text search: a listing must match all words or any. Listings whose SKU, GTIN or model number is the text are
 * found and ranked first. A text without a letter or digit matches nothing.
 */
export const textQuery = ({ each, whole, alike, ranking }: TextClauses, match: MatchMode): QueryClause =>
  match === 'any'
    ? { bool: { should: [...each, ...alike, whole, ...ranking] } }
    : { bool: { must: [allOf(each, whole)], should: ranking } };

/** A filter clause for the listings with all words of a query text, and with all of its phrases. */
export const withAllWords = (read: QueryText): QueryClause => {
  const each = knownWords(read).map(({ query }) => query);
  return combined('filter', [allOf(each, identified(read.typed)), ...read.phrases.map(withPhrase)]);
};

/** The words of a query text that are searched for: those that some listing contains, or all if there are none. */
function knownWords({ text, unknown, ...options }: QueryText): ContainedWord[] {
  const all = withEachWord(text, options);
  const known = all.filter(({ word }) => !unknown.includes(word));
  return known.length === 0 ? all : known;
}

/** A clause for the listings that match each of several clauses, and for those that match another one. */
const allOf = (each: QueryClause[], whole: QueryClause): QueryClause =>
  combined('should', [
    ...(each.length === 0 ? [] : [{ bool: { should: each, minimum_should_match: each.length } }]),
    whole,
  ]);

/**
 * The scoring clause for a text that is the exact name of a listing. That listing scores highest. Offers of
 * other shops score above further listings of its own shop, which have similar names.
 */
function withOtherShops(named: QueryClause, { id, source }: { id: number; source: string }): QueryClause {
  const others: QueryClause = { bool: { must_not: [{ term: { source } }] } };
  const favoured: QueryClause = {
    function_score: { query: named, functions: [{ filter: others, weight: tuning.otherShops }] },
  };
  const itself: QueryClause = {
    constant_score: { filter: { term: { id } }, boost: 2 * tuning.otherShops * tuning.identifier },
  };
  return { bool: { must: [favoured], should: [itself] } };
}
