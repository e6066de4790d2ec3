import { compareCodes } from './codes.js';
import { compareMeasures } from './measures.js';
import { compareNumbers } from './numbers.js';
import { coverage, type WordWeight } from './overlap.js';
import type { Profile } from './profile.js';
import { ONLY_ACCESSORIES } from './vocabulary.js';

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
  'modelAgree',
  'gtinAgree',
  'gtinConflict',
  'numberAgree',
  'numberClose',
  'numberConflict',
  'numberMissing',
  'storageConflict',
  'measureAgree',
  'measureConflict',
  'countConflict',
  'countMissing',
  'packMissing',
  'colourAgree',
  'colourConflict',
  'brandAgree',
  'brandShare',
  'brandConflict',
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
  'accessoryMismatch',
  'accessoryOnly',
  'priceDistance',
  'priceFar',
  'priceUnknown',
] as const;
/** A name of so many telling words is a long one. */
const MANY_WORDS = 10;

export type FeatureName = (typeof FEATURES)[number];

/** The evidence, the same whichever listing comes first. */
export function compareProfiles(a: Profile, b: Profile, weight: WordWeight): Features {
  const coverA = coverage(a, b, weight);
  const coverB = coverage(b, a, weight);
  const low = Math.min(coverA.share, coverB.share);
  const codes = compareCodes(a, b);
  const numbers = compareNumbers(a, b);
  const colours = compareSets(a.colours, b.colours);
  const platforms = compareSets(a.platforms, b.platforms);
  const systems = compareSets(systemsOf(a), systemsOf(b));
  const languages = compareSets(a.languages, b.languages);
  const variants = compareSets(a.variants, b.variants);
  const editions = compareSets(a.editions, b.editions);
  const accessories = compareSets(a.accessories, b.accessories);
  const models = compareSets(a.statedModels, b.statedModels);
  const gtins = compareSets(a.gtins, b.gtins);
  const measures = compareMeasures(a.measures, b.measures);
  const measureConflicts = [...measures].filter(
    ([kind, what]) => what === 'conflict' && kind !== 'storage',
  ).length;
  const measureAgreements = [...measures.values()].filter((what) => what === 'agree').length;
  const price = a.price === null || b.price === null ? null : Math.abs(Math.log(a.price / b.price));
  const brand = compareBrands(a, b);
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
    descriptionAlike: alikeness(a.described.words, b.described.words),
    codeExact: codes.exact,
    codePrefix: codes.exact >= 1 ? 0 : codes.prefix,
    codeSibling: codes.exact >= 1 ? 0 : codes.sibling,
    codeDescribed: codes.described,
    codeAkin: codes.akin,
    codeOwn: codes.own,
    codeConflict: codes.conflict,
    codeSeries: codes.series,
    modelAgree: models.shared > 0 ? 1 : 0,
    gtinAgree: gtins.shared > 0 ? 1 : 0,
    gtinConflict: a.gtins.size > 0 && b.gtins.size > 0 && gtins.shared === 0 ? 1 : 0,
    numberAgree: Math.min(1, numbers.shared / 2),
    numberClose: numbers.close,
    numberConflict: numbers.conflict,
    numberMissing: numbers.conflict === 1 ? 0 : Math.min(1, numbers.unshared / 2),
    storageConflict: measures.get('storage') === 'conflict' ? 1 : 0,
    measureAgree: Math.min(1, measureAgreements / 2),
    measureConflict: Math.min(1, measureConflicts),
    countConflict:
      a.measures.count !== null && b.measures.count !== null && a.measures.count !== b.measures.count ? 1 : 0,
    countMissing: countMissing(a.measures.count, b.measures.count),
    packMissing: lacksPack(a, b) || lacksPack(b, a) ? 1 : 0,
    colourAgree: colours.shared > 0 ? 1 : 0,
    colourConflict: colours.shared > 0 ? 0 : colours.conflict,
    brandAgree: brand === 'agree' ? 1 : 0,
    brandShare: Math.max(brandShare(a, b), brandShare(b, a)),
    brandConflict: brand === 'conflict' ? 1 : 0,
    editionMismatch: Math.min(1, editions.unshared / 2),
    platformAgree: platforms.shared > 0 ? 1 : 0,
    platformConflict: platforms.conflict,
    platformDescribed: systems.shared > 0 ? 1 : 0,
    platformElsewhere: systems.shared === 0 ? systems.conflict : 0,
    platformMissing: platforms.conflict === 0 && platforms.unshared > 0 ? 1 : 0,
    languageConflict: languages.conflict,
    variantConflict: variants.conflict,
    variantMissing: variants.conflict === 1 ? 0 : Math.min(1, variants.unshared / 2),
    tierConflict: tierConflict(a, b),
    accessoryMismatch: accessories.shared === 0 && accessories.unshared > 0 ? 1 : 0,
    accessoryOnly: accessories.shared === 0 && (isAccessoryOf(a, b) || isAccessoryOf(b, a)) ? 1 : 0,
    priceDistance: price === null ? 0 : Math.min(price, 2),
    priceFar: price !== null && price > Math.log(4) ? 1 : 0,
    priceUnknown: price === null ? 1 : 0,
  };
}

