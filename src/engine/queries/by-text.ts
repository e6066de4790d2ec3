import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './listings.js';
import { hasAllWords, searchText, withOtherShops, withPhrase } from './search.js';
import type { Selection } from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';
import { blankedStopWords } from '../../text/stop-words.js';
import { readWording, type Wording } from './wording.js';

type Query = estypes.QueryDslQueryContainer;

/** Whether a listing must have any of the words that count, or all of them. */
export type MatchMode = 'any' | 'all';

/** What a text turned out to mean in the catalogue. */
export interface Meaning {
  /** What its words outside of quotes are corrected to; null: they are as typed. */
  corrected: string | null;
  /** Words that no listing has: `all` does not ask for them. */
  unknown: readonly string[];
}

export const AS_TYPED: Meaning = { corrected: null, unknown: [] };

/** Which of the listings with words of a text are wanted, and in which order. */
export interface TextFilter {
  filter: Query[];
  /** `any` unless given. */
  match?: MatchMode;
  /** Absent: the most relevant first. */
  sort?: estypes.Sort;
  unknown?: readonly string[];
}

/**
 * The selections of a text: as typed, as the name of a listing, and corrected. Words of asking are not looked for; a phrase
 * in quotes must be there as it is.
 */
export function textSelections(
  typed: string,
  { filter, match = 'any', sort = BY_RELEVANCE, unknown = [] }: TextFilter,
  wording = readWording(typed),
) {
  const { text, phrases } = wording;
  const ranked = (must: Query, corrected: string | null): Selection => {
    const words = match === 'all' ? withAllWords(wording, { corrected, unknown }) : phrases.map(withPhrase);
    return { query: { bool: { must, filter: [...filter, ...words] } }, sort };
  };
  return {
    typed: ranked(searchText(text, typed), null),
    named: (listing: { id: number; source: string }): Selection =>
      ranked(withOtherShops(searchText(text, typed), listing), null),
    /** @param words what the words outside of quotes are corrected to. */
    corrected: (words: string): Selection =>
      ranked(correctedQuery(text, [words, ...phrases].join(' ')), words),
  };
}

/** Listings with all the words of a text that count, as corrected or as typed, and with its phrases. */
export function withAllWords({ text, phrases }: Wording, { corrected, unknown }: Meaning): Query[] {
  const asTyped = hasAllWords(text, unknown);
  if (corrected === null) return [asTyped, ...phrases.map(withPhrase)];
  const asMeant = hasAllWords([corrected, ...phrases].join(' '), unknown);
  return [{ bool: { should: [asMeant, asTyped] } }, ...phrases.map(withPhrase)];
}

/** Asks the engine for the spelling of words that no listing has. A stop word is never taken for a typo. */
export function suggestionFor(plain: string): { suggest?: estypes.SearchSuggester } {
  const text = blankedStopWords(plain);
  return text.trim() === '' ? {} : { suggest: spellingSuggestion(text) };
}
