import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './sorts.js';
import { hasAllWords, searchText, withOtherShops, withPhrase } from './search.js';
import type { Selection, QueryClause } from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';
import { blankedStopWords } from '../../text/stop-words.js';
import { parseQueryText, type QueryText } from './query-text.js';

/** Whether a listing must have any of the words that count, or all of them. */
export type MatchMode = 'any' | 'all';

/** How a text is interpreted, given the words that the catalogue has. */
export interface Meaning {
  /** The corrected words outside of quotes; null if they are used as typed. */
  corrected: string | null;
  /** Words that no listing has. The mode `all` does not require them. */
  unknown: readonly string[];
}

export const AS_TYPED: Meaning = { corrected: null, unknown: [] };

/** Which of the listings with words of a text are selected, and in which order. */
export interface TextFilter {
  filter: QueryClause[];
  /** `any` by default. */
  match?: MatchMode;
  /** By relevance by default. */
  sort?: estypes.Sort;
  unknown?: readonly string[];
}

/**
 * The selections of a text: as typed, as the name of a listing, and corrected. Phrases around the product, such as "where can I
 * buy", are not searched for. A phrase in quotes must occur as it is.
 */
export function textSelections(
  typed: string,
  { filter, match = 'any', sort = BY_RELEVANCE, unknown = [] }: TextFilter,
  wording = parseQueryText(typed),
) {
  const { text, phrases } = wording;
  const ranked = (must: QueryClause, corrected: string | null): Selection => {
    const words = match === 'all' ? withAllWords(wording, { corrected, unknown }) : phrases.map(withPhrase);
    return { query: { bool: { must, filter: [...filter, ...words] } }, sort };
  };
  return {
    typed: ranked(searchText(text, typed), null),
    named: (listing: { id: number; source: string }): Selection =>
      ranked(withOtherShops(searchText(text, typed), listing), null),
    /** @param words the corrected words outside of quotes. */
    corrected: (words: string): Selection =>
      ranked(correctedQuery(text, [words, ...phrases].join(' ')), words),
  };
}

/** Filters the listings with all the words of a text that count, corrected or as typed, and with its phrases. */
export function withAllWords({ text, phrases }: QueryText, { corrected, unknown }: Meaning): QueryClause[] {
  const asTyped = hasAllWords(text, unknown);
  if (corrected === null) return [asTyped, ...phrases.map(withPhrase)];
  const asMeant = hasAllWords([corrected, ...phrases].join(' '), unknown);
  return [{ bool: { should: [asMeant, asTyped] } }, ...phrases.map(withPhrase)];
}

/** Requests spelling suggestions for words that no listing has. A stop word is never treated as a typo. */
export function suggestionFor(plain: string): { suggest?: estypes.SearchSuggester } {
  const text = blankedStopWords(plain);
  return text.trim() === '' ? {} : { suggest: spellingSuggestion(text) };
}
