import type { estypes } from '@elastic/elasticsearch';
import type { Found } from './pages.js';
import type { Selection } from './selection.js';
import { isCalled, mayBeName } from '../matching/query.js';
import { BY_RELEVANCE } from '../queries/listings.js';
import { hasAllWords, searchText, withOtherShops } from '../queries/search.js';
import { correctedQuery, correctedText, spellingSuggestion } from '../queries/spelling.js';

/** What is read of the first listing, to see whether the text is its name. */
export interface FirstListing {
  id: number;
  source: string;
  name: string;
}

/** How the first listing of a selection is known: of the page, where it begins there, else by a look of its own. */
export type First<T> =
  | { ofPage: (found: Found<T>) => FirstListing | null }
  | { look: (selection: Selection) => Promise<FirstListing | null> };

/**
 * Listings by text, the most relevant first. One request; a second one only where the first says that a word is
 * unknown and another is a typo away, or where the text is the very name of the first listing: then other shops' offers
 * come before more of its own shop.
 * @param match `all`: only listings in which every word is found.
 * @param read sends a selection to the engine and gives the part of the answer that is wanted.
 * @param first how the first listing of all is known; absent: a name is searched as any text.
 */
export async function findByText<T>(
  text: string,
  { filter, match = 'any' }: { filter: estypes.QueryDslQueryContainer[]; match?: 'any' | 'all' },
  read: (selection: Selection) => Promise<Found<T>>,
  first?: First<T>,
): Promise<Found<T>> {
  const ranked = (must: estypes.QueryDslQueryContainer, words: string): Selection => ({
    query: { bool: { must, filter: match === 'all' ? [...filter, hasAllWords(words)] : filter } },
    sort: BY_RELEVANCE,
  });
  const plain = ranked(searchText(text), text);
  const named = (listing: FirstListing | null): Selection | null =>
    listing !== null && isCalled(listing, text)
      ? ranked(withOtherShops(searchText(text), listing), text)
      : null;
  const sought = first !== undefined && mayBeName(text) ? first : null;
  const early = sought !== null && 'look' in sought ? named(await sought.look(plain)) : null;
  if (early !== null) return read(early);
  const found = await read({ ...plain, suggest: spellingSuggestion(text) });
  const corrected = correctedText(text, found.suggest);
  if (corrected !== null) return read(ranked(correctedQuery(text, corrected), corrected));
  const late = sought !== null && 'ofPage' in sought ? named(sought.ofPage(found)) : null;
  return late === null ? found : read(late);
}
