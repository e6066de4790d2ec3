import { UNITS } from '../text/units.js';

/** The dimensions of a product, such as `30 x 40 cm`. */
export interface Dimensions {
  /** Two or three numbers, in ascending order because shops state dimensions in any order. */
  values: readonly number[];
  /** The unit as it is written in the name. Empty if the name contains no unit. */
  unit: string;
}

const NUMBER = String.raw`(\d{1,3}(?:[.,]\d+)?)`;
const LENGTH = String.raw`(?:\s?(mm|cm|m|in|inch(?:es)?|''|")(?!\p{L}))?`;
const OTHER_UNIT = [...UNITS.keys()].filter((name) => /^\p{L}+$/u.test(name)).join('|');
/** Matches dimensions such as `27.5 x 2.40` and `30x40x2 cm`, and not amounts in other units, such as `2 x 250 ml`. */
const DIMENSIONS = new RegExp(
  `(?<![\\p{L}\\d.,/-])${NUMBER}${LENGTH}(\\s?)x\\3${NUMBER}${LENGTH}(?:\\3x\\3${NUMBER}${LENGTH})?(?![\\p{L}\\d]|[.,]\\d|\\s?(?:${OTHER_UNIT})(?![\\p{L}\\d]))`,
  'gu',
);

/** Returns all dimensions in a name that `foldListingName` folded. */
export function readDimensions(folded: string): Dimensions[] {
  if (!/\dx|\bx\b|["']x/.test(folded)) return [];
  return [...folded.matchAll(DIMENSIONS)].map(([, a, unitOfA, , b, unitOfB, c, unitOfC]) => ({
    values: [a, b, c]
      .flatMap((value) => (value === undefined ? [] : [Number(value.replace(',', '.'))]))
      .sort((one, other) => one - other),
    unit: unitOfC ?? unitOfB ?? unitOfA ?? '',
  }));
}

/** Whether two names both contain dimensions in comparable units, and have none of them in common. */
export function haveOtherDimensions(some: readonly Dimensions[], others: readonly Dimensions[]): boolean {
  if (some.length === 0 || others.length === 0) return false;
  return some.every((one) => others.every((other) => areOther(one, other)));
}

/** Whether two dimensions differ. Three numbers may include the other two. Those in different units do not differ. */
function areOther(a: Dimensions, b: Dimensions): boolean {
  if (a.unit !== b.unit && a.unit !== '' && b.unit !== '') return false;
  const [short, long] = a.values.length < b.values.length ? [a, b] : [b, a];
  return !short.values.every((value) => long.values.includes(value));
}
