import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.942, of all candidates 0.939, true share from 0.5 by tenths 0.64 (11) 0.86 (7) 0.86 (22) 0.95 (65) 1.00 (386).
 * amazon-google, cross-validated: F1 of the first match 0.686, of all candidates 0.718, true share from 0.5 by tenths 0.67 (70) 0.58 (88) 0.61 (125) 0.79 (218) 0.78 (139).
 * abt-buy, fitted on the others alone: F1 of the first match 0.853, of all candidates 0.850, true share from 0.5 by tenths 0.89 (46) 0.96 (81) 0.94 (154) 0.95 (146) 0.79 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.678, of all candidates 0.712, true share from 0.5 by tenths 0.29 (42) 0.39 (44) 0.40 (50) 0.61 (83) 0.71 (568).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = {
  pair: {
    bias: -6.581,
    coverLow: 0,
    coverHigh: 0.796,
    coverFull: 0,
    coverWithoutCode: 0,
    describedLow: 2.635,
    describedHigh: 4.77,
    missingLow: 0,
    missingHigh: 0,
    codeExact: 2.894,
    codePrefix: 1.338,
    codeSibling: 0.196,
    codeConflict: -2.384,
    codeSeries: -0.817,
    modelAgree: 2.5,
    gtinAgree: 9,
    gtinConflict: -3,
    numberAgree: 0.468,
    numberConflict: -0.765,
    numberMissing: 0,
    storageConflict: -3.009,
    measureAgree: 0.026,
    measureConflict: -1.682,
    countConflict: -2.636,
    countMissing: -0.304,
    packMissing: -1.451,
    colourAgree: 1.046,
    colourConflict: -2.657,
    brandAgree: 0.097,
    brandConflict: -0.402,
    editionMismatch: -2.01,
    platformAgree: 0,
    platformConflict: -1.675,
    platformMissing: 0,
    languageConflict: -1.903,
    variantConflict: -2.453,
    variantMissing: -0.811,
    tierConflict: -3.048,
    accessoryMismatch: -0.312,
    accessoryOnly: -0.635,
    priceDistance: -2.038,
    priceFar: 0,
    priceUnknown: 0.049,
  },
  context: {
    bias: 0.314,
    pair: 0.49,
    aheadOfRivals: 0.43,
    behindRivals: 1.047,
    aheadOfSiblings: 0.064,
    behindSiblings: 1.121,
  },
};
