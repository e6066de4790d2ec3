import { UNITS } from '../text/units.js';

/** Two or three dimensions that a name states, in ascending order, because shops state them in any order. */
export interface Dimensions {
  values: readonly number[];
  /** The unit as the name writes it, or an empty text. */
  unit: string;
}

const NUMBER = String.raw`(\d{1,3}(?:[.,]\d+)?)`;
const LENGTH = String.raw`(?:\s?(mm|cm|m|in|inch(?:es)?|''|")(?!\p{L}))?`;
const OTHER_UNIT = [...UNITS.keys()].filter((name) => /^\p{L}+$/u.test(name)).join('|');
/**
 * Matches dimensions such as `27.5 x 2.40` and `30x40x2 cm`. What other units follow, as in `2 x 250 ml` and `8 x 3.5 GHz`, are
 * amounts and not dimensions.
 */
const DIMENSIONS = new RegExp(
  `(?<![\\p{L}\\d.,/-])${NUMBER}${LENGTH}(\\s?)x\\3${NUMBER}${LENGTH}(?:\\3x\\3${NUMBER}${LENGTH})?(?![\\p{L}\\d]|[.,]\\d|\\s?(?:${OTHER_UNIT})(?![\\p{L}\\d]))`,
  'gu',
);

/** Reads all dimensions that a folded name states. */
export function readDimensions(folded: string): Dimensions[] {
  if (!/\dx|\bx\b|["']x/.test(folded)) return [];
  return [...folded.matchAll(DIMENSIONS)].map(([, a, unitOfA, , b, unitOfB, c, unitOfC]) => ({
    values: [a, b, c]
      .flatMap((value) => (value === undefined ? [] : [Number(value.replace(',', '.'))]))
      .sort((one, other) => one - other),
    unit: unitOfC ?? unitOfB ?? unitOfA ?? '',
  }));
}

/** Whether two names both state dimensions in the same unit, and none of them are the same. */
export function haveOtherDimensions(some: readonly Dimensions[], others: readonly Dimensions[]): boolean {
  if (some.length === 0 || others.length === 0) return false;
  return some.every((one) => others.every((other) => areOther(one, other)));
}

/** Whether dimensions differ. If one name states two and the other three, the two must be among the three. */
function areOther(a: Dimensions, b: Dimensions): boolean {
  if (a.unit !== b.unit && a.unit !== '' && b.unit !== '') return false;
  const [short, long] = a.values.length < b.values.length ? [a, b] : [b, a];
  return !short.values.every((value) => long.values.includes(value));
}
