import { FILLERS, PREPOSITIONS } from './vocabulary.js';

/**
 * Words of grammar in the text of a search. They say nothing about a product, so a listing need not contain them.
 */
const STOP_WORDS: ReadonlySet<string> = new Set([...FILLERS, ...PREPOSITIONS]);

/**
 * Matches Chinese particles between or behind ideographs, other than in the words `的士` (taxi) and `目的`
 * (purpose). `呢` and `吧` are excluded, because they are also parts of product words (`毛呢大衣`, a woollen
 * coat, and `酒吧椅`, a bar stool).
 */
const PARTICLES = /(?<=\p{Script=Han})(?<!目)(?:的(?!士)|[了吗与或])(?=\p{Script=Han}|\s|$)/gu;
/** Matches a Chinese function word of one character, such as 的, that is not part of a longer word. */
const SINGLE_CHARACTERS = /^[的了吗呢吧与或和是在有我你他她它们个这那]$/u;

const normalized = (word: string): string => word.toLowerCase().replaceAll('’', "'");

export const isStopWord = (word: string): boolean =>
  STOP_WORDS.has(normalized(word)) || SINGLE_CHARACTERS.test(word);

/** Replaces each Chinese particle in a text by a blank. */
export const withoutParticles = (text: string): string => text.replace(PARTICLES, ' ');

/**
 * Removes stop words from a text, except prepositions, which separate what a product is from what it is
 * for.
 */
export const withoutFillers = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !FILLERS.has(normalized(word)))
    .join(' ');

/** Replaces the letters of stop words by blanks, so that every other word keeps its offset. */
export const blankedStopWords = (text: string): string =>
  text.replace(/\S+/g, (word) => (isStopWord(word) ? ' '.repeat(word.length) : word));
