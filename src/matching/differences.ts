import { type Contradiction, CONTRADICTIONS } from '../schemas/match-reasons.js';
import { type CheapFeatures, cheapFeatures } from './cheap-features.js';
import type { Features } from './features.js';
import { haveNamesOfOtherProducts, haveOtherLines } from './head-comparison.js';
import type { Profile } from './profile.js';
import { shareModelNumber } from './shared-numbers.js';

/**
 * The minimum value of a feature for model numbers, such as `codeExact`, at which two listings share a model number. A model
 * number of four characters, which often names a product line, reaches it.
 */
export const SHARED_CODE = 0.6;

const shareModel = ({ codeExact, gtinAgree }: Features): boolean => codeExact >= 1 || gtinAgree > 0;

/** Differences that the features which cost little to compute show, and that rule out a match. */
const PLAIN: readonly [what: Contradiction, differ: (features: CheapFeatures) => boolean][] = [
  [
    'size',
    ({ storageConflict, measureConflict, optionConflict, countConflict, packMissing }) =>
      storageConflict + measureConflict + optionConflict + countConflict + packMissing > 0,
  ],
  ['colour', ({ colourConflict }) => colourConflict > 0],
  [
    'variant',
    ({ tierConflict, modelTierConflict, alternativeConflict }) =>
      tierConflict + modelTierConflict + alternativeConflict > 0,
  ],
  ['kind', ({ partConflict }) => partConflict > 0],
  ['maker', ({ brandConflict, gtinAgree }) => brandConflict > 0 && gtinAgree === 0],
];

/** The other differences that rule out a match. */
const CERTAIN: readonly [what: Contradiction, differ: (features: Features) => boolean][] = [
  ['kind', (features) => features.strangers > 0 || isAccessoryOfOther(features)],
  // Words for variants may belong to the name of a product whose model number both have.
  ['variant', ({ variantConflict, codeExact }) => variantConflict > 0 && codeExact < SHARED_CODE],
  ['model', (features) => features.lineConflict + features.codeNeighbour > 0 && !shareModel(features)],
  ['size', (features) => features.unitConflict > 0 || (features.lengthConflict > 0 && !shareModel(features))],
  ['edition', ({ platformConflict, languageConflict }) => platformConflict + languageConflict > 0],
];

/** Differences that people are told of, but that do not rule out a match. */
const DOUBTFUL: readonly [
  what: Contradiction,
  differ: (features: Features, a: Profile, b: Profile) => boolean,
][] = [
  ['identifier', ({ gtinConflict }) => gtinConflict > 0],
  ['maker', ({ brandConflict }) => brandConflict > 0],
  ['line', (_features, a, b) => haveOtherLines(a, b)],
  [
    'model',
    ({ modelConflict, codeConflict, gtinAgree, codeExact, codePrefix, codeAkin }) =>
      (modelConflict > 0 && gtinAgree === 0) ||
      (codeConflict > 0 && Math.max(gtinAgree, codeExact, codePrefix, codeAkin) < SHARED_CODE),
  ],
  ['variant', ({ codeTierConflict }, a, b) => codeTierConflict > 0 && !shareModelNumber(a, b)],
  ['size', ({ lengthConflict }) => lengthConflict > 0],
];

/** Whether the features that cost little to compute rule out that two listings are the same product. */
export const isPlainlyAnother = (features: CheapFeatures): boolean =>
  PLAIN.some(([, differ]) => differ(features));

/**
 * Whether two listings differ in something that rules out a match, whatever else they share: the size,
 * colour, pack or model, or one is an accessory of the other.
 */
export const isContradicted = (features: Features): boolean =>
  isPlainlyAnother(features) || CERTAIN.some(([, differ]) => differ(features));

/** Returns what two listings differ in, in the order of `CONTRADICTIONS`. */
export function contradictionsOf(features: Features, a: Profile, b: Profile): Contradiction[] {
  const found = new Set(
    [...PLAIN, ...CERTAIN, ...DOUBTFUL].flatMap(([what, differ]) => (differ(features, a, b) ? [what] : [])),
  );
  return CONTRADICTIONS.filter((one) => found.has(one));
}

/**
 * Whether two listings are certainly different products: they state another maker, size, colour or variant, or their
 * names are those of different products. Listings that share a GTIN or a model number are not. A pack that only one of
 * them states is ignored, because the description of the other one may state it, and callers need not have descriptions.
 */
export function areDifferentProducts(a: Profile, b: Profile): boolean {
  if (haveNamesOfOtherProducts(a, b)) return true;
  const features = cheapFeatures(a, b);
  return (
    isPlainlyAnother({ ...features, packMissing: 0 }) && features.gtinAgree === 0 && !shareModelNumber(a, b)
  );
}

/** Whether one of two listings is an accessory of the other, which may state the model number of the product that it goes with. */
const isAccessoryOfOther = ({ accessoryOnly, codeOwn }: Features): boolean =>
  accessoryOnly > 0 && codeOwn === 0;
