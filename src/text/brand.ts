import { foldValue, foldWords } from './fold.js';

const TRADE_MARKS = /\((?:r|tm|c)\)/giu;
/** Matches the n of "LocknLock" and "Lock'n'Lock", which stands for "and". */
const SHORT_AND = /(?<=[kpstd])['’]?n['’]?(?=\p{Lu})/gu;
const AND = /(?<=[\p{L}\p{N}.])\s*(?:[&+]|\s(?:and|und|dan|['’]?n['’]?)\s)\s*(?=[\p{L}\p{N}])/giu;
/** Matches a plus sign at the end of a name, which is part of it. */
const PLUS = /\+(?=\s*$)/u;

/**
 * Folds the name of a brand as filters and facets compare it: without regard to case, accents, blanks, punctuation, trade mark
 * signs, and the word for "and". "G.Skill", "G SKILL" and "GSKILL®" are one brand. The index stores the folded names, so a change needs a
 * reindex.
 */
export function foldBrand(brand: string): string {
  const words = brand
    .replace(TRADE_MARKS, ' ')
    .replace(SHORT_AND, ' ')
    .replace(AND, ' ')
    .replace(PLUS, ' plus');
  return foldWords(words).replaceAll(' ', '') || foldValue(brand);
}

/** The folded names of brands, and those that an index of an earlier schema stores, for a filter. */
export const foldBrands = (brands: readonly string[]): string[] => [
  ...new Set(brands.flatMap((brand) => [foldBrand(brand), foldValue(brand)])),
];
