import { visibleText } from './clean.js';
import { remembered } from './remembered.js';

/** One token of a text. */
export interface Word {
  /** Folded: lower case, no accents, letters and digits alone (and a decimal point in numbers). */
  text: string;
  /** `number`: a version, year or generation; `code`: letters and digits together, or a long number: a model or part number. */
  kind: 'word' | 'number' | 'code';
  /** Of a code: its pieces between hyphens and between letters and digits. */
  pieces: readonly string[];
}

const ENTITIES: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ' };
const ASCII = /^[\0-\x7f]*$/;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_BORDER =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** Lower case without accents, markup, entities and trade marks; quotes in their plain form. */
export function fold(text: string): string {
  let folded = text;
  if (folded.includes('&')) {
    folded = folded
      .replace(/&(amp|quot|apos|lt|gt|nbsp);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? ' ')
      .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0xffff)));
  }
  if (folded.includes('<')) folded = folded.replace(/<[a-z/][^<>]{0,200}>/gi, ' ');
  if (folded.includes('(')) folded = folded.replace(/\((?:r|tm|c)\)/gi, ' ');
  if (folded.includes('`')) folded = folded.replaceAll('`', "'");
  // Most texts are, and the rest is for what they cannot hold.
  if (ASCII.test(folded)) return folded.toLowerCase();
  return visibleText(folded)
    .replace(/[®™©℠]/g, ' ')
    .replace(/[’‘′´]/g, "'")
    .replace(/[”“″]/g, '"')
    .replace(/[×✕]/g, 'x')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(CJK_BORDER, ' ');
}

/** A map: of a record, the word "constructor" would be a member too. */
const ROMAN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ii: '2',
    iii: '3',
    iv: '4',
    vi: '6',
    vii: '7',
    viii: '8',
    ix: '9',
    xi: '11',
    xii: '12',
    xiii: '13',
  }),
);
const NONE: readonly string[] = [];
const LONG_NUMBER = 5;
/** A part this long between hyphens is a word, so what is around the hyphen is no code. */
const WORD_IN_COMPOUND = 5;

/** @param folded text from `fold`. */
export function words(folded: string): Word[] {
  const found: Word[] = [];
  for (const chunk of folded.split(/[^\p{L}\p{N}.\-/_'&]+/u)) {
    for (const word of chunk.length <= SHORT ? wordsOf(chunk) : readWords(chunk)) found.push(word);
  }
  return found;
}

/** Longer chunks are rare, and V8 may keep the whole text that one was cut from. */
const SHORT = 12;
const CHUNKS = 8_192;

/** What stands between two blanks, or marks that are no part of a word. */
function readWords(chunk: string): readonly Word[] {
  const found: Word[] = [];
  const trimmed = PLAIN.test(chunk) ? chunk : trim(chunk);
  if (trimmed !== '') readChunk(trimmed, found);
  return found;
}

const wordsOf = remembered(CHUNKS, readWords);

/** Without what is neither letter nor digit at its ends. */
const trim = (chunk: string): string =>
  chunk.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');

/** Of most chunks nothing has to be taken apart. */
const PLAIN = /^[a-z]+$/;

function readChunk(chunk: string, found: Word[]): void {
  if (!/\d/.test(chunk)) {
    const parts = chunk.split(/[^\p{L}\p{N}']+/u);
    for (const part of parts) readLetters(part, found);
    return;
  }
  const number = /^(?:v|ver|version|r|rev|gen|mk)?[.-]?(\d+(?:\.\d+)*)(?:st|nd|rd|th|\.x)?$/.exec(chunk)?.[1];
  if (number !== undefined && (number.includes('.') || number.length < LONG_NUMBER)) {
    const text = withoutLastZeros(number).replace(/^0+(?=\d)/, '');
    found.push({ text, kind: 'number', pieces: NONE });
    return;
  }
  const slashed = chunk.split(/[/&]/);
  if (slashed.length > 1 && slashed.every((part) => part.length >= 3)) {
    for (const part of slashed) readChunk(trim(part), found);
    return;
  }
  const parts = chunk.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
  const compound =
    parts.length > 1 && parts.some((part) => part.length >= WORD_IN_COMPOUND && !/\d/.test(part));
  if (compound) {
    for (const part of parts) readChunk(part, found);
    return;
  }
  const pieces = parts.flatMap((part) => part.match(/\d+|[^\d]+/g) ?? []);
  found.push({ text: parts.join(''), kind: 'code', pieces: [...new Set([...parts, ...pieces])] });
}

/** `2` of `2.0.0`. */
function withoutLastZeros(number: string): string {
  const parts = number.split('.');
  const last = parts.findLastIndex((part, index) => index === 0 || /[1-9]/.test(part));
  return parts.slice(0, last + 1).join('.');
}

function readLetters(part: string, found: Word[]): void {
  const text = part.replace(/'s$/, '').replaceAll("'", '');
  if (text === '') return;
  if (CJK.test(text) && text.length > 2) {
    for (let i = 0; i + 1 < text.length; i += 1)
      found.push({ text: text.slice(i, i + 2), kind: 'word', pieces: NONE });
    return;
  }
  readWord(text, found);
}

function readWord(text: string, found: Word[]): void {
  const roman = ROMAN.get(text);
  if (roman === undefined) found.push({ text: singular(text), kind: 'word', pieces: NONE });
  else found.push({ text: roman, kind: 'number', pieces: NONE });
}

/** The plain English singular, by its ending alone: the same for both listings is all that matters. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ches|shes|xes|sses)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
