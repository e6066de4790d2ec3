import type { FeatureName } from './features.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
 * Fitted by tools/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.950, of all candidates 0.944, true share from 0.5 by tenths 0.35 (23) 0.40 (35) 0.69 (39) 0.96 (101) 1.00 (1337).
 * amazon-google, cross-validated: F1 of the first match 0.705, of all candidates 0.739, true share from 0.5 by tenths 0.45 (219) 0.46 (315) 0.64 (417) 0.76 (551) 0.84 (687).
 * abt-buy, fitted on the others alone: F1 of the first match 0.870, of all candidates 0.867, true share from 0.5 by tenths 0.93 (80) 0.97 (181) 0.98 (154) 0.88 (25) - (0).
 * amazon-google, fitted on the others alone: F1 of the first match 0.694, of all candidates 0.669, true share from 0.5 by tenths 0.20 (59) 0.20 (92) 0.42 (80) 0.52 (168) 0.65 (615).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * tools/fitting/fit.ts.
 */
export const PAIR_WEIGHTS: PairWeights = {
  bias: -6.04,
  coverLow: 0,
  coverHigh: 0,
  coverFull: 0,
  coverWithoutCode: 0,
  describedLow: 2.13,
  describedHigh: 4.047,
  missingLow: 0,
  missingHigh: 0,
  missingSum: 0,
  sharedSum: 7.292,
  lengthLow: -0.749,
  lengthDistance: 0.527,
  firstAgree: 0.065,
  descriptionAlike: 0.629,
  codeExact: 0.249,
  codePrefix: 1.668,
  codeSibling: 0,
  codeDescribed: 1.44,
  codeAkin: 0.739,
  codeOwn: 2.5,
  codeConflict: -3.138,
  codeSeries: -1.762,
  modelAgree: 2.5,
  gtinAgree: 9,
  gtinConflict: -6,
  numberAgree: 0,
  numberClose: 1.48,
  numberConflict: -1.475,
  numberMissing: -0.297,
  storageConflict: -3.003,
  measureAgree: 0,
  measureConflict: -1.242,
  countConflict: -2.661,
  countMissing: -0.401,
  packMissing: -1.787,
  colourAgree: 0.939,
  colourConflict: -2.852,
  brandAgree: 0,
  brandShare: 0.375,
  brandConflict: -0.481,
  editionMismatch: -1.995,
  platformAgree: 0,
  platformConflict: -0.994,
  platformDescribed: 0.138,
  platformElsewhere: -0.68,
  platformMissing: 0,
  languageConflict: -1.809,
  variantConflict: -2.294,
  variantMissing: -0.726,
  tierConflict: -3.044,
  accessoryMismatch: -0.404,
  accessoryOnly: -0.635,
  priceDistance: -1.95,
  priceFar: 0,
  priceUnknown: -0.101,
};
