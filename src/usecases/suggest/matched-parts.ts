import { foldedText, foldTyped, wordsTyped } from '../../text/folding.js';

/** From and to (exclusive), in UTF-16 code units. */
type Range = [from: number, to: number];

/** Which parts of a suggestion were typed, in order; a word with a typo counts as far as it was typed. */
export function matchedParts(text: string, typed: string): Range[] {
  const folded = foldTyped(text);
  const asked = foldedText(typed);
  const rangeOf = (from: number, to: number): Range => [
    folded.from[from]?.[0] ?? 0,
    folded.from[to - 1]?.[1] ?? text.length,
  ];
  const whole = endOf(folded.text, 0, asked.replaceAll(' ', ''));
  if (whole !== null) return [rangeOf(0, whole)];
  const starts = wordsTyped(folded.text).flatMap(({ text: word, at, isCjk }) =>
    isCjk ? [...word].map((_, index) => at + index) : [at],
  );
  const parts = wordsTyped(asked).flatMap(({ text: word }) => {
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
  const length = lengths.find((size) => size <= word.length && isOneEdit(word.slice(0, size), typed));
  return length === undefined ? null : at + length;
}

/** Whether one letter that is too much, missing, wrong or changed places with its neighbour makes one the other. */
export function isOneEdit(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
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
