import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './listings.js';
import { hasAllWords, searchText, withOtherShops, withPhrase } from './search.js';
import type { Selection } from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';
import { readWording } from './wording.js';

type Query = estypes.QueryDslQueryContainer;

/** Which of the listings with words of a text are wanted; `all`: only those in which every word is found. */
export interface TextFilter {
  filter: Query[];
  match?: 'any' | 'all';
  /** Absent: the most relevant first. */
  sort?: estypes.Sort;
}

/**
 * What is asked for a text: as typed, with a suggestion for misspelt words, as the name of a listing, and corrected.
 * Words of asking are not looked for; a phrase in quotes must be there as it is.
 */
export function textSelections(typed: string, { filter, match = 'any', sort = BY_RELEVANCE }: TextFilter) {
  const { text, plain, phrases } = readWording(typed);
  const quoted = phrases.map(withPhrase);
  const ranked = (must: Query, words: string): Selection => ({
    query: {
      bool: { must, filter: [...filter, ...quoted, ...(match === 'all' ? [hasAllWords(words)] : [])] },
    },
    sort,
  });
  const asTyped = ranked(searchText(text, typed), text);
  return {
    /** The words that a suggestion is for. */
    plain,
    typed: asTyped,
    withSuggestion: (): Selection =>
      plain === '' ? asTyped : { ...asTyped, suggest: spellingSuggestion(plain) },
    named: (listing: { id: number; source: string }): Selection =>
      ranked(withOtherShops(searchText(text, typed), listing), text),
    /** @param words what `plain` is corrected to. */
    corrected(words: string): Selection {
      const all = [words, ...phrases].join(' ');
      return ranked(correctedQuery(text, all), all);
    },
  };
}
