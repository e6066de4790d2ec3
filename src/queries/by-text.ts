import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './listings.js';
import { hasAllWords, searchText, withOtherShops } from './search.js';
import type { Selection } from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';

type Query = estypes.QueryDslQueryContainer;

/** Which of the listings with words of a text are wanted; `all`: only those in which every word is found. */
export interface TextFilter {
  filter: Query[];
  match?: 'any' | 'all';
}

/** What is asked for a text: as typed, with a suggestion for misspelt words, as the name of a listing, and corrected. */
export function textSelections(text: string, { filter, match = 'any' }: TextFilter) {
  const ranked = (must: Query, words: string): Selection => ({
    query: { bool: { must, filter: match === 'all' ? [...filter, hasAllWords(words)] : filter } },
    sort: BY_RELEVANCE,
  });
  const typed = ranked(searchText(text), text);
  return {
    typed,
    withSuggestion: (): Selection => ({ ...typed, suggest: spellingSuggestion(text) }),
    named: (listing: { id: number; source: string }): Selection =>
      ranked(withOtherShops(searchText(text), listing), text),
    corrected: (words: string): Selection => ranked(correctedQuery(text, words), words),
  };
}
