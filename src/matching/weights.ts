import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
 * Fitted by scripts/fit-matching.ts on 2026-11-21, on abt-buy and amazon-google.
 * abt-buy, cross-validated: F1 of the first match 0.943, of all candidates 0.940, true share from 0.5 by tenths 0.58 (12) 1.00 (6) 0.86 (22) 0.95 (65) 1.00 (385).
 * amazon-google, cross-validated: F1 of the first match 0.683, of all candidates 0.718, true share from 0.5 by tenths 0.67 (72) 0.55 (87) 0.63 (123) 0.78 (222) 0.78 (138).
 * abt-buy, fitted on the others alone: F1 of the first match 0.857, of all candidates 0.852, true share from 0.5 by tenths 0.91 (47) 0.90 (82) 0.95 (154) 0.95 (146) 0.79 (14).
 * amazon-google, fitted on the others alone: F1 of the first match 0.679, of all candidates 0.707, true share from 0.5 by tenths 0.28 (40) 0.34 (53) 0.38 (52) 0.62 (78) 0.70 (576).
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = {
  pair: {
    bias: -6.451,
    coverLow: 0,
    coverHigh: 0.729,
    coverFull: 0,
    coverWithoutCode: 0,
    describedLow: 2.654,
    describedHigh: 4.69,
    missingLow: 0,
    missingHigh: 0,
    codeExact: 2.86,
    codePrefix: 1.275,
    codeSibling: 0.209,
    codeConflict: -2.453,
    codeSeries: -0.783,
    modelAgree: 2.5,
    gtinAgree: 9,
    gtinConflict: -6,
    numberAgree: 0.463,
    numberConflict: -0.769,
    numberMissing: 0,
    storageConflict: -3.009,
    measureAgree: 0.077,
    measureConflict: -1.667,
    countConflict: -2.636,
    countMissing: -0.268,
    packMissing: -1.457,
    colourAgree: 1.06,
    colourConflict: -2.623,
    brandAgree: 0.092,
    brandConflict: -0.39,
    editionMismatch: -1.911,
    platformAgree: 0,
    platformConflict: -1.658,
    platformMissing: 0,
    languageConflict: -1.95,
    variantConflict: -2.422,
    variantMissing: -0.794,
    tierConflict: -3.048,
    accessoryMismatch: -0.417,
    accessoryOnly: -0.465,
    priceDistance: -2.015,
    priceFar: 0,
    priceUnknown: 0.048,
  },
  context: {
    bias: 0.249,
    pair: 0.485,
    aheadOfRivals: 0.427,
    behindRivals: 1.039,
    aheadOfSiblings: 0.088,
    behindSiblings: 1.184,
  },
};
