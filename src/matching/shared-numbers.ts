import { isExtended, MIN_LONG } from './codes.js';
import type { Profile } from './profile.js';

/** The minimum length, in characters, of a model number that identifies a product. */
const MIN_IDENTIFYING = 6;

/** Whether two listings share a model number. The number of a processor or graphics chip is that of a part, so it does not count. */
export function shareModelNumber(a: Profile, b: Profile): boolean {
  const isOfChip = chipNumberIn(a);
  const isIdentifying = (code: string) =>
    code.length >= MIN_IDENTIFYING && /\p{L}/u.test(code) && !isOfChip(code);
  return [...a.codes].some((code) => isIdentifying(code) && (b.forms.has(code) || b.codes.has(code)));
}

function chipNumberIn({ chips }: Profile): (code: string) => boolean {
  const numbers = [...chips.values()].flat().map(({ number }) => number.replace(' ', ''));
  return (code) => numbers.some((number) => code.startsWith(number));
}

/**
 * Whether two listings share a GTIN or a model number that is stated as one. The model number of a product that one of
 * them goes with does not count, because shops state it for accessories too.
 */
export const shareIdentifier = (a: Profile, b: Profile): boolean =>
  [...a.gtins].some((gtin) => b.gtins.has(gtin)) ||
  [...a.statedModels].some(
    (model) => b.statedModels.has(model) && !a.target.has(model) && !b.target.has(model),
  );

/** Whether two listings share an identifier, or a model number of their own in their names, which one of them may extend. */
export const shareProductNumber = (a: Profile, b: Profile): boolean =>
  shareIdentifier(a, b) || hasNumberOf(a, b) || hasNumberOf(b, a);

function hasNumberOf(one: Profile, other: Profile): boolean {
  const isOfChip = chipNumberIn(one);
  return [...one.codes].some(
    (code) =>
      /\p{L}/u.test(code) &&
      !isOfChip(code) &&
      !one.target.has(code) &&
      [...other.codes, ...other.forms].some(
        (form) =>
          (form === code ? code.length >= MIN_LONG : isExtended(code, form)) && !other.target.has(form),
      ),
  );
}
