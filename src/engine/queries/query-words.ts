import { UNIT_WORDS } from '../../text/units.js';
import { visibleText } from '../../text/clean.js';
import { isStopWord, withoutParticles } from '../../text/stop-words.js';
import { isModelPart } from './model-numbers.js';
import { SEARCH_TUNING } from './tuning.js';

/** Suffixes that the English stemmer of Elasticsearch removes from a word. */
const SUFFIX =
  'ed(?:ly)?|ing(?:ly)?|er|al|ic|[ai]ble|ate[ds]?|ating|ant|ent|[ae]nce|ment|ness|ful|ism|ity|ive|ous|ize[ds]?|izing|ion|ly';
const SUFFIXES = new RegExp(`^(?:${SUFFIX})*(?:e|e?s)?$`);
/**
 * If two words are written as one, the stemmer may remove a suffix that begins within the first word. This is
 * the maximum number of letters of the first word that belong to such a suffix.
 */
const BORDER = 3;

/**
 * Whether the stemmer would treat the second of two joined words as a suffix. "headphonered" has the stem of
 * "headphone": the joined word would find listings without the second word.
 */
function isEnding(first: string, second: string): boolean {
  if (!/^[a-z]+$/i.test(first)) return false;
  const [before, after] = [first.slice(-BORDER).toLowerCase(), second.toLowerCase()];
  // A consonant before "ed" or "ing" that is doubled, as in "stopped", is removed by the stemmer together with the suffix.
  if (before.at(-1) === after.charAt(0) && /^.(?:ed|ings?)$/.test(after)) return true;
  return Array.from({ length: before.length + 1 }, (_, at) => before.slice(at) + after).some((end) =>
    SUFFIXES.test(end),
  );
}

/** Adjacent words of a text, written as one word. */
interface JoinedWords {
  /** The index of the first word, and the index after the last one. */
  start: number;
  end: number;
  text: string;
}

/**
 * Each pair of words of a text, and each three or four words that may be one model number ("WH 1000 XM5"), or a name and its number
 * ("play station 5", "iphone 5 s").
 */
export function joinedWords(words: readonly string[]): JoinedWords[] {
  const joined: JoinedWords[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 2; end <= Math.min(start + 4, words.length); end += 1) {
      const run = words.slice(start, end);
      const isOne = run.length === 2 ? !isEnding(run[0] ?? '', run[1] ?? '') : mayBeOne(run);
      if (isOne) joined.push({ start, end, text: run.join('') });
    }
  }
  return joined;
}

function mayBeOne(run: readonly string[]): boolean {
  const text = run.join('');
  return run.every(isModelPart) ? /\d/.test(text) : run.length === 3 && /^\D+\d{1,2}\D?$/.test(text);
}

/** Variants of a text in which adjacent words are written as one word. */
export const withJoined = (words: readonly string[]): string[] =>
  joinedWords(words).map(({ start, end, text }) =>
    [...words.slice(0, start), text, ...words.slice(end)].join(' '),
  );

/** Matches a word of punctuation alone, from which the analyzer makes no term. */
const PUNCTUATION = /^[^\p{L}\p{N}]+$/u;
const NUMBER = /^\d[\d.,]*$/;
const UNIT = new RegExp(`^${UNIT_WORDS}$`, 'i');

/** The words of a query text without punctuation and stop words. A number and its unit are one word. */
export function countingWords(words: readonly string[]): string[] {
  const counting: string[] = [];
  for (const word of withoutStopWords(words)) {
    const before = counting.at(-1) ?? '';
    if (UNIT.test(word) && NUMBER.test(before)) counting.splice(-1, 1, `${before} ${word}`);
    else if (!PUNCTUATION.test(word)) counting.push(word);
  }
  return counting;
}

/** Removes stop words, unless the text consists of stop words alone, such as "it" or "The Who". */
function withoutStopWords(words: readonly string[]): string[] {
  // An "a" at the end is kept, because that of "vitamin a" and "usb a" is not an article.
  const named = words.filter((word, at) => at === words.length - 1 && at > 0 && /^a$/i.test(word));
  const left = [...stopWordsDropped(words), ...named];
  return left.some((word) => !PUNCTUATION.test(word)) ? left : [...words];
}

/** Removes all stop words. "in" after a number is a unit (inches), not a stop word. */
const stopWordsDropped = (words: readonly string[]): string[] =>
  words.filter((word, at) => !isStopWord(word) || (UNIT.test(word) && NUMBER.test(words[at - 1] ?? '')));

/** Splits a query text and returns its significant words. */
export const wordQueries = (text: string): string[] => countingWords(wordsOf(text));

/** Splits a query text into words, up to a maximum number of words and of parts, because each ideograph becomes a term. */
export const wordsOf = (q: string): string[] => splitText(q).searched;

/** The words of a query text that are not searched for, because they exceed the maximum number of words or parts. */
export const leftOutWords = (q: string): string[] =>
  splitText(q).leftOut.filter((word) => !PUNCTUATION.test(word));

function splitText(q: string): { searched: string[]; leftOut: string[] } {
  const { maxWords, maxParts } = SEARCH_TUNING;
  const visible = visibleText(q);
  // A text with fewer characters than `maxParts` cannot have that many parts.
  const last = visible.length < maxParts ? undefined : partsOf(visible)[maxParts - 1];
  const end = last === undefined ? visible.length : last.index + last[0].length;
  const words = blankSeparated(withoutParticles(visible.slice(0, end)));
  const further = blankSeparated(visible.slice(end));
  return { searched: words.slice(0, maxWords), leftOut: [...words.slice(maxWords), ...further] };
}

const blankSeparated = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
/** Matches a letter, with its marks, of a script without spaces, or of Hangul. Each of them, or each pair, becomes a term. */
export const UNSPACED_LETTER = `(?=${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('|')})\\p{L}\\p{M}*`;
const PARTS = new RegExp(`${UNSPACED_LETTER}|(?:(?!${UNSPACED_LETTER})[\\p{L}\\p{M}])+|\\p{N}+`, 'gu');

/** Matches the parts of a text that may become search terms: ideographs, and sequences of letters or digits. */
export const partsOf = (text: string): RegExpExecArray[] => [...text.matchAll(PARTS)];
