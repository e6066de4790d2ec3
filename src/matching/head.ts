import { splitWords } from '../text/tokenize.js';

/**
 * Matches the end of a part of a name: a punctuation mark, a dash between blanks, "with", or the abbreviations `w` and `w/`. The
 * comma of a number such as `1,000` or `3,5` does not end a part, nor does the unit in `40 w`.
 */
const PART_END = /(?:,(?!(?<=\d,)\d)|[;|]|\s[-–—]\s|\s(?:with(?=[\s/])|w\/)|(?<!\d)\sw(?=\s)|\()/gu;

/** The minimum number of words of a head. A shorter first part, such as "Gaming keyboard", names no product. */
const MIN_WORDS = 3;

/** The maximum number of words in brackets that still belong to the head, as in "North (Chalk White) Case". */
const MAX_BRACKETED = 3;

/**
 * The length in UTF-16 code units of the head of a name, which says which product it is. After it, shops list specifications:
 * "Asrock B550 Phantom Gaming 4 | , AMD B550, AM4, ATX, 4 DDR4". A name without punctuation is its own head.
 * @param folded a name from `foldListingName`.
 */
export function headLength(folded: string): number {
  for (const { 0: mark, index } of folded.matchAll(PART_END)) {
    if (splitWords(folded.slice(0, index)).length < MIN_WORDS) continue;
    const bracketed = mark === '(' ? (folded.slice(index + 1).split(')')[0] ?? '') : null;
    if (bracketed === null || splitWords(bracketed).length > MAX_BRACKETED) return index;
  }
  return folded.length;
}

/** Splits a folded name, or a part of one, at its punctuation marks. */
export const nameParts = (folded: string): string[] =>
  folded
    .split(/[,;|()[\]]|\s[-–—]\s/u)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
