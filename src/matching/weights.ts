import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.948, of all candidates 0.945, true share from 0.5 by tenths 1.00 (6) 0.75 (8) 0.87 (23) 0.96 (73) 1.00 (381).
 * amazon-google, cross-validated: F1 of the first match 0.680, of all candidates 0.714, true share from 0.5 by tenths 0.71 (78) 0.52 (83) 0.65 (124) 0.77 (221) 0.77 (131).
 * abt-buy, fitted on the others alone: F1 of the first match 0.858, of all candidates 0.856, true share from 0.5 by tenths 0.90 (49) 0.91 (81) 0.95 (156) 0.97 (145) 0.80 (15).
 * amazon-google, fitted on the others alone: F1 of the first match 0.676, of all candidates 0.710, true share from 0.5 by tenths 0.32 (44) 0.37 (35) 0.46 (57) 0.53 (80) 0.71 (576).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = {
  pair: {
    bias: -6.584,
    coverLow: 0,
    coverHigh: 0.808,
    coverFull: 0,
    coverWithoutCode: 0,
    describedLow: 2.668,
    describedHigh: 4.741,
    missingLow: 0,
    missingHigh: 0,
    codeExact: 2.899,
    codePrefix: 1.335,
    codeSibling: 0.178,
    codeConflict: -2.367,
    codeSeries: -0.813,
    modelAgree: 2.5,
    gtinAgree: 6,
    gtinConflict: -3,
    numberAgree: 0.472,
    numberConflict: -0.762,
    numberMissing: 0,
    storageConflict: -3.009,
    measureAgree: 0.027,
    measureConflict: -1.664,
    countConflict: -2.636,
    countMissing: -0.435,
    colourAgree: 1.006,
    colourConflict: -2.629,
    brandAgree: 0.097,
    brandConflict: -0.403,
    editionMismatch: -2.027,
    platformAgree: 0,
    platformConflict: -1.681,
    platformMissing: 0,
    languageConflict: -1.9,
    variantConflict: -2.341,
    variantMissing: -0.789,
    tierConflict: -2.171,
    accessoryMismatch: -0.189,
    accessoryOnly: -0.35,
    priceDistance: -2.043,
    priceFar: 0,
    priceUnknown: 0.02,
  },
  context: {
    bias: 0.229,
    pair: 0.486,
    aheadOfRivals: 0.432,
    behindRivals: 0.997,
    aheadOfSiblings: 0.083,
    behindSiblings: 0.883,
  },
};
