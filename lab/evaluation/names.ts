import { foldWords } from '../../src/text/fold.js';
import { UNIT_WORDS } from '../../src/text/units.js';

/** Matches a plus sign at the end of a word, as in "S24+". */
export const PLUS_SIGN = /(?<=[\p{L}\p{N}])\+(?![\p{L}\p{N}])/gu;
const SIZE = new RegExp(`(\\d) (?=${UNIT_WORDS}\\b)`, 'g');

/** Joins numbers and their units in a lower-case text: "2 tb" becomes "2tb". */
export const joinSizes = (text: string): string => text.replace(SIZE, '$1');

/** Folds a name so that notations are equal: case, accents and punctuation go, "+" is "plus", and "2 TB" is "2tb". */
export const foldName = (name: string): string => joinSizes(foldWords(name.replace(PLUS_SIGN, ' plus ')));

export const wordsOf = (name: string): string[] => foldName(name).split(' ');

const SPECIFICATION_TAIL = /,\s.*| [-–|/] .*|\s[([].*/su;

/** Returns the part of a name before its first comma, dash or bracket, which mostly begins a specification. */
export const headOf = (name: string): string =>
  name.replace(SPECIFICATION_TAIL, '').replace(/\s+/g, ' ').trim();

const MIN_WORDS = 3;
const MAX_WORDS = 12;

/** Returns whether a text has about as many words as the name of one product. With a model number, two are enough. */
export function isSpecific(text: string): boolean {
  const words = new Set(wordsOf(text));
  const hasModel = [...words].some((word) => /^(?=.*\d)(?=.*\p{L}).{4,}$/u.test(word));
  return words.size >= (hasModel ? MIN_WORDS - 1 : MIN_WORDS) && words.size <= MAX_WORDS;
}

/** Whether a name contains every word of another one, in any order. */
export function containsWords(name: string, words: readonly string[]): boolean {
  const contained = new Set(wordsOf(name));
  return words.every((word) => contained.has(word));
}
