import { foldValue, foldWords } from './fold.js';

const TRADE_MARKS = /\((?:r|tm|c)\)/giu;
/** Matches the n of "LocknLock" and "Lock'n'Lock", which stands for "and". */
const SHORT_AND = /(?<=[kpstd])['’]?n['’]?(?=\p{Lu})/gu;
const AND = /(?<=[\p{L}\p{N}.])\s*(?:[&+]|\s(?:and|und|dan|['’]?n['’]?)\s)\s*(?=[\p{L}\p{N}])/giu;
/** Matches a plus sign at the end of a brand, which is a part of the name and not punctuation. */
const PLUS = /\+(?=\s*$)/u;

/** Folds a brand as filters compare it: "G.Skill" and "GSKILL®" are one. The index stores it, so a change needs a reindex. */
export function foldBrand(brand: string): string {
  const words = brand
    .replace(TRADE_MARKS, ' ')
    .replace(SHORT_AND, ' ')
    .replace(AND, ' ')
    .replace(PLUS, ' plus');
  return foldWords(words).replaceAll(' ', '') || foldValue(brand);
}

/** The forms in which an index stores brands: folded, and for an index of an earlier schema, as earlier versions folded them. */
export const foldBrands = (brands: readonly string[]): string[] => [
  ...new Set(brands.flatMap((brand) => [foldBrand(brand), foldValue(brand)])),
];
