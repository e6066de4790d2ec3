import type { Features } from './features.js';

const REASONS: [reason: string, holds: (features: Features) => boolean][] = [
  ['gtin', ({ gtinAgree }) => gtinAgree > 0],
  [
    'model',
    ({ codeExact, codePrefix, modelAgree }) => modelAgree > 0 || codeExact >= 0.6 || codePrefix >= 0.6,
  ],
  ['brand', ({ brandAgree }) => brandAgree > 0],
  ['name', ({ describedHigh, coverHigh }) => coverHigh >= 0.6 || describedHigh >= 0.8],
  ['size', ({ measureAgree }) => measureAgree > 0],
  ['version', ({ numberAgree }) => numberAgree > 0],
  ['colour', ({ colourAgree }) => colourAgree > 0],
  ['price', ({ priceUnknown, priceDistance }) => priceUnknown === 0 && priceDistance < 0.1],
];

/** What agreed, strongest first. */
export function reasonsOf(features: Features): string[] {
  const reasons = REASONS.filter(([, holds]) => holds(features)).map(([reason]) => reason);
  return reasons.length > 0 ? reasons : ['name'];
}
