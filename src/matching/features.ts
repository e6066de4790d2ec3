import { compareCodes } from './codes.js';
import { compareNumbers } from './numbers.js';
import { coverage, type WordWeight } from './overlap.js';
import type { Profile } from './profile.js';
import { comparePlainly, type PlainFeatures } from './plain-features.js';
import { compareSets } from './sets.js';
import { ONLY_ACCESSORIES, TIERS } from '../text/vocabulary.js';

/** Evidence about two listings, by name. All are near 0 to 1 and 0 where there is no such evidence. */
export type Features = Record<FeatureName, number>;

export const FEATURES = [
  'bias',
  'coverLow',
  'coverHigh',
  'coverFull',
  'coverWithoutCode',
  'describedLow',
  'describedHigh',
  'missingLow',
  'missingHigh',
  'missingSum',
  'sharedSum',
  'lengthLow',
  'lengthDistance',
  'firstAgree',
  'descriptionAlike',
  'codeExact',
  'codePrefix',
  'codeSibling',
  'codeDescribed',
  'codeAkin',
  'codeOwn',
  'codeConflict',
  'codeSeries',
  'codeNeighbour',
  'modelAgree',
  'modelConflict',
  'gtinAgree',
  'gtinConflict',
  'numberAgree',
  'numberClose',
  'numberConflict',
  'numberMissing',
  'lineConflict',
  'unitConflict',
  'storageConflict',
  'measureAgree',
  'measureConflict',
  'lengthConflict',
  'measureVague',
  'optionConflict',
  'attributesDiffer',
  'countConflict',
  'countMissing',
  'packMissing',
  'colourAgree',
  'colourConflict',
  'brandAgree',
  'brandShare',
  'brandConflict',
  'brandElsewhere',
  'editionMismatch',
  'platformAgree',
  'platformConflict',
  'platformDescribed',
  'platformElsewhere',
  'platformMissing',
  'languageConflict',
  'variantConflict',
  'variantMissing',
  'tierConflict',
  'modelTierConflict',
  'codeTierConflict',
  'accessoryMismatch',
  'accessoryOnly',
  'partConflict',
  'strangers',
  'priceDistance',
  'priceFar',
  'priceUnknown',
] as const;
/** A name of so many telling words is a long one. */
const MANY_WORDS = 10;

export type FeatureName = (typeof FEATURES)[number];

/** What the listings that are compared tell together. */
export interface Known {
  /** How telling a code is, 0 to 1: one that different models have is of a series, a chipset or a standard. */
  telling: (code: string) => number;
  /** Words of the brands that any of them states. */
  brands: ReadonlySet<string>;
}
const NOTHING_KNOWN: Known = { telling: () => 1, brands: new Set() };

/**
 * The evidence, the same whichever listing comes first.
 * @param plain by `comparePlainly`, where it is known.
 */
export function compareProfiles(
  a: Profile,
  b: Profile,
  weight: WordWeight,
  known: Known = NOTHING_KNOWN,
  plain: PlainFeatures = comparePlainly(a, b),
): Features {
  const coverA = coverage(a, b, weight);
  const coverB = coverage(b, a, weight);
  const low = Math.min(coverA.share, coverB.share);
  const codes = compareCodes(a, b, known.telling);
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
    sharedSum: Math.min(coverA.there, coverB.there) / MANY_WORDS,
    lengthLow: Math.min(a.words.length, b.words.length) / MANY_WORDS,
    lengthDistance: Math.abs(Math.log((1 + a.words.length) / (1 + b.words.length))),
    firstAgree: a.words[0] !== undefined && a.words[0].text === b.words[0]?.text ? 1 : 0,
    descriptionAlike: alikeness(a.described().words, b.described().words),
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
      plain.brandAgree + plain.brandConflict === 0 &&
      (isOfAnother(a, b, known.brands) || isOfAnother(b, a, known.brands))
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
    strangers: areStrangers(a, b, { plain, cover: Math.max(coverA.share, coverB.share), price }) ? 1 : 0,
    priceDistance: price === null ? 0 : Math.min(price, 2),
    priceFar: price !== null && price > Math.log(4) ? 1 : 0,
    priceUnknown: price === null ? 1 : 0,
    // Named one by one: what V8 makes of them spread is read six times as slowly.
    gtinAgree: plain.gtinAgree,
    gtinConflict: plain.gtinConflict,
    storageConflict: plain.storageConflict,
    measureAgree: plain.measureAgree,
    measureConflict: plain.measureConflict,
    lengthConflict: plain.lengthConflict,
    measureVague: plain.measureVague,
    optionConflict: plain.optionConflict,
    attributesDiffer: plain.attributesDiffer,
    countConflict: plain.countConflict,
    countMissing: plain.countMissing,
    packMissing: plain.packMissing,
    colourAgree: plain.colourAgree,
    colourConflict: plain.colourConflict,
    brandAgree: plain.brandAgree,
    brandConflict: plain.brandConflict,
    tierConflict: plain.tierConflict,
    codeTierConflict: plain.codeTierConflict,
    modelTierConflict: plain.modelTierConflict,
    partConflict: plain.partConflict,
  };
}

/** Whether a model number of one is one of the other with something after it that is no tier. */
const isExtended = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  [...a].some((one) =>
    [...b].some((other) => {
      const [short, long] = one.length < other.length ? [one, other] : [other, one];
      return long.startsWith(short) && !TIERS.has(long.slice(short.length));
    }),
  );

/** The other states no brand, and names one of those that are stated here, but not this one. */
const isOfAnother = ({ brand }: Profile, other: Profile, brands: ReadonlySet<string>): boolean =>
  brand.length > 0 &&
  other.brand.length === 0 &&
  other.words.slice(0, 3).some(({ text }) => brands.has(text) && !brand.includes(text));

/** Whether one goes with such a thing as the other is: an accessory by its name, and the other is none. */
function isAccessoryOf(one: Profile, other: Profile): boolean {
  if (one.isFor && other.isFor) return false;
  const lacking = [...one.accessories].filter((concept) => !other.allAccessories.has(concept));
  return one.isFor ? lacking.length > 0 : lacking.some((concept) => ONLY_ACCESSORIES.has(concept));
}

/** Names of so little in common have nothing in common. */
const NOTHING_SHARED = 0.15;

/** Whether nothing is shared and something differs: then a shared GTIN is a slip of a feed. */
function areStrangers(
  a: Profile,
  b: Profile,
  { plain, cover, price }: { plain: PlainFeatures; cover: number; price: number | null },
): boolean {
  if (cover >= NOTHING_SHARED || plain.brandAgree === 1) return false;
  const otherKind =
    a.category.size > 0 && b.category.size > 0 && compareSets(a.category, b.category).shared === 0;
  return plain.brandConflict === 1 || otherKind || (price !== null && price > Math.log(4));
}

/** The systems that the name says, else those that the description says. */
const systemsOf = ({ platforms, described }: Profile): ReadonlySet<string> =>
  platforms.size > 0 ? platforms : described().platforms;

/** Words that both have ÷ words that either has. */
function alikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const { shared, unshared } = compareSets(a, b);
  return shared === 0 ? 0 : shared / (shared + unshared);
}

/** Share of the brand's words that the other listing has in its brand or name. */
const brandShare = ({ brand }: Profile, other: Profile): number =>
  brand.length === 0
    ? 0
    : brand.filter((word) => other.brand.includes(word) || other.forms.has(word)).length / brand.length;
