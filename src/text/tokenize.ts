import { foldJoined, foldWords, wordPairs } from './fold.js';
import { memoize } from './memoize.js';
import { singular } from './singular.js';

/** One token of a name or description. */
export interface Token {
  /** The folded text of the token: letters and digits, and a decimal point in numbers. */
  text: string;
  /** What the token is. `number`: a version, year or generation. `code`: a model or part number. */
  kind: 'word' | 'number' | 'code';
  /** The parts of a code between hyphens, and between letters and digits. */
  pieces: readonly string[];
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Roman numerals and their values. */
const ROMAN_NUMERALS = wordPairs('ii=2 iii=3 iv=4 vi=6 vii=7 viii=8 ix=9 xi=11 xii=12 xiii=13');
const NO_PIECES: readonly string[] = [];
/** The number of digits from which on a number counts as a model or part number. */
const CODE_DIGITS = 5;
/** Matches a part number whose groups of digits are separated by dots, such as `215.30.46.51`. */
const PART_NUMBER = /^\d{2,}(?:\.\d{2,}){3,}$/;
/** The minimum length of a word within a hyphenated text that shows that it is not a model number. */
const COMPOUND_WORD_LENGTH = 5;

/** Splits a text from `foldProse` into words, numbers and codes. */
export function tokenize(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const chunk of folded.split(/[^\p{L}\p{N}.\-/_'&]+/u)) {
    const found = chunk.length <= MAX_MEMOIZED_LENGTH ? memoizedTokens(chunk) : tokensOfChunk(chunk);
    for (const token of found) tokens.push(token);
  }
  return tokens;
}

/** The maximum length of a piece of text whose tokens are cached. V8 stores a longer one as a reference to its whole text. */
const MAX_MEMOIZED_LENGTH = 12;
const MEMOIZED_CHUNKS = 8_192;

const ONLY_LETTERS = /^[a-z]+$/;

function tokensOfChunk(chunk: string): readonly Token[] {
  const tokens: Token[] = [];
  const trimmed = ONLY_LETTERS.test(chunk) ? chunk : trimMarks(chunk);
  if (trimmed !== '') readChunk(trimmed, tokens);
  return tokens;
}

const memoizedTokens = memoize(MEMOIZED_CHUNKS, tokensOfChunk);

/** Removes characters at both ends that are neither letters nor digits. */
const trimMarks = (chunk: string): string =>
  chunk.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');

function readChunk(chunk: string, tokens: Token[]): void {
  if (!/\d/.test(chunk)) {
    const parts = chunk.split(/[^\p{L}\p{N}']+/u);
    for (const part of parts) readLetters(part, tokens);
    return;
  }
  // "V500" and "R650" are model numbers: versions have fewer digits.
  const number =
    /^(?:(?:[vr](?!\d{3})|ver|version|rev|gen|mk)[.-]?)?(\d+(?:\.\d+)*)(?:st|nd|rd|th|\.x)?$/.exec(
      chunk,
    )?.[1];
  const isPartNumber = PART_NUMBER.test(chunk);
  if (number !== undefined && !isPartNumber && (number.includes('.') || number.length < CODE_DIGITS)) {
    const text = withoutTrailingZeros(number).replace(/^0+(?=\d)/, '');
    tokens.push({ text, kind: 'number', pieces: NO_PIECES });
    return;
  }
  const alternatives = chunk.split(/[/&]/);
  if (alternatives.length > 1 && alternatives.every((part) => part.length >= 3)) {
    for (const part of alternatives) readChunk(trimMarks(part), tokens);
    return;
  }
  const parts = splitWords(chunk);
  const isCompound =
    parts.length > 1 && parts.some((part) => part.length >= COMPOUND_WORD_LENGTH && !/\d/.test(part));
  if (isCompound) {
    for (const part of parts) readChunk(part, tokens);
    return;
  }
  const pieces = parts.flatMap((part) => part.match(/\d+|[^\d]+/g) ?? []);
  tokens.push({ text: parts.join(''), kind: 'code', pieces: [...new Set([...parts, ...pieces])] });
}

function withoutTrailingZeros(number: string): string {
  const parts = number.split('.');
  const last = parts.findLastIndex((part, index) => index === 0 || /[1-9]/.test(part));
  return parts.slice(0, last + 1).join('.');
}

function readLetters(part: string, tokens: Token[]): void {
  const text = part.replace(/'s$/, '').replaceAll("'", '');
  if (text === '') return;
  if (CJK.test(text) && text.length > 2) {
    for (let i = 0; i + 1 < text.length; i += 1)
      tokens.push({ text: text.slice(i, i + 2), kind: 'word', pieces: NO_PIECES });
    return;
  }
  const number = ROMAN_NUMERALS.get(text);
  if (number === undefined) tokens.push({ text: singular(text), kind: 'word', pieces: NO_PIECES });
  else tokens.push({ text: number, kind: 'number', pieces: NO_PIECES });
}

export const splitWords = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const RUNS = new RegExp(`[${UNSPACED}][${UNSPACED}\\p{M}]*|[^\\s${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

/** Splits a text from `foldWords` at blanks, and where ideographs or kana (`isCjk`), which have no blanks, begin or end. */
export const splitByScript = (folded: string): { text: string; at: number; isCjk: boolean }[] =>
  [...folded.matchAll(RUNS)].map((run) => ({ text: run[0], at: run.index, isCjk: IS_UNSPACED.test(run[0]) }));

/** The number of characters at the beginning of a run of ideographs at each of which a shopper may begin to type. */
const MAX_CJK_STARTS = 30;

/** The texts with which a shopper may begin to type: each word, and each rest of a run of ideographs. */
export function typingStarts(text: string): string[] {
  const runs = [foldWords(text), foldJoined(text)].flatMap(splitByScript);
  const starts = runs.flatMap(({ text: word, isCjk }) => {
    if (!isCjk) return [word];
    const letters = [...word];
    return letters.slice(0, MAX_CJK_STARTS).map((_, index) => letters.slice(index).join(''));
  });
  return [...new Set(starts)];
}
