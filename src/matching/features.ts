import { type CodeComparison, compareCodes } from './codes.js';
import { compareNumbers } from './numbers.js';
import { coverage, type WordWeight } from './overlap.js';
import type { Profile } from './profile.js';
import { cheapFeatures, type CheapFeatures, compareSets } from './cheap-features.js';
import { COLOURS } from '../naming/lexicon.js';
import { ONLY_ACCESSORIES, TIER_WORDS } from '../text/vocabulary.js';

/** The features of a pair of listings, between 0 and about 1; 0 if the listings give no evidence for it. */
export type Features = Record<FeatureName, number>;

// prettier-ignore
export const FEATURES = [
  'bias', 'coverLow', 'coverHigh', 'coverFull', 'coverWithoutCode', 'describedLow', 'describedHigh',
  'missingLow', 'missingHigh', 'missingSum', 'sharedSum', 'lengthLow', 'lengthDistance', 'firstAgree',
  'descriptionAlike', 'codeExact', 'codePrefix', 'codeSibling', 'codeDescribed', 'codeAkin', 'codeOwn',
  'codeConflict', 'codeSeries', 'codeNeighbour', 'modelAgree', 'modelConflict', 'gtinAgree',
  'gtinConflict', 'numberAgree', 'numberClose', 'numberConflict', 'numberMissing', 'lineConflict',
  'unitConflict', 'storageConflict', 'measureAgree', 'measureConflict', 'lengthConflict', 'measureVague',
  'optionConflict', 'attributesDiffer', 'countConflict', 'countMissing', 'packMissing', 'colourAgree',
  'colourConflict', 'brandAgree', 'brandShare', 'brandConflict', 'brandElsewhere', 'editionMismatch',
  'platformAgree', 'platformConflict', 'platformDescribed', 'platformElsewhere', 'platformMissing',
  'languageConflict', 'variantConflict', 'variantMissing', 'tierConflict', 'modelTierConflict',
  'codeTierConflict', 'alternativeConflict', 'accessoryMismatch', 'accessoryOnly', 'partConflict',
  'strangers', 'priceDistance', 'priceFar', 'priceUnknown',
] as const;
/** The divisor that brings features which grow with the number of words into the range of about 0 to 1. */
const MANY_WORDS = 10;

export type FeatureName = (typeof FEATURES)[number];

/** Facts that are derived from all listings of a comparison together. */
export interface CandidateSet {
  codeWeight: (code: string) => number;
  /** The words in the brands of all compared listings. */
  brands: ReadonlySet<string>;
}
const NO_SET: CandidateSet = { codeWeight: () => 1, brands: new Set() };

/** Computes the features of a pair. Swapping the two listings does not change them. @param cheap from `cheapFeatures`. */
export function compareProfiles(
  a: Profile,
  b: Profile,
  weight: WordWeight,
  set: CandidateSet = NO_SET,
  cheap: CheapFeatures = cheapFeatures(a, b),
): Features {
  const coverA = coverage(a, b, weight);
  const coverB = coverage(b, a, weight);
  const low = Math.min(coverA.share, coverB.share);
  const codes = compareCodes(a, b, set.codeWeight);
  const numbers = compareNumbers(a, b);
  const platforms = compareSets(a.platforms, b.platforms);
  const systems = compareSets(systemsOf(a), systemsOf(b));
  const languages = compareSets(a.languages, b.languages);
  const variants = compareSets(a.variants, b.variants);
  const editions = compareSets(a.editions, b.editions);
  const accessories = compareSets(a.accessories, b.accessories);
  const models = compareSets(a.statedModels, b.statedModels);
  const price = a.price === null || b.price === null ? null : Math.abs(Math.log(a.price / b.price));
  return {
    bias: 1,
    coverLow: low,
    coverHigh: Math.max(coverA.share, coverB.share),
    coverFull: Math.max(0, low - 0.75) * 4,
    coverWithoutCode: codes.exact + codes.prefix > 0.5 ? 0 : low,
    describedLow: Math.min(coverA.described, coverB.described),
    describedHigh: Math.max(coverA.described, coverB.described),
    missingLow: Math.min(coverA.heaviestMissing, coverB.heaviestMissing),
    missingHigh: Math.max(coverA.heaviestMissing, coverB.heaviestMissing),
    missingSum: Math.max(coverA.missing, coverB.missing) / MANY_WORDS,
    sharedSum: Math.min(coverA.found, coverB.found) / MANY_WORDS,
    lengthLow: Math.min(a.words.length, b.words.length) / MANY_WORDS,
    lengthDistance: Math.abs(Math.log((1 + a.words.length) / (1 + b.words.length))),
    firstAgree: a.words[0] !== undefined && a.words[0].text === b.words[0]?.text ? 1 : 0,
    descriptionAlike: jaccard(a.described().words, b.described().words),
    codeExact: codes.exact,
    codePrefix: codes.exact >= 1 ? 0 : codes.prefix,
    codeSibling: codes.exact >= 1 ? 0 : codes.sibling,
    codeDescribed: codes.described,
    codeAkin: codes.akin,
    codeOwn: codes.own,
    codeConflict: codes.conflict,
    codeSeries: codes.series,
    codeNeighbour: codes.neighbour,
    modelAgree: models.shared > 0 ? 1 : 0,
    modelConflict:
      models.shared === 0 && models.conflict === 1 && !isExtended(a.statedModels, b.statedModels) ? 1 : 0,
    numberAgree: Math.min(1, (numbers.shared + numbers.close) / 2),
    numberClose: numbers.close,
    numberConflict: numbers.conflict,
    numberMissing: numbers.conflict === 1 ? 0 : Math.min(1, numbers.unshared / 2),
    lineConflict: numbers.line,
    unitConflict: numbers.unit,
    brandShare: Math.max(brandShare(a, b), brandShare(b, a)),
    brandElsewhere:
      cheap.brandAgree + cheap.brandConflict === 0 &&
      (isOfAnother(a, b, set.brands) || isOfAnother(b, a, set.brands))
        ? 1
        : 0,
    editionMismatch: Math.min(1, editions.unshared / 2),
    platformAgree: platforms.shared > 0 ? 1 : 0,
    platformConflict: platforms.conflict,
    platformDescribed: systems.shared > 0 ? 1 : 0,
    platformElsewhere: systems.shared === 0 ? systems.conflict : 0,
    platformMissing: platforms.conflict === 0 && platforms.unshared > 0 ? 1 : 0,
    languageConflict: languages.conflict,
    variantConflict: variants.conflict,
    variantMissing: variants.conflict === 1 ? 0 : Math.min(1, variants.unshared / 2),
    accessoryMismatch: accessories.shared === 0 && accessories.unshared > 0 ? 1 : 0,
    accessoryOnly: accessories.shared === 0 && (isAccessoryOf(a, b) || isAccessoryOf(b, a)) ? 1 : 0,
    strangers: areStrangers(a, b, { cheap, cover: Math.max(coverA.share, coverB.share), price, codes })
      ? 1
      : 0,
    priceDistance: price === null ? 0 : Math.min(price, 2),
    priceFar: price !== null && price > Math.log(4) ? 1 : 0,
    priceUnknown: price === null ? 1 : 0,
    // The spread is last, because V8 is slow to add properties to an object that begins with one.
    ...cheap,
  };
}

