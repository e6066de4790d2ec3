import { memoize } from '../text/memoize.js';
import { CHIPSET, PROPERTY_CODE } from '../text/vocabulary.js';
import { shareAny } from './cheap-features.js';
import type { Profile } from './profile.js';

type CodeTest = (code: string) => boolean;

/** The minimum lengths of model numbers, the more certain to identify a product the longer. The shortest must have a letter. */
const MIN_SHORT = 4;
const MIN_LONG = 5;
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

/** How the codes (model and part numbers) of two listings relate: for each relation, the weight of its strongest code, 0 to 1. */
export type CodeComparison = ReturnType<typeof compareCodes>;

const MIN_STEM = 4;
const MAX_SUFFIX = 4;
/** Beside at most this number of other codes, a code still has its full weight, because shops add codes of their own. */
const FEW_CODES = 3;
/** The maximum length of a code that may consist of words of a name, such as `eos40d28135`. */
const MAX_COMPOSED = 24;

/** Matches the name of a product family with a number, such as `orbit5`, which shops state as a model. */
const LINE = /^\p{L}{4,}\d{1,2}$/u;

/** The weight of a code by its form. A short code (PS3, CS3) or the name of a family names a line, a long code one product. */
function strength(code: string): number {
  if (LINE.test(code)) return 0.6;
  if (code.length >= MIN_LONG) return 1;
  return code.length === 4 ? 0.6 : 0.25;
}

type Relation = 'exact' | 'prefix' | 'sibling' | 'described' | 'akin';

/** Compares the codes of two listings. Each code counts for its strongest relation; codes without a relation conflict. */
export function compareCodes(a: Profile, b: Profile, codeWeight: (code: string) => number) {
  const found: Record<Relation, number> = {
    /** Both listings have the code, in any notation. */
    exact: 0,
    /** The code is the other listing's with a suffix of letters, which stands for a colour or a market. */
    prefix: 0,
    /** Two codes have the same beginning and different suffixes, which often stand for two colours of one model. */
    sibling: 0,
    /** A code in one name occurs in the description of the other listing. */
    described: 0,
    /** Two codes are one in different notation: a barcode with the item number, a typo, or words of the other name joined. */
    akin: 0,
  };
  const shared: string[] = [];
  const neighbours: string[] = [];
  const left = (of: Profile, other: Profile) =>
    [...of.codes].filter((code) => {
      const relation = relationTo(code, other);
      if (relation === 'exact') shared.push(code);
      else if (relation !== null) found[relation] = Math.max(found[relation], strength(code));
      if (isNeighbour(code, textsBeside(relation, other))) neighbours.push(code);
      return relation === null && !isPartOfShared(code, of, other);
    });
  const leftA = left(a, b);
  const leftB = left(b, a);
  for (const code of shared)
    if (!isBeginningOf(code, neighbours))
      found.exact = Math.max(found.exact, strength(code) * codeWeight(code));
  for (const one of [...leftA]) {
    const other = leftB.find((code) => isMisspelt(one, code) || isMisspelt(code, one) || isInside(one, code));
    if (other === undefined) continue;
    found.akin = 1;
    leftA.splice(leftA.indexOf(one), 1);
    leftB.splice(leftB.indexOf(other), 1);
  }
  const ofSeries = leftA.filter((one) =>
    leftB.some((other) => sameSeries(one, other) || haveSameForm(one, other)),
  );
  return {
    ...found,
    /** The codes that only one of the listings has; 0 unless both listings have such codes. */
    conflict: Math.min(heaviest(leftA), heaviest(leftB)),
    /** Two different codes have the same letters and different digits, or letters and digits at the same positions. */
    series: heaviest(ofSeries),
    /** Two codes of equal length differ in one character, like neighbouring models of a series. */
    neighbour: neighbours.length > 0 ? 1 : 0,
    own: shareOwnCode(a, b) ? 1 : 0,
  };
}

const heaviest = (codes: readonly string[]): number =>
  codes.reduce((most, code) => Math.max(most, strength(code)), 0);

function relationTo(code: string, other: Profile): Relation | null {
  if (hasCode(other, code)) return 'exact';
  if (code.length < MIN_STEM) return other.described().codes.has(code) ? 'described' : null;
  let best: Relation | null = null;
  for (const forms of [other.codes, other.forms]) {
    for (const form of forms) {
      if (form.charCodeAt(0) !== code.charCodeAt(0) || form.length < MIN_STEM) continue;
      const relation = byStem(code, form);
      if (relation === 'prefix') return relation;
      best ??= relation;
    }
  }
  if (best !== null) return best;
  if (other.described().codes.has(code)) return 'described';
  return isComposed(code, other) ? 'akin' : null;
}

