import type { Contradiction } from '../../schemas/match-reasons.js';
import { MARKETING_WORDS, NAME_STOP_WORDS } from '../../text/vocabulary.js';
import { shareCode } from '../codes.js';
import { areDifferentProducts, contradictionsOf, SHARED_CODE } from '../differences.js';
import { compareProfiles, type Features } from '../features.js';
import {
  hasSpecifications,
  haveNamesOfOtherProducts,
  haveOtherMakers,
  haveOwnHeadWords,
} from '../head-comparison.js';
import { weighMeasures } from '../measures.js';
import { wordWeight } from '../overlap.js';
import type { Profile } from '../profile.js';
import { shareIdentifier } from '../shared-numbers.js';
import { type CandidateNames, foldedName } from './candidate-names.js';

/**
 * Words that show that two offers are different products if only one of the two names has them: features by
 * which shops tell variants apart, and what comes with a product.
 */
const DISTINGUISHING_WORDS: readonly string[] = [
  'wifi',
  'rgb',
  'argb',
  'sodimm',
  'tray',
  'bundle',
  'starter',
];

/** The contradictions that keep two listings out of one group, whatever their score. */
const SEPARATING: ReadonlySet<Contradiction> = new Set(['line', 'model', 'variant', 'kind', 'edition']);

/**
 * Whether two listings may not be in one group because of their names, for listings of which at most one states a brand
 * and that share no GTIN and no stated model. Without identifiers a wrong group is worse than a missing one, so these rules
 * are stricter than those of a comparison:
 * - One shop rarely offers a product twice, so any other word makes two listings of one shop different products.
 * - Kits with lenses of other focal lengths are different products, and so are products with other clock rates and the like if
 *   both names list specifications.
 * @param ofOneShop whether the listings are offers of one shop.
 */
export function haveConflictingNames(a: Profile, b: Profile, ofOneShop: boolean): boolean {
  if (!dependOnNames(a, b)) return false;
  // A shared number does not outweigh different makers, because it may be that of a part or a size: "7200dpi".
  if (haveOtherMakers(a, b) || haveNamesOfOtherProducts(a, b)) return true;
  if (ofOneShop && haveOtherWords(a, b)) return true;
  if (DISTINGUISHING_WORDS.some((word) => a.forms.has(word) !== b.forms.has(word))) return true;
  const { length, vague } = weighMeasures(a.measures, b.measures);
  const areKits = a.parts.isKit && b.parts.isKit;
  return (areKits && length === 1) || (hasSpecifications(a) && hasSpecifications(b) && vague === 1);
}

/** A compared listing, as far as its name and its shop show which product it is. */
interface NamedListing {
  shop: string;
  name: string;
  profile: Profile;
}

/**
 * Whether two compared listings may not be in one group because of their names.
 * @param features the features of the two listings.
 * @param names what the names of all compared listings say.
 */
export const areNamesOfOthers = (
  a: NamedListing,
  b: NamedListing,
  features: Features,
  names: CandidateNames,
): boolean =>
  areOthersOfShop(a, b) ||
  haveConflictingNames(a.profile, b.profile, a.shop === b.shop) ||
  haveOtherHeads(a.profile, b.profile, features, names);

/** Whether two listings of one shop are different products: they share neither an identifier nor their name. */
const areOthersOfShop = (a: NamedListing, b: NamedListing): boolean =>
  a.shop === b.shop && !shareIdentifier(a.profile, b.profile) && foldedName(a.name) !== foldedName(b.name);

/** Whether the contradictions between two listings keep them out of one group. */
export const keepApart = (contradictions: readonly Contradiction[]): boolean =>
  contradictions.some((one) => SEPARATING.has(one));

/** Whether only words connect two listings: at most one of them states a brand, and they share no identifier and no model number. */
export const shareOnlyWords = (a: Profile, b: Profile): boolean =>
  dependOnNames(a, b) &&
  ![...a.codes].some((code) => /\p{L}/u.test(code) && (b.codes.has(code) || b.forms.has(code)));

/**
 * Whether the names of two compared listings are those of different products, for listings of which at most one states a brand
 * and that share no GTIN and no stated model:
 * each head has a word that the other name lacks, and they share no model number, or only that of a series.
 * @param features the features of the two listings.
 * @param names what the names of all compared listings say.
 */
export function haveOtherHeads(a: Profile, b: Profile, features: Features, names: CandidateNames): boolean {
  if (!dependOnNames(a, b)) return false;
  const { codeExact, codePrefix, codeAkin, codeOwn } = features;
  const shareNumber = Math.max(codeExact, codePrefix, codeAkin, codeOwn) >= SHARED_CODE;
  if (!shareNumber && haveOwnHeadWords(a, b)) return true;
  return names.haveOtherWords(a, b) && codeAkin === 0 && !shareCode(a, b, names.isOfSeries);
}

/** Whether only the names can show that two listings are one product. */
const dependOnNames = (a: Profile, b: Profile): boolean =>
  (a.brand.length === 0 || b.brand.length === 0) &&
  !shareAny(a.gtins, b.gtins) &&
  !shareAny(a.statedModels, b.statedModels);

const isPlain = (word: string): boolean => NAME_STOP_WORDS.has(word) || MARKETING_WORDS.has(word);

/** Whether two listings that were not compared are certainly not offers of one product, and may not be in one group. */
export function mayNotBeGrouped(a: NamedListing, b: NamedListing): boolean {
  const [one, other] = [a.profile, b.profile];
  if (areDifferentProducts(one, other) || areOthersOfShop(a, b)) return true;
  if (haveConflictingNames(one, other, a.shop === b.shop)) return true;
  const weight = wordWeight([one, other], new Set([...one.brand, ...other.brand]));
  return keepApart(contradictionsOf(compareProfiles(one, other, weight), one, other));
}

const shareAny = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((one) => others.has(one));

/** Whether some of the words of two names, except stop words and marketing words, do not occur in the other name in any form. */
function haveOtherWords(a: Profile, b: Profile): boolean {
  const lacks = (by: Profile, of: Profile) =>
    of.words.some(({ text }) => !isPlain(text) && !by.forms.has(text));
  return lacks(b, a) || lacks(a, b);
}
