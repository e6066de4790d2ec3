import { foldProse } from '../../text/fold.js';
import { abbreviated } from './match.js';

/** The maximum number of adjacent words that may be one model number, such as "WH 1000 XM5". */
const MAX_PARTS = 5;
/** Matches a word without a digit that may be a part of a model number of several words, such as "WH". */
const LETTERS = /^\p{Script=Latin}{1,3}$/u;
const LENGTH = { min: 2, max: 32 };

/**
 * The texts in a query text that may be model numbers, as the index contains them (`name.codes`): words with a digit and adjacent
 * words that are one together, without blanks and punctuation. Plain numbers up to 999 are none.
 */
export function modelNumbersIn(text: string): string[] {
  const parts = abbreviated(foldProse(text))
    .split(/\s+/)
    .flatMap((word) => word.replace(/[^\p{L}\p{N}]+/gu, '') || []);
  const found = new Set<string>();
  for (let start = 0; start < parts.length; start += 1) {
    let joined = '';
    for (const part of parts.slice(start, start + MAX_PARTS)) {
      if (joined !== '' && !isModelPart(part)) break;
      joined += part;
      if (isModelNumber(joined)) found.add(joined);
      if (!isModelPart(part)) break;
    }
  }
  return [...found];
}

/** Whether a word may be a part of a model number of several words. */
export const isModelPart = (word: string): boolean => /\p{N}/u.test(word) || LETTERS.test(word);

const isModelNumber = (text: string): boolean =>
  text.length >= LENGTH.min &&
  text.length <= LENGTH.max &&
  /\p{N}/u.test(text) &&
  !/^\p{N}{1,3}$/u.test(text);
