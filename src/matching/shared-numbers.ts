import { CHIPSET, PROPERTY_CODE } from '../text/vocabulary.js';
import { shareAny } from './cheap-features.js';
import type { Profile } from './profile.js';

type CodeTest = (code: string) => boolean;

/** The minimum lengths of model numbers, the more certain to identify a product the longer. The shortest must have a letter. */
const MIN_SHORT = 4;
export const MIN_LONG = 5;
const MIN_IDENTIFYING = 6;

/** Whether a name or its metadata contains a code in any notation. */
export const hasCode = ({ forms, codes }: Profile, code: string): boolean =>
  forms.has(code) || codes.has(code);

/** Whether the second listing has a code of the first one that passes a test. */
export const hasCodeOf = (one: Profile, other: Profile, counts: CodeTest): boolean =>
  [...one.codes].some((code) => counts(code) && hasCode(other, code));

/** Whether one of two listings has a code of the other one that passes a test. */
export const shareCode = (a: Profile, b: Profile, counts: CodeTest): boolean =>
  hasCodeOf(a, b, counts) || hasCodeOf(b, a, counts);

/** Whether two listings share a long code that neither of them states for a product that it goes with. */
export const shareOwnCode = (a: Profile, b: Profile): boolean =>
  shareCode(a, b, (code) => code.length >= MIN_LONG && !a.target.has(code) && !b.target.has(code));

/** Whether the second code is the first one with further characters. */
const isExtended = (short: string, long: string): boolean =>
  short.length >= MIN_LONG && /\d/.test(short) && long.startsWith(short);

/** Whether two listings share a model number of one product, and of no series, alone or as the beginning of a longer one. */
export function shareCodeOfOne(a: Profile, b: Profile, isOfSeries: CodeTest): boolean {
  const extend = (one: Profile, other: Profile) =>
    [...one.codes].some(
      (code) =>
        !hasCode(other, code) &&
        [...other.codes, ...other.forms].some((form) => isExtended(code, form) || isExtended(form, code)),
    );
  return shareCode(a, b, (code) => !isOfSeries(code)) || extend(a, b) || extend(b, a);
}

/** Whether two listings share a model number, and not only that of a processor, graphics chip or chipset, which is a part. */
export function shareModelNumber(a: Profile, b: Profile): boolean {
  const isOfChip = chipNumberIn(a);
  return hasCodeOf(a, b, (code) => code.length >= MIN_IDENTIFYING && /\p{L}/u.test(code) && !isOfChip(code));
}

function chipNumberIn({ chips }: Profile): CodeTest {
  const numbers = [...chips.values()].flat().map(({ number }) => number.replace(' ', ''));
  return (code) => CHIPSET.test(code) || numbers.some((number) => code.startsWith(number));
}

/** Whether two listings share a GTIN or a stated model number, and not that of a product that one of them goes with. */
export const shareIdentifier = (a: Profile, b: Profile): boolean =>
  shareAny(a.gtins, b.gtins) ||
  [...a.statedModels].some(
    (model) => b.statedModels.has(model) && !a.target.has(model) && !b.target.has(model),
  );

/** Whether two listings share an identifier, or a model number of their own in their names, which one of them may extend. */
export const shareProductNumber = (a: Profile, b: Profile): boolean =>
  shareIdentifier(a, b) || shareNumber(a, b, (code) => code.length >= MIN_LONG && /\p{L}/u.test(code));

/**
 * Whether two listings share an identifier or any model number, also a short one, such as "C920". Short numbers in names of
 * accessories, such as "S10e", do not count, because they are mostly those of what the accessory goes with; nor do short numbers
 * without letters, such as "20000", because they may be quantities.
 */
export function shareAnyModel(a: Profile, b: Profile): boolean {
  const minLength = a.accessories.size + b.accessories.size > 0 ? MIN_LONG : MIN_SHORT;
  const isModel = (code: string) =>
    code.length >= (/\p{L}/u.test(code) ? minLength : MIN_IDENTIFYING) && !PROPERTY_CODE.test(code);
  return shareIdentifier(a, b) || shareNumber(a, b, isModel);
}

function shareNumber(a: Profile, b: Profile, isNumber: CodeTest): boolean {
  const extend = (one: Profile, other: Profile) => {
    const isOfChip = chipNumberIn(one);
    const own = [...one.codes].filter((code) => isNumber(code) && !isOfChip(code) && !one.target.has(code));
    const isOfOwn = (form: string) => own.some((code) => form === code || isExtended(code, form));
    return [...other.codes, ...other.forms].some((form) => isOfOwn(form) && !other.target.has(form));
  };
  return extend(a, b) || extend(b, a);
}
