import { MARKETING_WORDS, NAME_STOP_WORDS } from '../../text/vocabulary.js';
import { areDifferentProducts } from '../evidence.js';
import { hasSpecifications, haveNamesOfOtherProducts } from '../head-comparison.js';
import { weighMeasures } from '../measures.js';
import type { Profile } from '../profile.js';

/**
 * Words that show that two offers are different products if only one of the two names has them: features by
 * which shops tell variants apart, the condition of a used product, and what comes with a product.
 */
const TELLING_WORDS: readonly string[] = [
  ...['wifi', 'rgb', 'argb'],
  ...['used', 'refurbished', 'renewed', 'refurb'],
  ...['bundle', 'starter'],
];

/**
 * Whether two listings may not be in one group because of their names, for listings of which at most one states a brand
 * and that share no GTIN and no stated model. Without identifiers a wrong group is worse than a missing one, so these rules
 * are stricter than those of a comparison:
 * - One shop rarely offers a product twice, so any other word makes two listings of one shop different products.
 * - If both names list specifications, they follow one pattern, so the heads must have the same words.
 * @param ofOneShop whether the listings are offers of one shop.
 */
export function haveConflictingNames(a: Profile, b: Profile, ofOneShop: boolean): boolean {
  if (a.brand.length > 0 && b.brand.length > 0) return false;
  if (shareAny(a.gtins, b.gtins) || shareAny(a.statedModels, b.statedModels)) return false;
  if (haveNamesOfOtherProducts(a, b)) return true;
  if (ofOneShop && haveOtherWords(a.words, b.words, a, b)) return true;
  if (TELLING_WORDS.some((word) => a.forms.has(word) !== b.forms.has(word))) return true;
  const listSpecifications = hasSpecifications(a) && hasSpecifications(b);
  if (!listSpecifications) return false;
  return weighMeasures(a.measures, b.measures).vague === 1 || haveOtherWords(a.head, b.head, a, b);
}

/** Whether two listings that were not compared are certainly not offers of one product, and may not be in one group. */
export const mayNotBeGrouped = (a: Profile, b: Profile, ofOneShop: boolean): boolean =>
  areDifferentProducts(a, b) || haveConflictingNames(a, b, ofOneShop);

const shareAny = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((one) => others.has(one));

/** Whether some of the words, except stop words and sales talk, do not occur in the other name in any form. */
function haveOtherWords(ofA: Profile['words'], ofB: Profile['words'], a: Profile, b: Profile): boolean {
  const isMissing = (by: Profile) => (word: Profile['words'][number]) =>
    !NAME_STOP_WORDS.has(word.text) && !MARKETING_WORDS.has(word.text) && !by.forms.has(word.text);
  return ofA.some(isMissing(b)) || ofB.some(isMissing(a));
}
