import type { FeatureName } from './features.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.945, of all candidates 0.935, true share from 0.5 by tenths 0.40 (15) 0.25 (12) 0.69 (13) 0.83 (24) 1.00 (456).
 * amazon-google, cross-validated: F1 of the first match 0.709, of all candidates 0.735, true share from 0.5 by tenths 0.39 (77) 0.46 (83) 0.61 (133) 0.72 (178) 0.84 (273).
 * abt-buy, fitted on the others alone: F1 of the first match 0.863, of all candidates 0.859, true share from 0.5 by tenths 0.97 (92) 0.96 (141) 0.95 (120) 0.93 (72) 0.86 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.689, of all candidates 0.666, true share from 0.5 by tenths 0.30 (47) 0.26 (94) 0.34 (77) 0.47 (150) 0.63 (662).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const PAIR_WEIGHTS: PairWeights = {
  bias: -6.036,
  coverLow: 0,
  coverHigh: 0,
  coverFull: 0,
  coverWithoutCode: 0,
  describedLow: 2.128,
  describedHigh: 4.048,
  missingLow: 0,
  missingHigh: 0,
  missingSum: 0,
  sharedSum: 7.291,
  lengthLow: -0.753,
  lengthDistance: 0.521,
  firstAgree: 0.065,
  descriptionAlike: 0.63,
  codeExact: 0.247,
  codePrefix: 1.669,
  codeSibling: 0,
  codeDescribed: 1.443,
  codeAkin: 0.738,
  codeOwn: 2.499,
  codeConflict: -3.138,
  codeSeries: -1.762,
  modelAgree: 2.5,
  gtinAgree: 9,
  gtinConflict: -6,
  numberAgree: 0,
  numberClose: 1.443,
  numberConflict: -1.494,
  numberMissing: -0.29,
  storageConflict: -3.003,
  measureAgree: 0,
  measureConflict: -1.242,
  countConflict: -2.661,
  countMissing: -0.401,
  packMissing: -1.787,
  colourAgree: 0.939,
  colourConflict: -2.851,
  brandAgree: 0,
  brandShare: 0.375,
  brandConflict: -0.479,
  editionMismatch: -1.994,
  platformAgree: 0,
  platformConflict: -0.995,
  platformDescribed: 0.138,
  platformElsewhere: -0.679,
  platformMissing: 0,
  languageConflict: -1.809,
  variantConflict: -2.294,
  variantMissing: -0.723,
  tierConflict: -3.044,
  accessoryMismatch: -0.404,
  accessoryOnly: -0.635,
  priceDistance: -1.951,
  priceFar: 0,
  priceUnknown: -0.102,
};