/** Whether one listing has a model number of the other with a suffix, and the suffix is not a tier word such as "plus". */
const isExtended = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  [...a].some((one) =>
    [...b].some((other) => {
      const [short, long] = one.length < other.length ? [one, other] : [other, one];
      return long.startsWith(short) && !TIER_WORDS.has(long.slice(short.length));
    }),
  );

/** Whether the name of a listing without a brand begins with a brand that only other compared listings state. */
const isOfAnother = ({ brand }: Profile, other: Profile, brands: ReadonlySet<string>): boolean =>
  brand.length > 0 && other.words.slice(0, 3).some(({ text }) => brands.has(text) && !brand.includes(text));

/** Whether the first listing names an accessory that the second does not, so that it goes with products such as the second. */
function isAccessoryOf(one: Profile, other: Profile): boolean {
  if (one.isFor && other.isFor) return false;
  const lacking = [...one.accessories].filter((concept) => !other.allAccessories.has(concept));
  return one.isFor ? lacking.length > 0 : lacking.some((concept) => ONLY_ACCESSORIES.has(concept));
}

/** Below this share of words, by weight, that occur in the other name, two names have nothing in common. */
const MIN_COVERAGE = 0.15;
/**
 * The share of words below which two names have nothing in common if they end in different words and the listings share only a
 * GTIN. One common word may be a smaller share.
 */
const MIN_COVERAGE_OF_KIND = 0.3;

/** Whether two listings have nothing in common but perhaps a GTIN, which is then an error of a feed. */
function areStrangers(
  a: Profile,
  b: Profile,
  found: { cheap: CheapFeatures; cover: number; price: number | null; codes: CodeComparison },
): boolean {
  const { cheap, cover, price, codes } = found;
  if (cheap.brandAgree === 1) return false;
  const otherCategory =
    a.category.size > 0 && b.category.size > 0 && compareSets(a.category, b.category).shared === 0;
  const differs = cheap.brandConflict === 1 || otherCategory || (price !== null && price > Math.log(4));
  if (cover < MIN_COVERAGE && differs) return true;
  const shareCode = Math.max(codes.own, codes.exact, codes.prefix, codes.akin) > 0;
  const shareOnlyGtin = cheap.gtinAgree === 1 && !shareCode;
  return shareOnlyGtin && cover < MIN_COVERAGE_OF_KIND && areOtherKinds(a, b);
}

/** Whether the heads of two names end in nouns that the other lacks. Nouns in different scripts may be translations of each other. */
function areOtherKinds(a: Profile, b: Profile): boolean {
  const nounOf = ({ head }: Profile) =>
    head.findLast(({ kind, text }) => kind === 'word' && !COLOURS.has(text))?.text ?? null;
  const [one, other] = [nounOf(a), nounOf(b)];
  if (one === null || other === null || LATIN.test(one) !== LATIN.test(other)) return false;
  return !b.forms.has(one) && !a.forms.has(other);
}

const LATIN = /\p{Script=Latin}/u;

/** The operating systems and consoles that a name states, or if it states none, the description. */
const systemsOf = ({ platforms, described }: Profile): ReadonlySet<string> =>
  platforms.size > 0 ? platforms : described().platforms;

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const { shared, unshared } = compareSets(a, b);
  return shared === 0 ? 0 : shared / (shared + unshared);
}

/** The share of the words of a listing's brand that occur in the brand or name of the other. */
const brandShare = ({ brand }: Profile, other: Profile): number =>
  brand.length === 0
    ? 0
    : brand.filter((word) => other.brand.includes(word) || other.forms.has(word)).length / brand.length;
