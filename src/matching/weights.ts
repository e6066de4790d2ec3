import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.942, of all candidates 0.939, true share from 0.5 by tenths 0.73 (11) 0.71 (7) 0.87 (23) 0.95 (65) 1.00 (385).
 * amazon-google, cross-validated: F1 of the first match 0.685, of all candidates 0.718, true share from 0.5 by tenths 0.68 (75) 0.53 (85) 0.65 (125) 0.78 (220) 0.78 (136).
 * abt-buy, fitted on the others alone: F1 of the first match 0.854, of all candidates 0.851, true share from 0.5 by tenths 0.89 (46) 0.95 (80) 0.94 (152) 0.95 (150) 0.79 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.680, of all candidates 0.712, true share from 0.5 by tenths 0.35 (40) 0.33 (49) 0.43 (47) 0.60 (87) 0.71 (565).
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
    priceUnknown: 0.049
  },
  context: {
    bias: 0.273,
    pair: 0.48,
    aheadOfRivals: 0.435,
    behindRivals: 1.022,
    aheadOfSiblings: 0.073,
    behindSiblings: 0.943
  }
};
