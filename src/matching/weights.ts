import type { FeatureName } from './features.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.953, of all candidates 0.947, true share from 0.5 by tenths 0.35 (17) 0.60 (5) 0.75 (8) 0.97 (29) 1.00 (455).
 * amazon-google, cross-validated: F1 of the first match 0.702, of all candidates 0.738, true share from 0.5 by tenths 0.42 (73) 0.39 (108) 0.60 (143) 0.77 (196) 0.82 (254).
 * abt-buy, fitted on the others alone: F1 of the first match 0.839, of all candidates 0.830, true share from 0.5 by tenths 0.93 (118) 0.94 (157) 0.88 (103) 0.72 (29) 0.91 (44).
 * amazon-google, fitted on the others alone: F1 of the first match 0.689, of all candidates 0.691, true share from 0.5 by tenths 0.19 (78) 0.31 (68) 0.43 (77) 0.46 (90) 0.70 (608).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const PAIR_WEIGHTS: PairWeights = {
  bias: -6.039,
  coverLow: 0,
  coverHigh: 0,
  coverFull: 0,
  coverWithoutCode: 0,
  describedLow: 2.184,
  describedHigh: 4.085,
  missingLow: 0,
  missingHigh: 0,
  missingSum: 0,
  sharedSum: 7.436,
  lengthLow: -0.828,
  lengthDistance: 0.475,
  firstAgree: 0.014,
  descriptionAlike: 0.602,
  codeExact: 0.134,
  codePrefix: 1.609,
  codeSibling: 0.169,
  codeDescribed: 2.128,
  codeAkin: 0.751,
  codeOwn: 2.633,
  codeConflict: -3.354,
  codeSeries: -1.715,
  modelAgree: 2.5,
  gtinAgree: 9,
  gtinConflict: -6,
  numberAgree: 0,
  numberClose: 1.544,
  numberConflict: -1.545,
  numberMissing: -0.32,
  storageConflict: -3.003,
  measureAgree: 0,
  measureConflict: -1.334,
  countConflict: -2.659,
  countMissing: -0.409,
  packMissing: -1.811,
  colourAgree: 0.877,
  colourConflict: -2.896,
  brandAgree: 0,
  brandShare: 0.367,
  brandConflict: -0.484,
  editionMismatch: -1.898,
  platformAgree: 0,
  platformConflict: -1.016,
  platformDescribed: 0.097,
  platformElsewhere: -0.781,
  platformMissing: 0,
  languageConflict: -1.841,
  variantConflict: -2.364,
  variantMissing: -0.904,
  tierConflict: -3.048,
  accessoryMismatch: -0.506,
  accessoryOnly: -0.583,
  priceDistance: -2.004,
  priceFar: 0,
  priceUnknown: -0.129,
};
