import { oneOf } from '../text/goods.js';
import { phrasesOf } from './lexicon.js';

/** Words and phrases after which a name states what the product is made for, the longest first. */
const PHRASES = phrasesOf('for').toSorted((a, b) => b.length - a.length);
const [spaced, joined] = [true, false].map((hasBlanks) =>
  oneOf(PHRASES.filter((phrase) => /^\p{Script=Latin}/u.test(phrase) === hasBlanks)),
);

/** The words after which a name states what the product is made for, such as `for` and `fits`, without phrases. */
export const FOR_WORDS: ReadonlySet<string> = new Set(PHRASES.filter((phrase) => !phrase.includes(' ')));

/** The source of a regular expression (with the flag `u`) that finds these words and phrases in a folded text. */
export const FOR = `(?:(?<![\\p{L}\\p{N}])${spaced}(?![\\p{L}\\p{N}])|${joined})`;

/** Matches a word or phrase such as "for", and captures the text after it up to the next punctuation mark. */
const FOR_PHRASE = new RegExp(String.raw`${FOR}((?:(?! - )[^,;:()[\]|])*)`, 'gu');

/** The phrases after "for" and "compatible with" in a folded name, which name what the listing goes with. */
export const targetPhrases = (folded: string): string[] =>
  [...folded.matchAll(FOR_PHRASE)].map(([, phrase = '']) => phrase.trim()).filter((phrase) => phrase !== '');
