import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.940, of all candidates 0.938, true share from 0.5 by tenths 0.83 (6) 0.88 (8) 0.81 (26) 0.99 (67) 1.00 (377).
 * amazon-google, cross-validated: F1 of the first match 0.676, of all candidates 0.710, true share from 0.5 by tenths 0.65 (85) 0.51 (76) 0.64 (119) 0.78 (220) 0.78 (135).
 * abt-buy, fitted on the others alone: F1 of the first match 0.852, of all candidates 0.849, true share from 0.5 by tenths 0.91 (47) 0.90 (80) 0.95 (159) 0.97 (139) 0.79 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.669, of all candidates 0.703, true share from 0.5 by tenths 0.29 (24) 0.41 (49) 0.38 (47) 0.56 (86) 0.71 (561).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = {
  pair: {
    bias: -6.599,
    coverLow: 0,
    coverHigh: 0.804,
    coverFull: 0,
    coverWithoutCode: 0,
    describedLow: 2.662,
    describedHigh: 4.762,
    missingLow: 0,
    missingHigh: 0,
    codeExact: 2.903,
    codePrefix: 1.347,
    codeSibling: 0.198,
    codeConflict: -2.361,
    codeSeries: -0.815,
    modelAgree: 2.5,
    gtinAgree: 9,
    gtinConflict: -3,
    numberAgree: 0.469,
    numberConflict: -0.767,
    numberMissing: 0,
    storageConflict: -3.009,
    measureAgree: 0.027,
    measureConflict: -1.667,
    countConflict: -2.636,
    countMissing: 0,
    packMissing: -1.13,
    colourAgree: 1.005,
    colourConflict: -2.638,
    brandAgree: 0.1,
    brandConflict: -0.402,
    editionMismatch: -2.013,
    platformAgree: 0,
    platformConflict: -1.679,
    platformMissing: 0,
    languageConflict: -1.898,
    variantConflict: -2.342,
    variantMissing: -0.786,
    tierConflict: -2.171,
    accessoryMismatch: -0.286,
    accessoryOnly: -0.018,
    priceDistance: -2.047,
    priceFar: 0,
    priceUnknown: 0.028,
  },
  context: {
    bias: 0.196,
    pair: 0.469,
    aheadOfRivals: 0.436,
    behindRivals: 1.03,
    aheadOfSiblings: 0.101,
    behindSiblings: 0.849,
  },
};
