import { foldProse } from './fold.js';
import { splitWords } from './tokenize.js';

/** The minimum number of words of the exact name of one listing. Many listings share shorter names. */
const MIN_NAME_WORDS = 5;

/** Returns a name in a form in which case and punctuation do not count. */
export const normalisedName = (name: string): string => splitWords(foldProse(name)).join(' ');

/** Whether a text is long enough to be the exact name of one listing. */
export const mayBeExactName = (text: string): boolean =>
  normalisedName(text).split(' ').length >= MIN_NAME_WORDS;

/** Whether a text is the name of a listing, regardless of case and punctuation. */
export const isExactName = ({ name }: { name: string }, text: string): boolean =>
  normalisedName(name) === normalisedName(text);
