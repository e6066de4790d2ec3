import { evidence, evidenceOf, type Proposals } from '../evidence.js';
import { GAP, type Tokens } from '../tokens.js';

/** The shapes of tokens: how many letters or digits they have. The first pattern that matches a token counts. */
const SHAPES = (
  [
    ['sign', /^(?:"|'')$/],
    ['letter', /^\D$/],
    ['two letters', /^\D{2}$/],
    ['three letters', /^\D{3}$/],
    ['short word', /^\D{4,6}$/],
    ['long word', /^\D{7,}$/],
    ['year', /^(?:19[89]|20[0-4])\d$/],
    ['barcode', /^\d{12,14}$/],
    ['one digit', /^\d$/],
    ['two digits', /^\d{2}$/],
    ['three digits', /^\d{3}$/],
    ['four digits', /^\d{4}$/],
    ['many digits', /^\d+$/],
    ['decimal', /^\d+(?:[.,]\d+)+$/],
    ['version', /^v\d{1,2}(?:\.\d+)*$/],
    ['long code', /^.{7,}$/],
    ['code', /^.{5,}$/],
    ['short code, digits first', /^\d/],
    ['short code, letters first', /^/],
  ] as const
).map(([name, pattern]) => [evidence(`shape ${name}`), pattern] as const);
const PLUS = evidence('shape plus');
const CASE = evidenceOf('case', ['upper', 'title', 'lower', 'mixed']);
const PART = evidenceOf('joined', ['code', 'digits', 'words', 'first', 'later']);

const MIN_CODE = 7;

/** Proposes what the form of a token says: a code, a number of so many digits, a year; and its capital letters. */
export function classifyShapes(tokens: Tokens, proposals: Proposals): void {
  const { source, text, from, to } = tokens;
  const hasCase = /\p{Lu}/u.test(source) && /\p{Ll}/u.test(source);
  for (let at = 0; at < text.length; at += 1) {
    const word = text[at] ?? '';
    // A short amount such as `3pk` has the form of a code.
    if (!proposals.startsSpan(at) || !/\d/.test(word) || word.length >= MIN_CODE)
      proposals.add(at, SHAPES.find(([, pattern]) => pattern.test(word))?.[0] ?? 0);
    if (word.endsWith('+')) proposals.add(at, PLUS);
    if (hasCase && /\p{L}/u.test(word)) proposals.add(at, caseOf(source.slice(from[at], to[at])));
  }
  joinedShapes(tokens, proposals);
}

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
