import type { estypes } from '@elastic/elasticsearch';
import { type TextFilter, textSelections } from '../queries/by-text.js';
import { narrowedText } from '../queries/of-kind.js';
import type { Selection } from '../queries/selection.js';
import { correctedText } from '../queries/spelling.js';
import type { Found } from './pages.js';

/** Asks for the first listing of a selection. @returns its score, null where there is none. */
export type Probe = (
  selection: Selection,
) => Promise<{ score: number | null; suggest?: estypes.SearchResponse['suggest'] }>;

/**
 * Listings of the kind that a text names, in an order that says nothing of how well they fit it. Two requests: one for
 * how far the words can narrow, and one for the listings; a third where a word is misspelt.
 * @param whole all filters of the answer, with those of which a facet is free.
 */
export async function findOfKind<T, Page extends Found<T> = Found<T>>(
  text: string,
  { whole, filter, ...rest }: TextFilter & { whole: estypes.QueryDslQueryContainer[] },
  { read, probe }: { read: (selection: Selection) => Promise<Page>; probe: Probe },
): Promise<Page> {
  const typed = narrowedText(text, whole);
  const first = await probe(typed.probe);
  const corrected = correctedText(typed.plain, first.suggest);
  const narrowed = corrected === null ? typed : narrowedText(text, whole, corrected);
  const { score } = corrected === null ? first : await probe(narrowed.probe);
  const selections = textSelections(text, { ...rest, filter: [...filter, ...narrowed.clauses(score)] });
  if (corrected === null) return read(selections.withSuggestion());
  return { ...(await read(selections.corrected(corrected))), corrected };
}
