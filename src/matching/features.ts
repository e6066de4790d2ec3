import { compareAttributes } from './attributes.js';
import { haveOtherChips } from './chips.js';
import { compareCodes } from './codes.js';
import { weighMeasures } from './measures.js';
import { compareNumbers } from './numbers.js';
import { coverage, type WordWeight } from './overlap.js';
import type { Profile } from './profile.js';
import { arePartAndWhole } from './parts.js';
import { ONLY_ACCESSORIES, TIERS } from './vocabulary.js';

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

/** The evidence, the same whichever listing comes first. */
export function compareProfiles(
  a: Profile,
  b: Profile,
  weight: WordWeight,
  known: Known = NOTHING_KNOWN,
): Features {
  const coverA = coverage(a, b, weight);
  const coverB = coverage(b, a, weight);
  const low = Math.min(coverA.share, coverB.share);
  const codes = compareCodes(a, b, known.telling);
  const numbers = compareNumbers(a, b);
  const colours = compareColours(a, b);
  const attributes = compareAttributes(a.attributes, b.attributes);
  const platforms = compareSets(a.platforms, b.platforms);
  const systems = compareSets(systemsOf(a), systemsOf(b));
  const languages = compareSets(a.languages, b.languages);
  const variants = compareSets(a.variants, b.variants);
  const editions = compareSets(a.editions, b.editions);
  const accessories = compareSets(a.accessories, b.accessories);
  const models = compareSets(a.statedModels, b.statedModels);
  const gtins = compareSets(a.gtins, b.gtins);
  const measures = weighMeasures(a.measures, b.measures);
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
    codeNeighbour: codes.neighbour,
    modelAgree: models.shared > 0 ? 1 : 0,
    modelConflict:
      models.shared === 0 && models.conflict === 1 && !isExtended(a.statedModels, b.statedModels) ? 1 : 0,
    gtinAgree: gtins.shared > 0 ? 1 : 0,
    gtinConflict: a.gtins.size > 0 && b.gtins.size > 0 && gtins.shared === 0 ? 1 : 0,
    numberAgree: Math.min(1, (numbers.shared + numbers.close) / 2),
    numberClose: numbers.close,
    numberConflict: numbers.conflict,
    numberMissing: numbers.conflict === 1 ? 0 : Math.min(1, numbers.unshared / 2),
    lineConflict: numbers.line,
    unitConflict: numbers.unit,
    storageConflict: measures.storage,
    measureAgree: Math.min(1, measures.agree / 2),
    measureConflict: measures.size,
    lengthConflict: measures.length,
    measureVague: measures.vague,
    optionConflict: attributes.option,
    attributesDiffer: attributes.differing,
    countConflict:
      a.measures.count !== null && b.measures.count !== null && a.measures.count !== b.measures.count ? 1 : 0,
    countMissing: countMissing(a.measures.count, b.measures.count),
    packMissing: lacksPack(a, b) || lacksPack(b, a) ? 1 : 0,
    colourAgree: colours === 'agree' ? 1 : 0,
    colourConflict: colours === 'conflict' ? 1 : 0,
    brandAgree: brand === 'agree' ? 1 : 0,
    brandShare: Math.max(brandShare(a, b), brandShare(b, a)),
    brandConflict: brand === 'conflict' ? 1 : 0,
    brandElsewhere:
      brand === 'unknown' && (isOfAnother(a, b, known.brands) || isOfAnother(b, a, known.brands)) ? 1 : 0,
    editionMismatch: Math.min(1, editions.unshared / 2),
    platformAgree: platforms.shared > 0 ? 1 : 0,
    platformConflict: platforms.conflict,
    platformDescribed: systems.shared > 0 ? 1 : 0,
    platformElsewhere: systems.shared === 0 ? systems.conflict : 0,
    platformMissing: platforms.conflict === 0 && platforms.unshared > 0 ? 1 : 0,
    languageConflict: languages.conflict,
    variantConflict: variants.conflict,
    variantMissing: variants.conflict === 1 ? 0 : Math.min(1, variants.unshared / 2),
    tierConflict: haveOtherChips(a.chips, b.chips) ? 1 : tierConflict(a.tiers, b.tiers, a, b),
    codeTierConflict: tierConflict(a.codeTiers, b.codeTiers, a, b),
    modelTierConflict: hasModelTier(a, b) || hasModelTier(b, a) ? 1 : 0,
    accessoryMismatch: accessories.shared === 0 && accessories.unshared > 0 ? 1 : 0,
    accessoryOnly: accessories.shared === 0 && (isAccessoryOf(a, b) || isAccessoryOf(b, a)) ? 1 : 0,
    partConflict: arePartAndWhole(a, b) ? 1 : 0,
    strangers: areStrangers(a, b, { brand, cover: Math.max(coverA.share, coverB.share), price }) ? 1 : 0,
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

/** Whether a model number of one is one of the other with something after it that is no tier. */
const isExtended = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  [...a].some((one) =>
    [...b].some((other) => {
      const [short, long] = one.length < other.length ? [one, other] : [other, one];
      return long.startsWith(short) && !TIERS.has(long.slice(short.length));
    }),
  );

/** What is stated counts before what a name says, where a word like "golden" may be of the product's name. */
function compareColours(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  const both = a.statedColours.size > 0 && b.statedColours.size > 0;
  const ofA = a.statedColours.size > 0 ? a.statedColours : a.colours;
  const ofB = b.statedColours.size > 0 ? b.statedColours : b.colours;
  if (ofA.size === 0 || ofB.size === 0) return 'unknown';
  const { shared } = compareSets(ofA, ofB);
  if (shared > 0) return 'agree';
  if (both) return 'conflict';
  // A colour word that both names have is none where another colour is stated.
  const left = (some: ReadonlySet<string>, names: ReadonlySet<string>) =>
    [...some].some((one) => !names.has(one));
  return left(ofA, b.colours) && left(ofB, a.colours) ? 'conflict' : 'unknown';
}

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

/** The same number with another tier after it, where neither name has the tiers elsewhere. */
function tierConflict(tiersOfA: Profile['tiers'], tiersOfB: Profile['tiers'], a: Profile, b: Profile): 0 | 1 {
  for (const [number, tier] of tiersOfA) {
    const other = tiersOfB.get(number);
    if (other === undefined || other === tier) continue;
    const lacks = (row: string, of: Profile) =>
      row !== '' && row.split(' ').some((word) => !of.variants.has(word));
    if (lacks(tier, b) || lacks(other, a)) return 1;
  }
  return 0;
}

/** Whether one is a model and the other the same with a tier. */
const hasModelTier = ({ modelTiers }: Profile, { forms, codes, variants }: Profile): boolean =>
  modelTiers.some(
    ([model, tier]) => !forms.has(tier) && !variants.has(tier) && (forms.has(model) || codes.has(model)),
  );

/** Names of so little in common have nothing in common. */
const NOTHING_SHARED = 0.15;

/** Whether nothing is shared and something differs: then a shared GTIN is a slip of a feed. */
function areStrangers(
  a: Profile,
  b: Profile,
  { brand, cover, price }: { brand: 'agree' | 'conflict' | 'unknown'; cover: number; price: number | null },
): boolean {
  if (cover >= NOTHING_SHARED || brand === 'agree') return false;
  const otherKind =
    a.category.size > 0 && b.category.size > 0 && compareSets(a.category, b.category).shared === 0;
  return brand === 'conflict' || otherKind || (price !== null && price > Math.log(4));
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

/**
 * Brands agree when they share a word, or when a name has the other's brand and not as what it is for; they conflict only
 * when both are stated. What a shop states and does not name ("OEM", its own name) is no brand beside one that it names.
 */
function compareBrands(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  if (a.brand.length === 0 && b.brand.length === 0) return 'unknown';
  const isNamed = (brand: readonly string[], { forms, target }: Profile) =>
    brand.some((word) => word.length > 1 && forms.has(word) && !target.has(word));
  const aInB = isNamed(a.brand, b);
  const bInA = isNamed(b.brand, a);
  if (a.brand.length === 0 || b.brand.length === 0) return aInB || bInA ? 'agree' : 'unknown';
  if (a.brand.some((word) => word.length > 1 && b.brand.includes(word))) return 'agree';
  const isOneOfTwo = (aInB && !isNamed(b.brand, b)) || (bInA && !isNamed(a.brand, a));
  return (aInB && bInA) || isOneOfTwo ? 'agree' : 'conflict';
}

/** Share of the brand's words that the other listing has in its brand or name. */
const brandShare = ({ brand }: Profile, other: Profile): number =>
  brand.length === 0
    ? 0
    : brand.filter((word) => other.brand.includes(word) || other.forms.has(word)).length / brand.length;
