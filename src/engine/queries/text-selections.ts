import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './sorts.js';
import { type LinkedOffers, withLinkedOffers } from './linked-offers.js';
import { wordQueries } from './query-words.js';
import { queryOf, type TextClauses, textClauses, withAllOf, withOtherShops, withPhrase } from './search.js';
import { boosted, pinnedFirst, withoutHidden } from './rule-clauses.js';
import { type ActingRules, NO_ACTING_RULES } from './rules.js';
import { combined, type MatchMode, type QueryClause, type Selection } from './selection.js';
import type { QueryText } from './query-text.js';

/** Options that determine which listings with words of a query text are selected, and in which order. */
export interface TextFilter {
  filter: QueryClause[];
  /** Whether a listing must contain any or all words of the query text; `any` by default. */
  match?: MatchMode;
  /** The sort order of the selected listings; by relevance by default. */
  sort?: estypes.Sort;
  /** The clauses of the query text, by default as `clausesOf` reads them without options. */
  clauses?: TextClauses;
  /** The listing whose exact name is the query text. */
  named?: { id: number; source: string } | null;
  /** If the text is an identifier, the linked offers of the listings that it finds. */
  linked?: LinkedOffers | null;
  /** The merchandising rules that act on the search; none by default. */
  rules?: ActingRules;
}

/**
 * Reads the clauses of a query text.
 * @param options.unknown words that no listing contains, so that a listing need not contain them.
 * @param options.named whether the clauses have names, so that Elasticsearch reports which of them each listing matched.
 */
export const clausesOf = (
  { text, typed, schema, synonyms }: QueryText,
  options: { unknown?: readonly string[]; named?: boolean } = {},
): TextClauses => textClauses(text, { ...options, typed, schema, synonyms });

/** Selects the listings with words of a query text. A phrase in quotes must occur exactly. */
export function textSelection(
  wording: QueryText,
  {
    filter,
    match = 'any',
    sort = BY_RELEVANCE,
    clauses = clausesOf(wording),
    named = null,
    linked = null,
    rules = NO_ACTING_RULES,
  }: TextFilter,
): Selection {
  const { text, phrases } = wording;
  const words = queryOf(clauses, match);
  const scored = named === null ? words : withOtherShops(words, named);
  const quoted: QueryClause =
    phrases.length === 0 ? scored : { bool: { must: [scored], filter: phrases.map(withPhrase) } };
  const { boosts } = rules;
  const relevance = boosts.length === 0 ? quoted : boosted(quoted, boosts, wordQueries(text).length);
  const ranked = pinnedFirst(linked === null ? relevance : withLinkedOffers(relevance, linked), rules.pins);
  return { query: { bool: { must: [ranked], filter: [...filter, ...withoutHidden(rules.hidden)] } }, sort };
}

/** A filter clause for the listings with all words of a query text, and with all of its phrases. */
export const withAllWords = (
  { text, typed, phrases, schema, synonyms }: QueryText,
  unknown: readonly string[] = [],
): QueryClause =>
  combined('filter', [withAllOf(text, { unknown, typed, schema, synonyms }), ...phrases.map(withPhrase)]);
