import { foldWords, foldWithOffsets } from '../../text/fold.js';
import { splitByScript } from '../../text/tokenize.js';
import { isOneEdit } from '../../text/typo.js';

/** From and to (exclusive), in UTF-16 code units. */
type Range = [from: number, to: number];

/** Which parts of a suggestion were typed, in order; a word with a typo counts as far as it was typed. */
export function matchedParts(text: string, typed: string): Range[] {
  const folded = foldWithOffsets(text);
  const asked = foldWords(typed);
  const rangeOf = (from: number, to: number): Range => [
    folded.from[from]?.[0] ?? 0,
    folded.from[to - 1]?.[1] ?? text.length,
  ];
  const whole = endOf(folded.text, 0, asked.replaceAll(' ', ''));
  if (whole !== null) return [rangeOf(0, whole)];
  const starts = splitByScript(folded.text).flatMap(({ text: word, at, isCjk }) =>
    isCjk ? [...word].map((_, index) => at + index) : [at],
  );
  const parts = splitByScript(asked).flatMap(({ text: word }) => {
    const found =
      firstOf(starts, (at) => endOf(folded.text, at, word)) ??
      firstOf(starts, (at) => endWithTypo(folded.text, at, word));
    return found === null ? [] : [rangeOf(...found)];
  });
  return joined(parts);
}

function firstOf(starts: readonly number[], end: (at: number) => number | null): [number, number] | null {
  for (const at of starts) {
    const to = end(at);
    if (to !== null) return [at, to];
  }
  return null;
}

/** Where `typed` ends in `folded` if it begins there, whatever blanks are in between; null: it does not. */
function endOf(folded: string, at: number, typed: string): number | null {
  let end = at;
  for (const letter of typed) {
    while (end > at && folded[end] === ' ') end += 1;
    if (!folded.startsWith(letter, end)) return null;
    end += letter.length;
  }
  return end;
}

function endWithTypo(folded: string, at: number, typed: string): number | null {
  const [word = ''] = folded.slice(at).split(' ', 1);
  // A letter that was left out is the commonest typo.
  const lengths = [typed.length + 1, typed.length, typed.length - 1];
  const length = lengths.find(
    (size) => size <= word.length && isOneEdit(word.slice(0, size), typed, { transposed: true }),
  );
  return length === undefined ? null : at + length;
}

/** In order, with those that touch as one. */
function joined(parts: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [from, to] of parts.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
