import { foldValue } from '../text/fold.js';

/** The folded levels of a category path that is written as one text; `Electronics > TVs` has two. */
export const categoryLevels = (path: string): string[] =>
  path
    .split('>')
    .map(foldValue)
    .filter((level) => level !== '');

/** Joins the folded levels of a category path to one text, as the index stores it. */
export const formatCategoryPath = (levels: readonly string[]): string => levels.join(' > ');

/** Every prefix of a category path, from its first level to the whole path, folded. */
export function categoryPathPrefixes(path: readonly string[]): string[] {
  const levels = path.flatMap(categoryLevels);
  return levels.map((_, at) => formatCategoryPath(levels.slice(0, at + 1)));
}
