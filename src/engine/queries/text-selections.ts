import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './sorts.js';
import { type LinkedOffers, withLinkedOffers } from './linked-offers.js';
import { hasAllWords, searchText, withOtherShops, withPhrase } from './search.js';
import type { Selection, QueryClause } from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';
import { blankedStopWords } from '../../text/stop-words.js';
import { parseQueryText, type QueryText } from './query-text.js';

/** Whether a listing must contain all significant words of the query text, or any of them. */
export type MatchMode = 'any' | 'all';

/** How the words of a query text are understood, given the words that occur in the catalogue. */
export interface Meaning {
  /** The words outside of quotes with corrected spelling; null if they are used as typed. */
  corrected: string | null;
  /**
   * Words of the query text that no listing contains. A listing need not contain them, even if it must
   * contain all other words.
   */
  unknown: readonly string[];
}

export const AS_TYPED: Meaning = { corrected: null, unknown: [] };

/** Options that determine which listings with words of a query text are selected, and in which order. */
export interface TextFilter {
  filter: QueryClause[];
  /** Whether a listing must contain any or all words of the query text; `any` by default. */
  match?: MatchMode;
  /** The sort order of the selected listings; by relevance by default. */
  sort?: estypes.Sort;
  unknown?: readonly string[];
  /** If the text is an identifier, the linked offers of the listings that it finds. */
  linked?: LinkedOffers | null;
}

/**
 * The three possible selections for a query text: as typed, as the exact name of a listing, and with
 * corrected spelling. A phrase in quotes must occur exactly.
 */
export function textSelections(
  typed: string,
  { filter, match = 'any', sort = BY_RELEVANCE, unknown = [], linked = null }: TextFilter,
  wording = parseQueryText(typed),
) {
  const { text, phrases } = wording;
  const ranked = (must: QueryClause, corrected: string | null): Selection => {
    const words = match === 'all' ? withAllWords(wording, { corrected, unknown }) : phrases.map(withPhrase);
    if (linked === null) return { query: { bool: { must, filter: [...filter, ...words] } }, sort };
    const found: QueryClause = { bool: { should: [{ bool: { filter: words } }, linked.offers] } };
    return { query: { bool: { must: withLinkedOffers(must, linked), filter: [...filter, found] } }, sort };
  };
  return {
    typed: ranked(searchText(text, typed), null),
    named: (listing: { id: number; source: string }): Selection =>
      ranked(withOtherShops(searchText(text, typed), listing), null),
    /** The selection for corrected spelling. @param words the corrected words outside of quotes. */
    corrected: (words: string): Selection =>
      ranked(correctedQuery(text, [words, ...phrases].join(' ')), words),
  };
}

/** Clauses for the listings with all words of a text, corrected or as typed, and with all of its phrases. */
export function withAllWords({ text, phrases }: QueryText, { corrected, unknown }: Meaning): QueryClause[] {
  const asTyped = hasAllWords(text, unknown);
  if (corrected === null) return [asTyped, ...phrases.map(withPhrase)];
  const asMeant = hasAllWords([corrected, ...phrases].join(' '), unknown);
  return [{ bool: { should: [asMeant, asTyped] } }, ...phrases.map(withPhrase)];
}

/**
 * Asks Elasticsearch for spelling suggestions for those words of a text that no listing has. Stop words are
 * left out, because a stop word is never a typo.
 */
export function suggestionFor(plain: string): { suggest?: estypes.SearchSuggester } {
  const text = blankedStopWords(plain);
  return text.trim() === '' ? {} : { suggest: spellingSuggestion(text) };
}
