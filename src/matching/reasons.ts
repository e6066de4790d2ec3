import type { MatchReason } from '../schemas/match-reasons.js';
import type { Features } from './features.js';

/** Each is said only where it is true of both listings, and nothing of its kind differs. */
const REASONS: [reason: MatchReason, holds: (features: Features) => boolean][] = [
  ['gtin', ({ gtinAgree }) => gtinAgree > 0],
  [
    'model',
    ({ codeExact, codePrefix, modelAgree, modelConflict, codeNeighbour }) =>
      (modelAgree > 0 || codeExact >= 0.6 || codePrefix >= 0.6) && modelConflict + codeNeighbour === 0,
  ],
  ['brand', ({ brandAgree, brandConflict }) => brandAgree > 0 && brandConflict === 0],
  ['name', ({ describedHigh, coverHigh }) => coverHigh >= 0.6 || describedHigh >= 0.8],
  [
    'size',
    ({ measureAgree, measureConflict, storageConflict, lengthConflict, optionConflict, countConflict }) =>
      measureAgree > 0 &&
      measureConflict + storageConflict + lengthConflict + optionConflict + countConflict === 0,
  ],
  [
    'version',
    ({ numberAgree, numberConflict, lineConflict, unitConflict }) =>
      numberAgree > 0 && numberConflict + lineConflict + unitConflict === 0,
  ],
  ['colour', ({ colourAgree }) => colourAgree > 0],
  ['price', ({ priceUnknown, priceDistance }) => priceUnknown === 0 && priceDistance < 0.1],
];

/** What agreed, strongest first. */
export function reasonsOf(features: Features): MatchReason[] {
  const reasons = REASONS.filter(([, holds]) => holds(features)).map(([reason]) => reason);
  return reasons.length > 0 ? reasons : ['name'];
}
