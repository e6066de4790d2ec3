import { ALPHABETS, foldMark, isMarketWord, SHIPPED_MARKETS as MARKETS } from '../../../naming/markets.js';
import { anyWordOf, OPTIONAL_GAP, SCALES } from './vocabulary.js';

/** The marks, names and codes of currencies that shoppers type beside amounts. */
export const MARKS = MARKETS.phrases.filter(
  (phrase) => MARKETS.marks.has(foldMark(phrase)) && !isMarketWord('feed_only', phrase),
);

/** The ISO 4217 code of a mark; null if it stands for several currencies, undefined if there is none. */
export const currencyOf = (mark: string | undefined): string | null | undefined =>
  mark === undefined ? undefined : (MARKETS.marks.get(foldMark(mark))?.meant ?? null);

/** Folds a mark for comparison. Unlike `foldMark`, it keeps blanks, because the words "in r" do not name the code INR. */
const withBorders = (mark: string): string =>
  mark.toLowerCase().replaceAll('.', '').replaceAll(/\s+/g, ' ').replace(' $', '$');
const folded = (marks: readonly string[]): ReadonlySet<string> =>
  new Set(marks.flatMap((mark) => [withBorders(mark), foldMark(mark)]));
/** In prices, the name of a currency follows the number ("20 dollars"), and most of its signs precede it ("RM20"). */
const BEFORE = folded(MARKS.filter((mark) => /^\S{1,5}$/.test(mark)));
const AFTER = folded(MARKS.filter((mark) => !/.\p{Sc}$/u.test(mark)));
/** The maximum length of a mark in a text, including points after its words. */
const LONGEST = Math.max(0, ...MARKS.map((mark) => mark.length)) + 2;

/** The marks, each of which is represented by a character of the private use area. */
const ORDERED = [...new Set(MARKS.map(foldMark))];
const FIRST = 0xe000;
const PRIVATE = /[\ue000-\uf8ff]/g;
/** A pattern for a mark in a text from `withMarks`. Its group captures the character that represents the mark. */
export const MARK = String.raw`([\ue000-\uf8ff])[\ue000-\uf8ff]*(?![\ue000-\uf8ff])`;

/** The ISO 4217 code of the mark that a character represents; null if it stands for several currencies, undefined for no mark. */
export const currencyOfCharacter = (character: string | undefined): string | null | undefined =>
  currencyOf(character && ORDERED[character.charCodeAt(0) - FIRST]);

/** The characters with which marks begin and end, so that few parts of a text are compared with all marks. */
const STARTS = new Set([...AFTER].map((mark) => mark[0]));
const ENDS = new Set([...BEFORE].map((mark) => mark.at(-1)));

const NUMBER = /\d+(?:[.,]\d+)*/g;
/** In a text of more numbers, only the first ones are read as prices, so that no text takes long. */
const MAX_NUMBERS = 40;
const GAP_BEFORE = /\s{0,2}$/;
/** What may stand between a number and a mark: blanks, or a word such as "k" and blanks. */
const GAPS_AFTER = [
  new RegExp(`^${OPTIONAL_GAP}`),
  new RegExp(`^${OPTIONAL_GAP}${anyWordOf(Object.keys(SCALES))}(?![a-z])${OPTIONAL_GAP}`, 'iu'),
];
const IS_LETTER = new RegExp(`[${ALPHABETS}\\d]`, 'u');

/**
 * Replaces the marks of currencies beside numbers by the characters that represent them, each as often as the mark is long, so that
 * positions in the text stay. The patterns of prices then contain no list of marks, of which each would take 50 ms to compile.
 */
export function withMarks(text: string): string {
  let marked = text.replace(PRIVATE, ' ');
  const replace = (from: number, to: number) => {
    const character = String.fromCharCode(FIRST + ORDERED.indexOf(foldMark(text.slice(from, to))));
    marked = marked.slice(0, from) + character.repeat(to - from) + marked.slice(to);
  };
  for (const { index, 0: digits } of [...text.matchAll(NUMBER)].slice(0, MAX_NUMBERS)) {
    const end = index - lengthOf(GAP_BEFORE, marked.slice(Math.max(0, index - 2), index));
    const from = startOfMark(marked, end);
    if (from !== undefined) replace(from, end);
    const behind = index + digits.length;
    const next = marked.slice(behind, behind + LONGEST);
    for (const start of new Set(GAPS_AFTER.map((gap) => behind + lengthOf(gap, next)))) {
      const to = endOfMark(marked, start);
      if (to !== undefined) replace(start, to);
    }
  }
  return marked;
}

const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

/** The start of the longest mark that ends at a position of a text; undefined if there is none. */
function startOfMark(text: string, end: number): number | undefined {
  const last = text.slice(Math.max(0, end - 1), end).toLowerCase();
  if (last !== '.' && !ENDS.has(last)) return undefined;
  // Two words before the number may form the mark, as in "AU $90".
  const words = /(?:[^\d\s]{1,5}\s)?[^\d\s]{1,6}$/.exec(text.slice(Math.max(0, end - 12), end))?.[0] ?? '';
  return downFrom(words.length)
    .map((length) => end - length)
    .find((from) => isMark(text, from, end, BEFORE));
}

/** The end of the longest mark that starts at a position of a text; undefined if there is none. */
function endOfMark(text: string, start: number): number | undefined {
  if (!STARTS.has(text.slice(start, start + 1).toLowerCase())) return undefined;
  const most = text.slice(start, start + LONGEST).search(/\d|$/);
  return downFrom(most)
    .map((length) => start + length)
    .find((to) => isMark(text, start, to, AFTER));
}

const downFrom = (length: number): number[] => Array.from({ length }, (_, at) => length - at);

/** Whether a part of a text is one of the marks. A mark in letters neither begins nor ends within a word. */
function isMark(text: string, from: number, to: number, marks: ReadonlySet<string>): boolean {
  const part = text.slice(from, to);
  if (!/^[^\s.](?:.*\S)?$/.test(part) || !marks.has(withBorders(part))) return false;
  const [inside = '', outside = ''] =
    marks === BEFORE ? [part[0], text[from - 1]] : [part.at(-1), text[to]?.replace(/\d/, '')];
  return !(IS_LETTER.test(inside) && IS_LETTER.test(outside));
}
