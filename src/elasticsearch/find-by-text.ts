import type { estypes } from '@elastic/elasticsearch';
import type { Found } from './pages.js';
import type { Selection } from './selection.js';
import { BY_RELEVANCE } from '../queries/listings.js';
import { hasAllWords, searchText } from '../queries/search.js';
import { correctedQuery, correctedText, spellingSuggestion } from '../queries/spelling.js';

/**
 * Listings by text, the most relevant first. One request; a second one only where the first says that a word is
 * unknown and another is a typo away.
 * @param match `all`: only listings in which every word is found.
 * @param read sends a selection to the engine and gives the part of the answer that is wanted.
 */
export async function findByText<T>(
  text: string,
  { filter, match = 'any' }: { filter: estypes.QueryDslQueryContainer[]; match?: 'any' | 'all' },
  read: (selection: Selection) => Promise<Found<T>>,
): Promise<Found<T>> {
  const ranked = (must: estypes.QueryDslQueryContainer, words: string): Selection => ({
    query: { bool: { must, filter: match === 'all' ? [...filter, hasAllWords(words)] : filter } },
    sort: BY_RELEVANCE,
  });
  const found = await read({ ...ranked(searchText(text), text), suggest: spellingSuggestion(text) });
  const corrected = correctedText(text, found.suggest);
  return corrected === null ? found : read(ranked(correctedQuery(text, corrected), corrected));
}
