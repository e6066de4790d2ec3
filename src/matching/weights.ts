import type { FeatureName } from './features.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.946, of all candidates 0.936, true share from 0.5 by tenths 0.31 (13) 0.43 (14) 0.67 (9) 0.84 (25) 1.00 (458).
 * amazon-google, cross-validated: F1 of the first match 0.708, of all candidates 0.738, true share from 0.5 by tenths 0.47 (62) 0.45 (88) 0.58 (140) 0.73 (178) 0.83 (271).
 * abt-buy, fitted on the others alone: F1 of the first match 0.863, of all candidates 0.859, true share from 0.5 by tenths 0.97 (92) 0.96 (141) 0.95 (120) 0.93 (72) 0.86 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.693, of all candidates 0.664, true share from 0.5 by tenths 0.28 (54) 0.23 (88) 0.38 (85) 0.47 (145) 0.63 (660).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
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
