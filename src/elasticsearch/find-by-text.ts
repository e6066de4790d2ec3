import type { Found } from './pages.js';
import type { Selection } from '../queries/selection.js';
import { isCalled, mayBeName } from '../matching/query.js';
import { type TextFilter, textSelections } from '../queries/by-text.js';
import { correctedText } from '../queries/spelling.js';

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
 * @param read sends a selection to the engine and gives the part of the answer that is wanted.
 * @param first how the first listing of all is known; absent: a name is searched as any text.
 */
export async function findByText<T, Page extends Found<T> = Found<T>>(
  text: string,
  filter: TextFilter,
  read: (selection: Selection) => Promise<Page>,
  first?: First<T>,
): Promise<Page> {
  const selections = textSelections(text, filter);
  const named = (listing: FirstListing | null): Selection | null =>
    listing !== null && isCalled(listing, text) ? selections.named(listing) : null;
  const sought = first !== undefined && mayBeName(text) ? first : null;
  const early = sought !== null && 'look' in sought ? named(await sought.look(selections.typed)) : null;
  if (early !== null) return read(early);
  const found = await read(selections.withSuggestion());
  const corrected = correctedText(selections.plain, found.suggest);
  if (corrected !== null) return { ...(await read(selections.corrected(corrected))), corrected };
  const late = sought !== null && 'ofPage' in sought ? named(sought.ofPage(found)) : null;
  return late === null ? found : read(late);
}
