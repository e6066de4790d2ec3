import type { Contradiction } from '../../schemas/match-reasons.js';
import type { Token } from '../../text/tokenize.js';
import { NAME_STOP_WORDS } from '../../text/vocabulary.js';
import { shareAny } from '../cheap-features.js';
import { compareProfiles, type Features } from '../features.js';
import {
  hasSpecifications,
  haveNamesOfOtherProducts,
  haveOtherMakers,
  haveOwnHeadWords,
  isPlain,
  saysNothing,
} from '../head-comparison.js';
import { weighMeasures } from '../measures.js';
import { wordWeight } from '../overlap.js';
import { formsOf, type Profile } from '../profile.js';
import { hasCodeOf, shareCodeOfOne, shareIdentifier, shareProductNumber } from '../codes.js';
import { areDifferentProducts, contradictionsOf, SHARED_CODE } from '../verdict.js';
import { type CandidateNames, foldedName } from './candidate-names.js';

/** If only one of two names has one of these words, they are different products, such as a variant ("wifi") or a bundle. */
const DISTINGUISHING_WORDS = ['wifi', 'rgb', 'argb', 'sodimm', 'tray', 'bundle', 'starter'];
/** Words for the condition of a used product. They distinguish only offers that share no model number. */
const CONDITION_WORDS = ['used', 'refurbished', 'renewed', 'refurb'];

const differInAny = (words: readonly string[], a: Profile, b: Profile): boolean =>
  words.some((word) => a.forms.has(word) !== b.forms.has(word));

/** The contradictions that keep two listings out of one group, whatever their score. */
const SEPARATING: ReadonlySet<Contradiction> = new Set(['line', 'model', 'variant', 'kind', 'edition']);

const RULES: readonly ((a: Profile, b: Profile, ofOneShop: boolean) => boolean)[] = [
  // A shared number does not outweigh different makers, because it may be that of a part or a size: "7200dpi".
  haveOtherMakers,
  haveNamesOfOtherProducts,
  // One shop rarely offers a product twice, so any other word makes two of its listings different products.
  (a, b, ofOneShop) => ofOneShop && haveOtherWords(a.words, b.words, a, b),
  (a, b) => differInAny(DISTINGUISHING_WORDS, a, b),
  (a, b) => differInAny(CONDITION_WORDS, a, b) && !shareProductNumber(a, b),
  // Kits with lenses of other focal lengths are different products.
  (a, b) => a.parts.isKit && b.parts.isKit && weighMeasures(a.measures, b.measures).length === 1,
  // What comes with a product is another product than the whole, and a product with a kit is another one than without it.
  (a, b) => comesWith(a, b) || comesWith(b, a) || addsKit(a, b) || addsKit(b, a),
  // Names that list specifications follow one pattern, so the heads must have the same words and variants.
  (a, b) => hasSpecifications(a) && hasSpecifications(b) && haveOtherSpecifications(a, b),
];

const haveOtherSpecifications = (a: Profile, b: Profile): boolean =>
  weighMeasures(a.measures, b.measures).vague === 1 ||
  haveOtherWords(a.head, b.head, a, b) ||
  haveOtherVariants(a, b);

/** Whether the names of two listings without common identifiers conflict. Strict: a wrong group is worse than a missing one. */
export const haveConflictingNames = (a: Profile, b: Profile, ofOneShop: boolean): boolean =>
  dependOnNames(a, b) && RULES.some((differ) => differ(a, b, ofOneShop));

/** A compared listing, as far as its name and its shop show which product it is. */
interface NamedListing {
  shop: string;
  name: string;
  profile: Profile;
}

/** Whether two compared listings may not be in one group because of their names. @param names those of all compared listings. */
export const areNamesOfOthers = (
  a: NamedListing,
  b: NamedListing,
  features: Features,
  names: CandidateNames,
): boolean =>
  areOthersOfShop(a, b) ||
  haveConflictingNames(a.profile, b.profile, a.shop === b.shop) ||
  haveOtherHeads(a.profile, b.profile, features, names) ||
  haveOtherCapacities(a.profile, b.profile) ||
  (dependOnNames(a.profile, b.profile) && names.haveNamesakes(a, b));

/** Whether two listings of one shop are different products: they share neither an identifier nor their name. */
const areOthersOfShop = (a: NamedListing, b: NamedListing): boolean =>
  a.shop === b.shop && !shareIdentifier(a.profile, b.profile) && foldedName(a.name) !== foldedName(b.name);

/** Whether the contradictions between two listings keep them out of one group. */
export const keepApart = (contradictions: readonly Contradiction[]): boolean =>
  contradictions.some((one) => SEPARATING.has(one));

/** The words after the head of a name if they begin with "with", otherwise none. */
function wordsFromWith({ words, head }: Profile): readonly Token[] {
  const rest = words.slice(head.length);
  return ['with', 'w'].includes(rest[0]?.text ?? '') ? rest : [];
}

