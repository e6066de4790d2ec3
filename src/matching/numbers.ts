import { shareAny } from './cheap-features.js';
import type { Profile } from './profile.js';

/** Compares the versions, years and generations of two names. */
export function compareNumbers(a: Profile, b: Profile) {
  const leftA = [...a.numbers].filter((number) => !hasNumber(number, b));
  const leftB = [...b.numbers].filter((number) => !hasNumber(number, a));
  const farA = leftA.filter((number) => !isNearAny(number, b.numbers));
  const farB = leftB.filter((number) => !isNearAny(number, a.numbers));
  const countSame = farA.some((one) =>
    farB.some((other) => shareAny(a.counted.get(one) ?? [], b.counted.get(other) ?? new Set())),
  );
  return {
    shared: [...a.numbers].filter((number) => b.numbers.has(number)).length,
    /** The number of versions, years and generations that only one of the names has. */
    unshared: leftA.length + leftB.length,
    /** 1 if a number is close to one of the other name: `7` and `7.0.2`, or `3.5.2` and `3.52`. */
    close: farA.length < leftA.length || farB.length < leftB.length ? 1 : 0,
    /** 1 if each name has a number to which no number of the other name is close. */
    conflict: farA.length > 0 && farB.length > 0 ? 1 : 0,
    line: haveOtherLineNumbers(a, b) ? 1 : 0,
    /** 1 if different numbers count the same thing, as in `2-slice` and `4-slice`. */
    unit: countSame ? 1 : 0,
  };
}

/** The minimum length of a number that may be part of a code of the other listing, such as `9602` in `HSL9602`. */
export const MIN_PART_LENGTH = 3;
export const hasNumber = (number: string, { numbers, forms }: Profile): boolean =>
  numbers.has(number) || (number.length >= MIN_PART_LENGTH && forms.has(number));

const isNearAny = (number: string, others: ReadonlySet<string>): boolean =>
  [...others].some((other) => areNear(number, other));

/** Whether two version numbers are close: `7` and `7.0.2`, or `3.5.2` and `3.52`. */
export const areNear = (one: string, other: string): boolean =>
  isMoreExact(one, other) || isMoreExact(other, one) || hasOtherPoints(one, other);

/** Whether the second version number continues the first one with further parts: `7.0.2` continues `7`. */
const isMoreExact = (short: string, long: string): boolean => long.startsWith(`${short}.`);

/** Whether two version numbers have the same digits with points in different positions: `3.5.2` and `3.52`. */
const hasOtherPoints = (one: string, other: string): boolean =>
  one.includes('.') && other.includes('.') && one.replaceAll('.', '') === other.replaceAll('.', '');

/** Whether different numbers follow a word of both names, as in `iphone 13` and `iphone 14`. */
function haveOtherLineNumbers(a: Profile, b: Profile): boolean {
  for (const [word, numbers] of a.lines) {
    const others = b.lines.get(word);
    if (others === undefined) continue;
    const isAmong = (number: string) =>
      others.has(number) || [...others].some((other) => areNear(number, other) || isWithin(number, other));
    if (![...numbers].some(isAmong)) return true;
  }
  return false;
}

/** Whether one number or code contains the other one, as in `s9` and `s9plus`, or `77d` and `eos77d`. */
const isWithin = (one: string, other: string): boolean =>
  /\p{L}/u.test(one + other) && (one.includes(other) || other.includes(one));