/** `conflict`: 1 when each side has what the other has not. */
function compareSets(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): { shared: number; unshared: number; conflict: 0 | 1 } {
  let shared = 0;
  for (const item of a) if (b.has(item)) shared += 1;
  const conflict = a.size > shared && b.size > shared ? 1 : 0;
  return { shared, unshared: a.size + b.size - 2 * shared, conflict };
}

/** Whether one goes with such a thing as the other is: an accessory by its name, and the other is none. */
function isAccessoryOf(one: Profile, other: Profile): boolean {
  if (one.isFor && other.isFor) return false;
  const lacking = [...one.accessories].filter((concept) => !other.allAccessories.has(concept));
  return one.isFor ? lacking.length > 0 : lacking.some((concept) => ONLY_ACCESSORIES.has(concept));
}

/** The same number with another tier after it, where neither name has the tiers elsewhere. */
function tierConflict(a: Profile, b: Profile): 0 | 1 {
  for (const [number, tier] of a.tiers) {
    const other = b.tiers.get(number);
    if (other === undefined || other === tier) continue;
    const lacks = (row: string, of: Profile) =>
      row !== '' && row.split(' ').some((word) => !of.variants.has(word));
    if (lacks(tier, b) || lacks(other, a)) return 1;
  }
  return 0;
}

/** Smaller numbers are in many names. */
const TELLING_COUNT = 10;

/** A pack is stated; a listing that states none, and has no such number even in its model, is of a single piece. */
function lacksPack({ measures }: Profile, other: Profile): boolean {
  const { pack, count } = measures;
  if (!pack || count === null || count < 2 || other.measures.count !== null) return false;
  const isInNumbers = count >= TELLING_COUNT && other.forms.has(String(count));
  return !isInNumbers && other.described.count() !== count;
}

/** The systems that the name says, else those that the description says. */
const systemsOf = ({ platforms, described }: Profile): ReadonlySet<string> =>
  platforms.size > 0 ? platforms : described.platforms;

/** Words that both have ÷ words that either has. */
function alikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const { shared, unshared } = compareSets(a, b);
  return shared === 0 ? 0 : shared / (shared + unshared);
}

function countMissing(a: number | null, b: number | null): number {
  const stated = a ?? b;
  return (a === null) !== (b === null) && stated !== null && stated > 1 ? 1 : 0;
}

/** Brands agree when one's words are in the other's brand or name; they conflict only when both are stated. */
function compareBrands(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  if (a.brand.length === 0 && b.brand.length === 0) return 'unknown';
  const within = (brand: readonly string[], other: Profile) =>
    brand.some((word) => word.length > 1 && (other.brand.includes(word) || other.forms.has(word)));
  if (within(a.brand, b) || within(b.brand, a)) return 'agree';
  return a.brand.length > 0 && b.brand.length > 0 ? 'conflict' : 'unknown';
}

/** Share of the brand's words that the other listing has in its brand or name. */
const brandShare = ({ brand }: Profile, other: Profile): number =>
  brand.length === 0
    ? 0
    : brand.filter((word) => other.brand.includes(word) || other.forms.has(word)).length / brand.length;
