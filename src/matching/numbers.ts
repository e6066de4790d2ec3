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
  /** 1: two of these follow the same word, as in `iphone 13` and `iphone 14`. */
  line: 0 | 1;
  /** 1: two of these count the same thing, as in `2-slice` and `4-slice`. */
  unit: 0 | 1;
}

export function compareNumbers(a: Profile, b: Profile): NumberComparison {
  const leftA = [...a.numbers].filter((number) => !hasNumber(number, b));
  const leftB = [...b.numbers].filter((number) => !hasNumber(number, a));
  const farA = leftA.filter((number) => !isNear(number, b));
  const farB = leftB.filter((number) => !isNear(number, a));
  return {
    shared: [...a.numbers].filter((number) => b.numbers.has(number)).length,
    unshared: leftA.length + leftB.length,
    close: farA.length < leftA.length || farB.length < leftB.length ? 1 : 0,
    conflict: farA.length > 0 && farB.length > 0 ? 1 : 0,
    line: differAfter(a, b) ? 1 : 0,
    unit: farA.some((number) => farB.some((other) => sharesWord(a.counted.get(number), b.counted.get(other))))
      ? 1
      : 0,
  };
}

/** A longer number may be a part of what the other writes as one: `9602` of `HSL9602`. */
const LONG = 3;
export const hasNumber = (number: string, { numbers, forms }: Profile): boolean =>
  numbers.has(number) || (number.length >= LONG && forms.has(number));

const isNear = (number: string, { numbers }: Profile): boolean =>
  [...numbers].some((other) => areNear(number, other));

/** `7` and `7.0.2`, `3.5.2` and `3.52`. */
export const areNear = (one: string, other: string): boolean =>
  other.startsWith(`${one}.`) || one.startsWith(`${other}.`) || isVersionAs(one, other);

/** `3.5.2` and `3.52`. */
const isVersionAs = (one: string, other: string): boolean =>
  one.includes('.') && other.includes('.') && one.replaceAll('.', '') === other.replaceAll('.', '');

const sharesWord = (
  ofOne: ReadonlySet<string> | undefined,
  ofOther: ReadonlySet<string> | undefined,
): boolean => ofOne !== undefined && ofOther !== undefined && [...ofOne].some((word) => ofOther.has(word));

/** Whether a word is followed by one number here and by another one there. */
function differAfter(a: Profile, b: Profile): boolean {
  for (const [word, numbers] of a.lines) {
    const others = b.lines.get(word);
    if (others === undefined) continue;
    const isIn = (number: string, all: ReadonlySet<string>) =>
      all.has(number) || [...all].some((other) => areNear(number, other) || isWithin(number, other));
    if (![...numbers].some((number) => isIn(number, others))) return true;
  }
  return false;
}

/** `s9` and `s9plus`, `77d` and `eos77d`: the same model with more around it. */
const isWithin = (one: string, other: string): boolean =>
  /\p{L}/u.test(one + other) && (one.includes(other) || other.includes(one));