/** Whether the first name states a kit after "with", and the other name states none: "Kestrel MX500 SSD with cloning kit". */
const addsKit = (one: Profile, other: Profile): boolean =>
  wordsFromWith(one).some(({ text }) => text === 'kit') &&
  wordsFromWith(other).length === 0 &&
  !other.forms.has('kit');

/** Whether one product comes with the other: "EF 18-135mm Lens" with "EON 80 Camera with EF 18-135mm Lens". */
function comesWith(part: Profile, whole: Profile): boolean {
  if (wordsFromWith(whole).length === 0) return false;
  const makers = new Set([...part.maker, ...whole.maker]);
  const own = part.head.filter(({ text }) => !makers.has(text) && !NAME_STOP_WORDS.has(text));
  const before = formsOf(whole.head, []);
  return own.length > 1 && own.every(({ text }) => whole.forms.has(text) && !before.has(text));
}

/** Whether only words connect two listings: at most one of them states a brand, and they share no identifier and no model number. */
export const shareOnlyWords = (a: Profile, b: Profile): boolean =>
  dependOnNames(a, b) && !hasCodeOf(a, b, (code) => /\p{L}/u.test(code));

/** Whether the description of the one listing, whose name states no capacity, contradicts the capacity in the other's name. */
export const haveOtherCapacities = (a: Profile, b: Profile): boolean =>
  dependOnNames(a, b) && (describesOtherCapacity(a, b) || describesOtherCapacity(b, a));

const describesOtherCapacity = (one: Profile, { measures }: Profile): boolean =>
  !one.measures.values.has('storage') &&
  measures.values.has('storage') &&
  weighMeasures(one.described().measures(), measures).storage > 0;

/**
 * Whether two compared listings that only names connect (`dependOnNames`) are different products: each head has a word that the
 * other name lacks, and they share no model number, or only that of a series; or one has a word by which a shop tells its own
 * listings apart, and they share no model number of one product.
 */
export function haveOtherHeads(a: Profile, b: Profile, features: Features, names: CandidateNames): boolean {
  if (!dependOnNames(a, b)) return false;
  const { codeExact, codePrefix, codeAkin, codeOwn } = features;
  const shareNumber = Math.max(codeExact, codePrefix, codeAkin, codeOwn) >= SHARED_CODE;
  if (!shareNumber && haveOwnHeadWords(a, b)) return true;
  return (
    (names.haveOtherWords(a, b) || names.areVariants(a, b)) &&
    codeAkin === 0 &&
    !shareCodeOfOne(a, b, names.isOfSeries)
  );
}

/** Whether only the names can show that two listings are one product. */
const dependOnNames = (a: Profile, b: Profile): boolean =>
  (a.brand.length === 0 || b.brand.length === 0) &&
  !shareAny(a.gtins, b.gtins) &&
  !shareAny(a.statedModels, b.statedModels);

/**
 * Whether the heads of two names that list specifications, with other numbers, state other variants: one lacks a distinguishing
 * word of the other, or each lacks a word, one of which is a number, a model number or a single letter ("Mesh C", "Mesh 2").
 */
function haveOtherVariants(a: Profile, b: Profile): boolean {
  const missing = (of: Profile, by: Profile) => {
    const forms = formsOf(by.head, []);
    return of.head.filter(({ text }) => !isPlain(text) && !forms.has(text));
  };
  const [fromB, fromA] = [missing(a, b), missing(b, a)];
  const all = [...fromB, ...fromA];
  if (all.some(({ text }) => DISTINGUISHING_WORDS.includes(text))) return true;
  const isVariant = ({ kind, text }: Token) => kind !== 'word' || text.length === 1;
  return fromB.length > 0 && fromA.length > 0 && all.some(isVariant);
}

/** Whether two listings that were not compared are certainly different products, and must not be in the same group. */
export function mayNotBeGrouped(a: NamedListing, b: NamedListing): boolean {
  const [one, other] = [a.profile, b.profile];
  if (areDifferentProducts(one, other) || areOthersOfShop(a, b)) return true;
  if (haveConflictingNames(one, other, a.shop === b.shop)) return true;
  const weight = wordWeight([one, other], new Set([...one.brand, ...other.brand]));
  return keepApart(contradictionsOf(compareProfiles(one, other, weight), one, other));
}

/** Whether some of the words, except stop words and marketing words, do not occur in the other name in any form. */
function haveOtherWords(ofA: readonly Token[], ofB: readonly Token[], a: Profile, b: Profile): boolean {
  const isMissing =
    (by: Profile) =>
    ({ text }: Token) =>
      !saysNothing(text) && !by.forms.has(text);
  return ofA.some(isMissing(b)) || ofB.some(isMissing(a));
}
