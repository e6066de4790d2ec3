import { type Contradiction, CONTRADICTIONS, type MatchReason } from '../schemas/match-reasons.js';
import { type CheapFeatures, cheapFeatures } from './cheap-features.js';
import type { Features } from './features.js';
import { haveNamesOfOtherProducts, haveOtherLines } from './head-comparison.js';
import type { Profile } from './profile.js';
import { shareModelNumber } from './codes.js';

/** From this value on, features such as `codeExact` mean a shared model number, which has at least four characters. */
export const SHARED_CODE = 0.6;
/** The maximum logarithm of the ratio of two prices that are near each other: a factor of two. */
const NEAR_PRICE = Math.log(2);

const shareModel = ({ codeExact, gtinAgree }: Features): boolean => codeExact >= 1 || gtinAgree > 0;

/** Whether one listing is an accessory of the other. A shared model number is no evidence against it if the prices differ. */
function isAccessoryOfOther(features: Features): boolean {
  const { accessoryOnly, codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance, priceFar } = features;
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = codeOwn > 0 || ((gtinAgree > 0 || codeExact >= 1) && nearPrice);
  return accessoryOnly > 0 && (!sameThing || priceFar > 0);
}

/** When two listings differ in a property. */
interface Difference {
  /** Whether features that cost little to compute rule out a match, whatever else agrees. */
  plain?: (features: CheapFeatures) => boolean;
  /** Whether any features rule out a match, whatever else agrees. */
  excluding?: (features: Features) => boolean;
  /** Whether there is a difference that is reported but does not rule out a match. */
  reported?: (features: Features, a: Profile, b: Profile) => boolean;
}

/** The differences in each property. A shared model number outweighs other numbers and words of the names. */
const DIFFERENCES: Readonly<Partial<Record<Contradiction, Difference>>> = {
  identifier: { reported: ({ gtinConflict }) => gtinConflict > 0 },
  maker: {
    plain: ({ brandConflict, gtinAgree }) => brandConflict > 0 && gtinAgree === 0,
    reported: ({ brandConflict }) => brandConflict > 0,
  },
  line: { reported: (_features, a, b) => haveOtherLines(a, b) },
  model: {
    excluding: (features) =>
      features.lineConflict + features.codeSeries + features.codeNeighbour > 0 && !shareModel(features),
    reported: ({ modelConflict, codeConflict, gtinAgree, codeExact, codePrefix, codeAkin }) =>
      (modelConflict > 0 && gtinAgree === 0) ||
      (codeConflict > 0 && Math.max(gtinAgree, codeExact, codePrefix, codeAkin) < SHARED_CODE),
  },
  variant: {
    plain: ({ tierConflict, modelTierConflict, alternativeConflict }) =>
      tierConflict + modelTierConflict + alternativeConflict > 0,
    excluding: ({ variantConflict, codeExact }) => variantConflict > 0 && codeExact < SHARED_CODE,
    reported: ({ codeTierConflict }, a, b) => codeTierConflict > 0 && !shareModelNumber(a, b),
  },
  kind: {
    plain: ({ partConflict }) => partConflict > 0,
    excluding: (features) => features.strangers > 0 || isAccessoryOfOther(features),
  },
  size: {
    plain: ({ storageConflict, measureConflict, optionConflict, countConflict, packMissing }) =>
      storageConflict + measureConflict + optionConflict + countConflict + packMissing > 0,
    excluding: (features) =>
      features.unitConflict > 0 || (features.lengthConflict > 0 && !shareModel(features)),
    reported: ({ lengthConflict }) => lengthConflict > 0,
  },
  colour: { plain: ({ colourConflict }) => colourConflict > 0 },
  edition: { excluding: ({ platformConflict, languageConflict }) => platformConflict + languageConflict > 0 },
};

const PLAIN = Object.values(DIFFERENCES).flatMap(({ plain }) => plain ?? []);
const EXCLUDING = Object.values(DIFFERENCES).flatMap(({ excluding }) => excluding ?? []);

/** Whether the features that cost little to compute rule out that two listings are the same product. */
export const isPlainlyAnother = (features: CheapFeatures): boolean =>
  PLAIN.some((differ) => differ(features));

/** Whether two listings differ in something that rules out a match, whatever else they share, such as the size. */
export const isContradicted = (features: Features): boolean =>
  isPlainlyAnother(features) || EXCLUDING.some((differ) => differ(features));

/** Returns what two listings differ in, in the order of `CONTRADICTIONS`. Not every difference rules out a match. */
export const contradictionsOf = (features: Features, a: Profile, b: Profile): Contradiction[] =>
  CONTRADICTIONS.filter((property) => {
    const { plain, excluding, reported } = DIFFERENCES[property] ?? {};
    return plain?.(features) === true || excluding?.(features) === true || reported?.(features, a, b);
  });

/**
 * Whether two listings are certainly different products: they state another maker, size, colour or variant, or have names of
 * different products, and share no GTIN or model number. Packs do not count, because only the description may state them.
 */
export function areDifferentProducts(a: Profile, b: Profile): boolean {
  if (haveNamesOfOtherProducts(a, b)) return true;
  const features = { ...cheapFeatures(a, b), packMissing: 0 };
  return isPlainlyAnother(features) && features.gtinAgree === 0 && !shareModelNumber(a, b);
}

/** When each reason is given for a match: both listings state the property, they agree, and nothing of its kind differs. */
const REASONS: readonly [reason: MatchReason, holds: (features: Features) => boolean][] = [
  ['gtin', ({ gtinAgree }) => gtinAgree > 0],
  [
    'model',
    ({ codeExact, codePrefix, modelAgree, modelConflict, codeNeighbour }) =>
      (modelAgree > 0 || codeExact >= 0.6 || codePrefix >= 0.6) && modelConflict + codeNeighbour === 0,
  ],
  ['brand', ({ brandAgree, brandConflict }) => brandAgree > 0 && brandConflict === 0],
  ['name', ({ describedHigh, coverHigh }) => coverHigh >= 0.6 || describedHigh >= 0.8],
  [
    'size',
    ({ measureAgree, measureConflict, storageConflict, lengthConflict, optionConflict, countConflict }) =>
      measureAgree > 0 &&
      measureConflict + storageConflict + lengthConflict + optionConflict + countConflict === 0,
  ],
  [
    'version',
    ({ numberAgree, numberConflict, lineConflict, unitConflict }) =>
      numberAgree > 0 && numberConflict + lineConflict + unitConflict === 0,
  ],
  ['colour', ({ colourAgree }) => colourAgree > 0],
  ['price', ({ priceUnknown, priceDistance }) => priceUnknown === 0 && priceDistance < 0.1],
];

/** Returns what two listings agree in, strongest evidence first. */
export function reasonsOf(features: Features): MatchReason[] {
  const reasons = REASONS.filter(([, holds]) => holds(features)).map(([reason]) => reason);
  return reasons.length > 0 ? reasons : ['name'];
}
