import { SEARCH_TUNING } from '../../engine/queries/tuning.js';

/** Looking up the spelling of so many words takes one more concurrency slot; measured by the time of the engine. */
const SPELLED_FOR_A_PLACE = 6;

/** The engine splits text without blanks, such as Thai, into words of a few characters. */
const CHARACTERS_OF_A_WORD = 10;

/** About how many words the engine makes of a text. */
export const wordsOf = (q = ''): number =>
  Math.max(q.split(/\s+/).filter((word) => word !== '').length, Math.floor(q.length / CHARACTERS_OF_A_WORD));

/** Concurrency slots for the spelling of a text, besides those of its search. */
export const slotsForSpelling = (q?: string): number =>
  Math.floor(Math.min(wordsOf(q), SEARCH_TUNING.maxLookupWords) / SPELLED_FOR_A_PLACE);
