import { visibleText } from './clean.js';

export const ASCII = /^[\0-\x7f]*$/;
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * A value as filters and facets compare it: without case, accents, compatibility forms, invisible format characters and
 * superfluous blanks. Marks that are letters' own, as those of Thai or Japanese, stay.
 */
export function foldValue(text: string): string {
  // Most are, and the rest is for what they cannot hold.
  const folded = ASCII.test(text)
    ? text.toLowerCase()
    : visibleText(text).normalize('NFKD').toLowerCase().replace(ACCENTS, '').normalize('NFKC');
  return oneBlank(folded).trim();
}

/** Blanks of any kind, side by side, as one blank. A blank by itself is none to replace: most are. */
export const oneBlank = (text: string): string => text.replace(/[^\S ]\s*| \s+/gu, ' ');

/** Between the levels of a category path as one text. */
const BETWEEN_LEVELS = ' > ';

/** The levels of a path that is written as one text; `Electronics > TVs` has two. */
export const levelsOf = (path: string): string[] =>
  path
    .split('>')
    .map(foldValue)
    .filter((level) => level !== '');

/** Folded levels as one text. */
export const pathOf = (levels: readonly string[]): string => levels.join(BETWEEN_LEVELS);

/** What begins a category path, from its first level alone to all of it, each folded. */
export function pathsTo(path: readonly string[]): string[] {
  const levels = path.flatMap(levelsOf);
  return levels.map((_, at) => pathOf(levels.slice(0, at + 1)));
}