/** How two codes that begin alike relate. The common beginning must contain a digit and must not end within a number. */
function byStem(one: string, other: string): Relation | null {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  const stem = one.slice(0, length);
  const rests = [one.slice(length), other.slice(length)];
  if (length < MIN_STEM || !/\d/.test(stem)) return null;
  const otherNumber = /\d$/.test(stem) || !rests.includes('');
  if (otherNumber && rests.some((rest) => /^\d/.test(rest))) return null;
  if (rests.includes('') && !rests.some((rest) => /\d/.test(rest))) return 'prefix';
  return rests.every((rest) => rest.length <= MAX_SUFFIX) ? 'sibling' : null;
}

/** Whether the other listing writes this code and the words next to it as one longer code. */
const isPartOfShared = (code: string, of: Profile, other: Profile): boolean =>
  of.joins.some(
    ({ text, start, end }) =>
      text.length > code.length &&
      other.codes.has(text) &&
      of.words.slice(start, end + 1).some((word) => word.text === code),
  );

/**
 * The texts of the other listing with which a code is compared to find a neighbouring model. If the code is the beginning of one
 * of its codes, as `vj470` is of `vj470w`, these are only codes, because names often contain both ("VJ470 Projector VJ470W").
 */
function textsBeside(relation: Relation | null, { codes, forms }: Profile): readonly ReadonlySet<string>[] {
  if (relation === null || relation === 'sibling') return [codes, forms];
  return relation === 'prefix' ? [codes] : [];
}

/** Whether a code differs from a text of equal length in exactly one character, and shares at least one digit with it. */
function isNeighbour(code: string, texts: readonly ReadonlySet<string>[]): boolean {
  if (code.length < MIN_LONG || !/\p{L}/u.test(code)) return false;
  for (const some of texts) {
    for (const text of some) {
      if (text.length !== code.length || !/\d/.test(text) || !/\p{L}/u.test(text)) continue;
      let at = 0;
      while (code[at] === text[at]) at += 1;
      if (code.slice(at + 1) !== text.slice(at + 1)) continue;
      const areDigits = /\d/.test(code[at] ?? '') && /\d/.test(text[at] ?? '');
      if (areDigits || /\d/.test(code.slice(0, at) + code.slice(at + 1))) return true;
    }
  }
  return false;
}

/** Whether a common code is only the beginning of codes that differ in their last character: `vj470` of `vj470p` and `vj470w`. */
const isBeginningOf = (code: string, neighbours: readonly string[]): boolean =>
  neighbours.some((one) => one.length === code.length + 1 && one.startsWith(code));

/** Whether two codes have the same letters before different digits, as in `kdl46xbr6` and `kdl52xbr6`. */
function sameSeries(one: string, other: string): boolean {
  const letters = /^\p{L}{2,}(?=\d)/u.exec(one)?.[0];
  const isOne = letters !== undefined && letters === /^\p{L}{2,}(?=\d)/u.exec(other)?.[0];
  return isOne && one.replace(/\D/g, '') !== other.replace(/\D/g, '');
}

/** A part number has at least this number of characters, and of digits. */
const MIN_PART_NUMBER = 7;
const MIN_DIGITS = 3;

/** Whether two codes are part numbers that have letters and digits at the same positions. */
const haveSameForm = (one: string, other: string): boolean =>
  one.length >= MIN_PART_NUMBER &&
  one.length === other.length &&
  formOf(one) === formOf(other) &&
  one.replace(/\D/g, '').length >= MIN_DIGITS;

const formOf = (code: string): string => code.replace(/\p{L}/gu, 'a').replace(/\d/g, '9');

/** Whether one code is a barcode that contains the other, an item number: `743840830153` contains `83015`. */
const isInside = (one: string, other: string): boolean => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return /^\d{5,8}$/.test(short) && /^\d{11,14}$/.test(long) && long.includes(short);
};

/** Whether the longer code is the shorter one with another letter or a doubled character. Another digit makes another model. */
function isMisspelt(short: string, long: string): boolean {
  if (short.length < MIN_LONG || long.length !== short.length + 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.slice(at) !== long.slice(at + 1)) return false;
  return !/\d/.test(long[at] ?? '') || long[at] === long[at - 1];
}

/** Whether a code consists of words of the other name without blanks: `eos40d28135` for "EOS 40D 28-135". */
function isComposed(code: string, { forms }: Profile): boolean {
  if (code.length < MIN_LONG || code.length > MAX_COMPOSED) return false;
  const reached = [true];
  for (let end = 2; end <= code.length; end += 1) {
    for (let start = 0; start <= end - 2 && !reached[end]; start += 1) {
      if (reached[start] && forms.has(code.slice(start, end))) reached[end] = true;
    }
  }
  return reached[code.length] === true;
}

const MEMOIZED_CODES = 1_024;

/** Weighs codes, 0 to 1. A code that occurs next to several others names a series or a standard, and weighs less. */
export function codeWeight(profiles: readonly Profile[]): (code: string) => number {
  return memoize(MEMOIZED_CODES, (code) => {
    const others = new Set<string>();
    for (const { codes } of profiles) {
      if (!codes.has(code)) continue;
      for (const other of codes) if (other.length >= MIN_LONG && other !== code) others.add(other);
    }
    return others.size <= FEW_CODES ? 1 : FEW_CODES / others.size;
  });
}
