import { ASCII, isInvisible, visibleText } from './clean.js';

const LATIN_MARKS = /[\u0300-\u036f]/g;
const ALL_MARKS = /\p{M}/gu;

/** Folds a text to lower case without compatibility forms, invisible characters and these marks, which are letters in Thai. */
const foldLetters = (text: string, marks: RegExp): string =>
  // ASCII texts, which most texts are, contain no marks and no compatibility forms.
  ASCII.test(text)
    ? text.toLowerCase()
    : visibleText(text).normalize('NFKD').replace(marks, '').toLowerCase();

/** Replaces each run of whitespace by one blank. Single blanks, the most frequent case, are not replaced. */
export const collapseBlanks = (text: string): string => text.replace(/[^\S ]\s*| \s+/gu, ' ');

/** Folds a value as filters compare it. The index stores folded values, so a change needs a reindex. */
export const foldValue = (text: string): string =>
  collapseBlanks(foldLetters(text, LATIN_MARKS).normalize('NFKC')).trim();

/** The characters that texts use as an apostrophe. They do not separate words: `Levi's` is found as `levis`. */
const APOSTROPHES = new Set("'’‘′`");
const APOSTROPHE = new RegExp(`[${[...APOSTROPHES].join('')}]`, 'gu');

/** The text with a straight apostrophe in place of each other one. */
export const plainApostrophes = (text: string): string => text.replace(APOSTROPHE, "'");

/** The spellings of a text with each of the apostrophes, the given one first, because the index stores them as feeds do. */
export const apostropheSpellings = (text: string): string[] => [
  ...new Set([text, ...[...APOSTROPHES].map((one) => text.replace(APOSTROPHE, one))]),
];

const ENTITIES: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ' };
const CJK_BORDER =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** Folds a name or description for matching, without markup, entities, accents and trade mark signs. */
export function foldProse(text: string): string {
  let plain = text;
  if (plain.includes('&')) {
    plain = plain
      .replace(/&(amp|quot|apos|lt|gt|nbsp);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? ' ')
      .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0xffff)));
  }
  if (plain.includes('<')) plain = plain.replace(/<[a-z/][^<>]{0,200}>/gi, ' ');
  if (plain.includes('(')) plain = plain.replace(/\((?:r|tm|c)\)/gi, ' ');
  if (plain.includes('`')) plain = plain.replaceAll('`', "'");
  if (ASCII.test(plain)) return plain.toLowerCase();
  const marked = plain
    .replace(/[®™©℠]/g, ' ')
    .replace(/[’‘′´]/g, "'")
    .replace(/[”“″]/g, '"')
    .replace(/[×✕]/g, 'x');
  return foldLetters(withEnglishFor(marked), ALL_MARKS).replace(CJK_BORDER, ' ');
}

/** Replaces the German word for "for", which would be "fur" without its mark. */
const withEnglishFor = (text: string): string =>
  text.replaceAll(/(?<!\p{L})f(?:ü|u\u0308)r(?!\p{L})/giu, 'for');

const HAN_BORDER = /(?<=\p{Script=Han})(?=[a-z0-9])|(?<=[a-z0-9])(?=\p{Script=Han})/gu;

/** Folds a name to find its kinds of product, which the index stores, so that a change needs a reindex. */
export function foldPhrase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replace(/'s?(?!\p{L})/gu, '');
  const folded = foldLetters(withEnglishFor(text), ALL_MARKS).replace(/['’]s?(?!\p{L})/gu, '');
  return folded.replace(HAN_BORDER, ' ');
}

/** A map of pairs of words, such as `ii=2 iii=3`. An object would also have a member for the word "constructor". */
export const wordPairs = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split(' ').map((pair) => pair.split('=') as [string, string]));

/** Letters that Unicode does not decompose, with their replacement by the engine's `asciifolding` filter. */
const UNDECOMPOSED = wordPairs('æ=ae œ=oe ß=ss þ=th ð=d đ=d ø=o ł=l ħ=h ı=i ŧ=t ŋ=n ĸ=q ŉ=n ×=x');
const LETTER = /[\p{L}\p{M}\p{N}×]/u;

/**
 * Folds a text as the analyzers of the index do: letters and digits without accents, with one blank between words.
 * @returns `from`: for each code unit of the folded `text`, the range of the original that it stands for (end exclusive).
 */
export function foldWithOffsets(text: string): {
  text: string;
  from: readonly (readonly [from: number, to: number])[];
} {
  let folded = '';
  const from: (readonly [number, number])[] = [];
  let at = 0;
  let blankFrom: number | null = null;
  for (const letter of text) {
    const range = [at, at + letter.length] as const;
    at += letter.length;
    if (APOSTROPHES.has(letter) || isInvisible(letter)) continue;
    const plain = LETTER.test(letter) ? plainLetters(letter) : ' ';
    if (plain === ' ') {
      blankFrom ??= range[0];
      continue;
    }
    if (blankFrom !== null && folded !== '' && plain !== '') {
      folded += ' ';
      from.push([blankFrom, range[0]]);
    }
    if (plain !== '') blankFrom = null;
    folded += plain;
    for (let unit = 0; unit < plain.length; unit++) from.push(range);
  }
  return { text: folded, from };
}

function plainLetters(letter: string): string {
  const lower = letter.toLowerCase();
  const known = UNDECOMPOSED.get(lower);
  if (known !== undefined) return known;
  // A mathematical letter such as 𝐀 becomes a capital letter by the decomposition, so lower case comes after it.
  const decomposed = lower.normalize('NFKD').replace(LATIN_MARKS, '').toLowerCase();
  return [...decomposed].filter((part) => LETTER.test(part)).join('');
}

/** Folds a text to words of letters and digits with one blank between them, as suggestions are stored. */
export const foldWords = (text: string): string =>
  ASCII.test(text)
    ? text
        .toLowerCase()
        .replace(/['`]/g, '')
        .replace(/[^a-z0-9]+/g, ' ')
        .trim()
    : foldWithOffsets(text).text;

/** Folds each text between blanks to one word: `Sony WH-1000XM5` becomes `sony wh1000xm5`. */
export const foldJoined = (text: string): string =>
  visibleText(text)
    .split(/\s+/)
    .map((part) => foldWords(part).replaceAll(' ', ''))
    .filter((part) => part !== '')
    .join(' ');
