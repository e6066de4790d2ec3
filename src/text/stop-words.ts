import { FILLERS, PREPOSITIONS } from './vocabulary.js';

/** Words of grammar in the text of a search, which a listing need not contain. */
const STOP_WORDS: ReadonlySet<string> = new Set([...FILLERS, ...PREPOSITIONS]);

/** Matches Chinese particles between or after ideographs. `呢` and `吧` are left out, because they occur in words for products. */
const PARTICLES = /(?<=\p{Script=Han})(?<!目)(?:的(?!士)|[了吗与或])(?=\p{Script=Han}|\s|$)/gu;
/** A Chinese function word of one character that is not part of a longer word. */
const SINGLE_CHARACTERS = /^[的了吗呢吧与或和是在有我你他她它们个这那]$/u;

const normalized = (word: string): string => word.toLowerCase().replaceAll('’', "'");

export const isStopWord = (word: string): boolean =>
  STOP_WORDS.has(normalized(word)) || SINGLE_CHARACTERS.test(word);

export const withoutParticles = (text: string): string => text.replace(PARTICLES, ' ');

/** Removes stop words, except prepositions, which separate what a product is from what it is for. */
export const withoutFillers = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !FILLERS.has(normalized(word)))
    .join(' ');

/** Replaces stop words by blanks, so that every other word keeps its offset. */
export const blankedStopWords = (text: string): string =>
  text.replace(/\S+/g, (word) => (isStopWord(word) ? ' '.repeat(word.length) : word));
