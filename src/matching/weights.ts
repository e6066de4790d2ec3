import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.942, of all candidates 0.939, true share from 0.5 by tenths 0.54 (13) 1.00 (6) 0.86 (21) 0.96 (67) 1.00 (384).
 * amazon-google, cross-validated: F1 of the first match 0.683, of all candidates 0.718, true share from 0.5 by tenths 0.66 (71) 0.56 (89) 0.62 (120) 0.79 (224) 0.78 (138).
 * abt-buy, fitted on the others alone: F1 of the first match 0.858, of all candidates 0.853, true share from 0.5 by tenths 0.91 (47) 0.90 (84) 0.95 (153) 0.95 (147) 0.77 (13).
 * amazon-google, fitted on the others alone: F1 of the first match 0.681, of all candidates 0.705, true share from 0.5 by tenths 0.22 (41) 0.31 (49) 0.40 (48) 0.58 (77) 0.71 (578).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = {
  pair: {
    bias: -6.443,
    coverLow: 0,
    coverHigh: 0.782,
    coverFull: 0,
    coverWithoutCode: 0,
    describedLow: 2.642,
    describedHigh: 4.639,
    missingLow: 0,
    missingHigh: 0,
    codeExact: 2.873,
    codePrefix: 1.281,
    codeSibling: 0.221,
    codeConflict: -2.386,
    codeSeries: -0.834,
    modelAgree: 2.5,
    gtinAgree: 9,
    gtinConflict: -3,
    numberAgree: 0.452,
    numberConflict: -0.763,
    numberMissing: 0,
    storageConflict: -3.009,
    measureAgree: 0.07,
    measureConflict: -1.676,
    countConflict: -2.636,
    countMissing: -0.269,
    packMissing: -1.455,
    colourAgree: 1.07,
    colourConflict: -2.623,
    brandAgree: 0.091,
    brandConflict: -0.391,
    editionMismatch: -1.97,
    platformAgree: 0,
    platformConflict: -1.659,
    platformMissing: 0,
    languageConflict: -1.944,
    variantConflict: -2.416,
    variantMissing: -0.783,
    tierConflict: -3.048,
    accessoryMismatch: -0.416,
    accessoryOnly: -0.461,
    priceDistance: -2.012,
    priceFar: 0,
    priceUnknown: 0.034,
  },
  context: {
    bias: 0.237,
    pair: 0.484,
    aheadOfRivals: 0.421,
    behindRivals: 1.047,
    aheadOfSiblings: 0.098,
    behindSiblings: 1.173,
  },
};
