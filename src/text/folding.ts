import { isInvisible, visibleText } from './clean.js';

/** A text as it is compared while somebody types, and where each of its letters comes from. */
export interface Folded {
  /** Letters and digits, in lower case and without accents; whatever parts them is one blank. */
  text: string;
  /** For each UTF-16 code unit of `text`: the code units of the original that it stands for, from and to (exclusive). */
  from: readonly (readonly [from: number, to: number])[];
}

/** What Unicode does not take apart, as the engine's `asciifolding` writes it. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    æ: 'ae',
    œ: 'oe',
    ß: 'ss',
    þ: 'th',
    ð: 'd',
    đ: 'd',
    ø: 'o',
    ł: 'l',
    ħ: 'h',
    ı: 'i',
    ŧ: 't',
    ŋ: 'n',
    ĸ: 'q',
    ŉ: 'n',
    '×': 'x',
  }),
);
/** `Levi's` is one word, and found as `levis`. */
const APOSTROPHES = new Set("'’‘′`");
const ACCENTS = /[\u0300-\u036f]/g;
const LETTER = /[\p{L}\p{M}\p{N}×]/u;

/** Folds as the analyzers of listings do: width, case and accents do not count. */
export function foldTyped(text: string): Folded {
  let folded = '';
  const from: (readonly [number, number])[] = [];
  let at = 0;
  let parted: number | null = null;
  for (const letter of text) {
    const range = [at, at + letter.length] as const;
    at += letter.length;
    if (APOSTROPHES.has(letter) || isInvisible(letter)) continue;
    const plain = LETTER.test(letter) ? plainLetters(letter) : ' ';
    if (plain === ' ') {
      parted ??= range[0];
      continue;
    }
    if (parted !== null && folded !== '' && plain !== '') {
      folded += ' ';
      from.push([parted, range[0]]);
    }
    if (plain !== '') parted = null;
    folded += plain;
    for (let unit = 0; unit < plain.length; unit++) from.push(range);
  }
  return { text: folded, from };
}

const ASCII = /^[\0-\x7f]*$/;

/** The text of `foldTyped` alone: a key that needs not tell where its letters come from. */
export const foldedText = (text: string): string =>
  ASCII.test(text)
    ? text
        .toLowerCase()
        .replace(/['`]/g, '')
        .replace(/[^a-z0-9]+/g, ' ')
        .trim()
    : foldTyped(text).text;

function plainLetters(letter: string): string {
  const lower = letter.toLowerCase();
  const known = LETTERS.get(lower);
  if (known !== undefined) return known;
  return [...lower.normalize('NFKD').replace(ACCENTS, '')].filter((part) => LETTER.test(part)).join('');
}

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const RUNS = new RegExp(`[${CJK}][${CJK}\\p{M}]*|[^\\s${CJK}]+`, 'gu');
const IS_CJK = new RegExp(`^[${CJK}]`, 'u');

/** The words of a folded text; what is written without blanks is one word up to where the script changes. */
export function wordsTyped(folded: string): { text: string; at: number; isCjk: boolean }[] {
  return [...folded.matchAll(RUNS)].map((run) => ({
    text: run[0],
    at: run.index,
    isCjk: IS_CJK.test(run[0]),
  }));
}

/** A text with each stretch between its blanks as one word: `Sony WH-1000XM5` is `sony wh1000xm5`. */
export const foldJoined = (text: string): string =>
  visibleText(text)
    .split(/\s+/)
    .map((part) => foldedText(part).replaceAll(' ', ''))
    .filter((part) => part !== '')
    .join(' ');

/** In a longer stretch without blanks nobody looks for what begins behind these characters. */
const MOST_STARTS = 30;

/** Whatever somebody may begin to type for a text: its words, also with their parts as one; of Chinese each character. */
export function startsOf(text: string): string[] {
  const words = [foldedText(text), foldJoined(text)].flatMap(wordsTyped);
  const starts = words.flatMap(({ text: word, isCjk }) => {
    if (!isCjk) return [word];
    const letters = [...word];
    return letters.slice(0, MOST_STARTS).map((_, index) => letters.slice(index).join(''));
  });
  return [...new Set(starts)];
}
