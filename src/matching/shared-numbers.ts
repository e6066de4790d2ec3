import { CHIPSET, PROPERTY_CODE } from '../text/vocabulary.js';
import { shareAny } from './cheap-features.js';
import { isExtended, MIN_LONG } from './codes.js';
import type { Profile } from './profile.js';

/** The minimum length of a model number that identifies a product. */
const MIN_IDENTIFYING = 6;

/**
 * Whether two listings share a model number. The number of a processor, graphics chip or chipset is that of a part, so it does
 * not count.
 */
export function shareModelNumber(a: Profile, b: Profile): boolean {
  const isOfChip = chipNumberIn(a);
  const isIdentifying = (code: string) =>
    code.length >= MIN_IDENTIFYING && /\p{L}/u.test(code) && !isOfChip(code);
  return [...a.codes].some((code) => isIdentifying(code) && (b.forms.has(code) || b.codes.has(code)));
}

function chipNumberIn({ chips }: Profile): (code: string) => boolean {
  const numbers = [...chips.values()].flat().map(({ number }) => number.replace(' ', ''));
  return (code) => CHIPSET.test(code) || numbers.some((number) => code.startsWith(number));
}

/**
 * Whether two listings share a GTIN or a model number that is stated as one. The model number of a product that one of
 * them goes with does not count, because shops state it for accessories too.
 */
export const shareIdentifier = (a: Profile, b: Profile): boolean =>
  shareAny(a.gtins, b.gtins) ||
  [...a.statedModels].some(
    (model) => b.statedModels.has(model) && !a.target.has(model) && !b.target.has(model),
  );

/** Whether two listings share an identifier, or a model number of their own in their names, which one of them may extend. */
export const shareProductNumber = (a: Profile, b: Profile): boolean =>
  shareIdentifier(a, b) || shareNumber(a, b, (code) => code.length >= MIN_LONG && /\p{L}/u.test(code));

/** The minimum length of a model number with letters, such as "C920". */
const MIN_SHORT = 4;

/**
 * Whether two listings share an identifier or any model number, also a short one, such as "C920", or one of many digits. A
 * short number in the name of an accessory is mostly that of the product that it goes with, such as "S10e", and few digits may
 * be a quantity, such as "20000", so these do not count.
 */
export function shareAnyModel(a: Profile, b: Profile): boolean {
  const minLength = a.accessories.size + b.accessories.size > 0 ? MIN_LONG : MIN_SHORT;
  const isModel = (code: string) =>
    code.length >= (/\p{L}/u.test(code) ? minLength : MIN_IDENTIFYING) && !PROPERTY_CODE.test(code);
  return shareIdentifier(a, b) || shareNumber(a, b, isModel);
}

const shareNumber = (a: Profile, b: Profile, isNumber: (code: string) => boolean): boolean =>
  hasNumberOf(a, b, isNumber) || hasNumberOf(b, a, isNumber);

function hasNumberOf(one: Profile, other: Profile, isNumber: (code: string) => boolean): boolean {
  const isOfChip = chipNumberIn(one);
  return [...one.codes].some(
    (code) =>
      isNumber(code) &&
      !isOfChip(code) &&
      !one.target.has(code) &&
      [...other.codes, ...other.forms].some(
        (form) => (form === code || isExtended(code, form)) && !other.target.has(form),
      ),
  );
}
