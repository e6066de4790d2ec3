import { visibleText } from '../text/clean.js';
import { foldValue, plainApostrophes } from '../text/fold.js';

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

/** Whether the filter by category may find these categories. Unlike the filter, it ignores accents, so it misses no listing. */
export function mayPassCategory(
  { category, category_path }: { category: string | null; category_path: readonly string[] },
  filter: string,
): boolean {
  if (category !== null && foldBroadly(category).includes(foldBroadly(filter))) return true;
  const levels = filter.includes('>') ? categoryLevels(filter) : [];
  if (levels.length === 0) return false;
  const path = plainApostrophes(formatCategoryPath(levels));
  return categoryPathPrefixes(category_path)
    .map(plainApostrophes)
    .some((one) => one === path || one.endsWith(` > ${path}`));
}

/** Lower-cases each character by itself, as Elasticsearch does, and removes accents. */
const foldBroadly = (text: string): string =>
  [...visibleText(plainApostrophes(text))]
    .map((character) => character.toLowerCase())
    .join('')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
