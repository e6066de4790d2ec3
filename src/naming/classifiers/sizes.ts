import { evidenceOf, type Proposals } from '../evidence.js';
import { isIn, MAX_PHRASE } from '../lexicon.js';
import { GAP, type Tokens } from '../tokens.js';

const E = evidenceOf('amount', [
  ...(['number', 'unit', 'short unit', 'word', 'factor', 'in one', 'in one, short', 'aperture'] as const),
  ...(['count number', 'count word', 'count in one', 'ordinal', 'bare number', 'grade'] as const),
]);

const NUMBER = /^\d+(?:[.,]\d+)*$/;
const IN_ONE = /^\d+(?:[.,]\d+)*([a-z²]+\d?)$/;
const ORDINAL = /^\d{1,3}(?:st|nd|rd|th)$/;
const APERTURE = /^f\d{1,2}(?:\.\d{1,2})?$/;
const TIMES = /^(?:x\d{1,3}|\d{1,3}x)$/;
const COUNTED = /^\d{1,2}x\p{L}/u;
const SIGN = /^(?:"|'')$/;

const isUnit = (key: string): boolean => SIGN.test(key) || isIn('unit', key);

/** Proposes sizes (`24-70mm`, `3 x 330 ml`, `f/2.8`, `16 GB memory`) and counts (`pack of 6`, `3pk`). */
export function classifySizes(tokens: Tokens, proposals: Proposals): void {
  const { text } = tokens;
  for (let at = 0; at < text.length;) at = readAmount(tokens, at, proposals);
}

/** Reads an amount that begins with a token. @returns the index of the token after it. */
function readAmount(tokens: Tokens, at: number, proposals: Proposals): number {
  const { text, gap, between } = tokens;
  const word = text[at] ?? '';
  if (word === 'f' && (gap[at + 1] ?? GAP.mark) <= GAP.joint && NUMBER.test(text[at + 1] ?? '')) {
    proposals.addSpan(at, at + 2, E.aperture);
    proposals.join(at, at + 2);
    return grade(at + 2);
  }
  if (APERTURE.test(word)) {
    proposals.addSpan(at, at + 1, E.aperture);
    return grade(at + 1);
  }
  if (TIMES.test(word) || COUNTED.test(word)) {
    proposals.addSpan(at, at + 1, E['count in one']);
    return at + 1;
  }
  if (ORDINAL.test(word)) {
    proposals.add(at, E.ordinal);
    return at + 1;
  }
  const suffix = IN_ONE.exec(word)?.[1];
  if (
    suffix !== undefined &&
    (isUnit(suffix) || isIn('count', suffix)) &&
    !(gap[at] === GAP.joint && between[at] === '-' && suffix.length < 2)
  ) {
    const isCount = !isUnit(suffix);
    const kind = isCount ? E['count in one'] : suffix.length < 2 ? E['in one, short'] : E['in one'];
    proposals.addSpan(at, at + 1, kind);
    return isCount ? at + 1 : sizeWords(tokens, at + 1, proposals);
  }
  if (!NUMBER.test(word)) return at + 1;
  return readNumber(tokens, at, proposals);

  /** The letter of a lens's grade follows the aperture without a blank, as in `f/2.8L`. */
  function grade(next: number): number {
    if (gap[next] !== GAP.none) return next;
    proposals.addSpan(next, next + 1, E.grade);
    return next + 1;
  }
}

/** Reads an amount that begins with a number: further factors and ends of a range, and a unit. */
function readNumber(tokens: Tokens, from: number, proposals: Proposals): number {
  const { text, gap, between } = tokens;
  let end = from + 1;
  let hasUnit = false;
  let isRange = false;
  for (;;) {
    const [next, after] = [text[end] ?? '', text[end + 1] ?? ''];
    const isFactor = next === 'x' && gap[end] !== GAP.mark && /^\d/.test(after);
    const isEnd =
      (gap[end] ?? GAP.mark) === GAP.joint && /^\d/.test(next) && /^ ?[-–/~] ?$/.test(between[end] ?? '');
    if (!isFactor && !isEnd) break;
    isRange ||= isEnd;
    end += isFactor ? 1 : 0;
    const number = text[end] ?? '';
    end += 1;
    if (!NUMBER.test(number)) {
      hasUnit = isUnit(IN_ONE.exec(number)?.[1] ?? '');
      break;
    }
  }
  const unit = hasUnit ? 0 : unitLength(tokens, end, isUnit);
  const size = hasUnit || unit > 0;
  const count = size ? 0 : unitLength(tokens, end, (key) => isIn('count', key));
  if (!size && count === 0) {
    // Numbers that a mark joins are a part of a code, unless a unit follows.
    const factor = !isRange && end > from + 1;
    for (let token = from; token < end; token += 1)
      proposals.add(token, factor ? E.factor : E['bare number']);
    return end;
  }
  const unitEnd = end + unit + count;
  const isShort = unit === 1 && (text[end] ?? '').length < 2 && !SIGN.test(text[end] ?? '');
  const [number, last] = size
    ? [E.number, isShort ? E['short unit'] : E.unit]
    : [E['count number'], E['count word']];
  // The first factor of a portion is a number of pieces: `3 x 330 ml`.
  const pieces =
    size && text[from + 1] === 'x' && from + PIECES < end && isIn('portion', unitAt(tokens, end, unit))
      ? from + PIECES
      : from;
  if (pieces > from) {
    proposals.addSpan(from, pieces, E['count number'], E['count word']);
    proposals.join(from, pieces);
  }
  proposals.addSpan(pieces, end, number);
  proposals.join(pieces, unitEnd);
  for (let token = end; token < unitEnd; token += 1) proposals.add(token, last);
  return size ? sizeWords(tokens, unitEnd, proposals) : unitEnd;
}

/** The number of tokens of a number of pieces with its sign, as in `3 x`. */
const PIECES = 2;

/** The unit of a number: the tokens after it, or if there are none, the letters in the same token. */
const unitAt = ({ text }: Tokens, from: number, length: number): string =>
  length > 0 ? text.slice(from, from + length).join('') : (IN_ONE.exec(text[from - 1] ?? '')?.[1] ?? '');

/** The number of tokens of the unit or counted word at a place; 0 if there is none. */
function unitLength({ text, gap, between }: Tokens, from: number, test: (key: string) => boolean): number {
  let key = '';
  let length = 0;
  for (let to = from; to < Math.min(text.length, from + MAX_PHRASE); to += 1) {
    if (gap[to] === GAP.mark || (to === from && !/^[\s-]?$|^\\$/.test(between[to] ?? ''))) break;
    key += text[to] ?? '';
    if (test(key)) length = to - from + 1;
  }
  return length;
}

/** Proposes the words after a size that say what is measured, as in `16GB Memory`. @returns the token after them. */
function sizeWords({ text, gap }: Tokens, from: number, proposals: Proposals): number {
  let end = from;
  while (end < text.length && gap[end] !== GAP.mark && isIn('sizeword', text[end] ?? '')) {
    proposals.add(end, E.word);
    end += 1;
  }
  return end;
}
