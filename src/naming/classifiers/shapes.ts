import { evidenceOf, type Proposals } from '../evidence.js';
import { GAP, type Tokens } from '../tokens.js';

const E = evidenceOf('shape', [
  ...([
    'one digit',
    'two digits',
    'three digits',
    'four digits',
    'many digits',
    'barcode',
    'year',
    'decimal',
  ] as const),
  ...([
    'short code, letters first',
    'short code, digits first',
    'code',
    'long code',
    'letter',
    'two letters',
  ] as const),
  ...(['three letters', 'short word', 'long word', 'plus', 'sign', 'version'] as const),
]);
const CASE = evidenceOf('case', ['upper', 'title', 'lower', 'mixed']);
const PART = evidenceOf('joined', ['code', 'digits', 'words', 'first', 'later']);

const LETTERS = /^[^\d]+$/;
const YEAR = /^(?:19[89]|20[0-4])\d$/;

/** The shape of a token: how many letters or digits it has. */
function shapeOf(word: string): number {
  if (word === '"' || word === "''") return E.sign;
  if (LETTERS.test(word))
    return word.length < 4
      ? ([E.letter, E['two letters'], E['three letters']][word.length - 1] ?? E.letter)
      : word.length < 7
        ? E['short word']
        : E['long word'];
  if (/^\d+$/.test(word)) {
    if (YEAR.test(word)) return E.year;
    if (word.length >= 12 && word.length <= 14) return E.barcode;
    return (
      [E['one digit'], E['two digits'], E['three digits'], E['four digits']][word.length - 1] ??
      E['many digits']
    );
  }
  if (/^\d+(?:[.,]\d+)+$/.test(word)) return E.decimal;
  if (/^v\d{1,2}(?:\.\d+)*$/.test(word)) return E.version;
  if (word.length >= 7) return E['long code'];
  if (word.length >= 5) return E.code;
  return /^\d/.test(word) ? E['short code, digits first'] : E['short code, letters first'];
}

/** Proposes what the form of a token says: a code, a number of so many digits, a year; and its capital letters. */
export function classifyShapes(tokens: Tokens, proposals: Proposals): void {
  const { source, text, from, to } = tokens;
  const hasCase = /\p{Lu}/u.test(source) && /\p{Ll}/u.test(source);
  for (let at = 0; at < text.length; at += 1) {
    const word = text[at] ?? '';
    // An amount such as `3pk` has the form of a code.
    if (!proposals.startsSpan(at) || !/\d/.test(word) || isCode(word)) proposals.add(at, shapeOf(word));
    if (word.endsWith('+')) proposals.add(at, E.plus);
    if (hasCase && /\p{L}/u.test(word)) proposals.add(at, caseOf(source.slice(from[at], to[at])));
  }
  joinedShapes(tokens, proposals);
}

const isCode = (word: string): boolean => word.length >= 7;

function caseOf(word: string): number {
  if (word === word.toLowerCase()) return CASE.lower;
  if (word === word.toUpperCase()) return CASE.upper;
  return word.slice(1) === word.slice(1).toLowerCase() ? CASE.title : CASE.mixed;
}

/** Proposes what tokens say that are written without blanks, as in `BH-950M3` and `Micro-USB`. */
function joinedShapes({ text, gap }: Tokens, proposals: Proposals): void {
  for (let from = 0; from < text.length;) {
    let end = from + 1;
    while (end < text.length && (gap[end] ?? GAP.mark) <= GAP.joint) end += 1;
    if (end > from + 1) {
      const joined = text.slice(from, end).join('');
      const digits = joined.replace(/\D/g, '').length;
      const kind = digits === 0 ? PART.words : digits === joined.length ? PART.digits : PART.code;
      for (let at = from; at < end; at += 1) {
        proposals.add(at, kind);
        proposals.add(at, at === from ? PART.first : PART.later);
      }
    }
    from = end;
  }
}
