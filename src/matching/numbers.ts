import type { Profile } from './profile.js';

/** What versions, years and generations of two names say. */
export interface NumberComparison {
  shared: number;
  /** Numbers that one of them alone has. */
  unshared: number;
  /** 1: a number of one is near one of the other: `7` and `7.0.2`, `3.5.2` and `3.52`. */
  close: 0 | 1;
  /** 1: each has a number that the other has nothing near of. */
  conflict: 0 | 1;
}

export function compareNumbers(a: Profile, b: Profile): NumberComparison {
  const leftA = [...a.numbers].filter((number) => !b.numbers.has(number));
  const leftB = [...b.numbers].filter((number) => !a.numbers.has(number));
  const farA = leftA.filter((number) => !isNear(number, b));
  const farB = leftB.filter((number) => !isNear(number, a));
  return {
    shared: a.numbers.size - leftA.length,
    unshared: leftA.length + leftB.length,
    close: farA.length < leftA.length || farB.length < leftB.length ? 1 : 0,
    conflict: farA.length > 0 && farB.length > 0 ? 1 : 0,
  };
}

const isNear = (number: string, { numbers }: Profile): boolean =>
  [...numbers].some(
    (other) => other.startsWith(`${number}.`) || number.startsWith(`${other}.`) || isVersionAs(number, other),
  );

/** `3.5.2` and `3.52`. */
const isVersionAs = (one: string, other: string): boolean =>
  one.includes('.') && other.includes('.') && one.replaceAll('.', '') === other.replaceAll('.', '');
