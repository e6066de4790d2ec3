import { foldProse } from '../../text/fold.js';
import { memoize } from '../../text/memoize.js';
import type { Token } from '../../text/tokenize.js';
import { isTier, VARIANTS } from '../../text/vocabulary.js';
import { haveOtherChips } from '../chips.js';
import { hasSpecifications, isInHead } from '../head-comparison.js';
import { NOT_A_LINE_NUMBER, tiersAfter } from '../number-context.js';
import { areNear, hasNumber, MIN_PART_LENGTH } from '../numbers.js';
import type { Profile } from '../profile.js';
import { type CandidateListing, hasForm } from './candidate-listing.js';
import { INCHES, isSizeIn } from './size-conflicts.js';

/** Matches the number that tells models of a line apart, such as the 5 of "Nitro 5". */
const LINE_NUMBER = /^\d{1,2}$/;

/** A letter that can name a variant; a single "w" stands for "with". */
const SINGLE_LETTER = /^[a-vx-z]$/;

/** Matches a short model number, such as `s9` and `510bt`. */
const SHORT_CODE = /^(?:\p{L}{1,2}\d{1,3}|\d{2,3}\p{L}{1,2})$/u;

/** Whether a requested number has another tier, as in `13 pro` for `13`. For graphics chips, only the chip's tier counts. */
export const hasOtherTier = (candidate: CandidateListing): boolean =>
  candidate.query.chips.has('graphics')
    ? haveOtherChips(candidate.query.chips, candidate.profile.chips)
    : otherTiers(candidate).length > 0;

/** Matches a sun protection factor such as `spf50`, also joined with the word before it. Its "+" means "at least" and is no tier. */
const PROTECTION = /spf\d+$/;

/** Whether a number names one product, such as `hv620s` and `wrx80e`, and not a line, such as `buds2` and `iphone13`. */
const isModelNumber = (number: string): boolean =>
  /\p{L}/u.test(number) && /\d{3}|^\p{L}.*\d\p{L}/u.test(number);

/** Whether the listing only adds a tier word to a model number, which shoppers leave out: "HV620S Slim" for "HV620S". */
export const addsTierToCode = (candidate: CandidateListing): boolean => {
  const others = otherTiers(candidate);
  return (
    !candidate.query.chips.has('graphics') &&
    others.length > 0 &&
    others.every(({ number, isLacking }) => isModelNumber(number) && !isLacking)
  );
};

/** The requested numbers with other tier words in the listing; `isLacking`: the listing lacks a requested tier word. */
function otherTiers({ query, profile }: CandidateListing): { number: string; isLacking: boolean }[] {
  const ofListing = tiersByNumber(profile);
  const lacks = (tier: string, { forms }: Profile) =>
    tier !== '' && tier.split(' ').some((word) => !forms.has(word));
  return [...tiersByNumber(query)].flatMap(([number, tier]) => {
    const other = ofListing.get(number);
    if (other === undefined || PROTECTION.test(number)) return [];
    const isLacking = lacks(tier, profile);
    return isLacking || lacks(other, query) ? [{ number, isLacking }] : [];
  });
}

/** Whether the name adds a tier or letter, as in "Switch Lite", to the last word of a request without numbers or categories. */
export function addsVariant({ query, profile: { head, category } }: CandidateListing): boolean {
  const last = query.words.at(-1)?.text;
  if (last === undefined || category.has(last) || query.words.some(({ kind }) => kind !== 'word'))
    return false;
  const added = head.flatMap(({ text }, at) => (text === last ? [at + 1] : []));
  const isVariant = (at: number) =>
    !query.forms.has(head[at]?.text ?? '') &&
    (isTier(head[at]?.text, head[at + 1]?.text) || SINGLE_LETTER.test(head[at]?.text ?? ''));
  return added.length > 0 && added.every(isVariant);
}

/** Whether a listing alone is an edition, such as an upgrade. "Expansion" in its specifications may be a property instead. */
export const addsEdition = (profile: Profile, others: readonly Profile[]): boolean =>
  [...profile.editions].some(
    (edition) =>
      !others.some((other) => other.editions.has(edition)) &&
      !(edition === 'expansion' && hasSpecifications(profile) && !isInHead(edition, profile)),
  );

/** For each number and model number of a name, the tier words after it: `{tarn5: 'max pro', 5: 'max pro'}`. */
function tiersByNumber({ words, joins }: Profile): Map<string, string> {
  const tiers = new Map<string, string>();
  for (const { text, end } of joins) if (/\d$/.test(text)) tiers.set(text, tiersAfter(words, end));
  words.forEach(({ text, kind }, index) => {
    if (kind !== 'word' && !tiers.get(text)) tiers.set(text, tiersAfter(words, index));
  });
  return tiers;
}

/** The minimum length, in characters, of a code that names one product. */
export const MIN_CODE = 4;
export const isLongCode = (code: string): boolean => code.length >= MIN_CODE;
export const hasLongCode = ({ codes }: Profile): boolean => [...codes].some(isLongCode);

export const isOfOtherBrand = ({ brands, profile, query }: CandidateListing): boolean =>
  brands.size > 0 &&
  profile.maker.length > 0 &&
  !profile.maker.some((word) => query.forms.has(word) || brands.has(word));

/** Whether the listing has every model number of the request, possibly with additional letters at its end. */
export const hasCodes = (candidate: CandidateListing): boolean => missingOf('code', candidate).length === 0;

function hasCode(code: string, candidate: CandidateListing): boolean {
  const { profile, stated, listing } = candidate;
  if (longerCode(code, candidate) !== null) return true;
  if (isPartOfOtherCode(code, candidate)) return false;
  return (
    hasForm(profile, code) ||
    [profile.codes, profile.statedModels].some((set) => set.has(code)) ||
    listing.internal.identifiers.includes(code) ||
    endsCode(code, profile) ||
    profile.words.some((word) => addsPart(code, word)) ||
    (stated.mentions(code) && stated.own().forms.has(code)) ||
    [...profile.codes, ...profile.forms].some((form) => addsLetters(code, form))
  );
}

/** The minimum length, in characters, of a part of a model number that may stand for the whole number. */
const MIN_PART_OF_CODE = 5;

/**
 * The model number in the name of which the code is a part, or null: without what precedes its first hyphen (`H110M-S2PH` of
 * `GA-H110M-S2PH`), a long end (`LS24A400` of `LS24A400UJUXEN`), or the last dimension.
 */
function longerCode(code: string, { listing }: CandidateListing): string | null {
  if (code.length < MIN_PART_OF_CODE || !/\p{L}/u.test(code)) return null;
  const found = longerPattern(code).exec(foldProse(listing.name));
  const isLonger = found !== null && (found[1] ?? found[2]) !== undefined;
  return isLonger ? found[0].replaceAll('-', '') : null;
}

const LONG_END = `(?:-?[\\p{L}\\d]){${MIN_PART_OF_CODE},}|-(?=\\p{L}*\\d)[\\p{L}\\d]{4}|x\\d+`;
const MEMOIZED_CODES = 256;

const longerPattern = memoize(
  MEMOIZED_CODES,
  (code) =>
    new RegExp(
      `(?<![\\p{L}\\d-])(\\p{L}{2,4}-)?${[...code].join('-?')}(?!\\d)(${LONG_END})?(?![\\p{L}\\d])`,
      'u',
    ),
);

/** The model numbers of the listing of which the request states only a part. */
export const longerCodes = (candidate: CandidateListing): string[] =>
  candidate.query.words.flatMap(({ text, kind }) => {
    const isWhole = kind !== 'code' || candidate.profile.words.some((word) => word.text === text);
    return isWhole ? [] : (longerCode(text, candidate) ?? []);
  });

/** Whether the code only occurs in a longer one in which another number follows it: `sg105` in `TL-SG105-M2`, but not `x9` in `X9-8K`. */
function isPartOfOtherCode(code: string, { query, profile: { words } }: CandidateListing): boolean {
  const isFollowed = ({ pieces }: Token) => {
    const next = pieces[pieces.indexOf(code) + 1] ?? '';
    return (
      pieces.includes(code) && /\d/.test(next) && !NOT_A_LINE_NUMBER.test(next) && !query.forms.has(next)
    );
  };
  return words.some(isFollowed) && !words.some(({ text }) => text === code);
}

const MAX_ADDED_LETTERS = 4;

/**
 * Whether a text is the code with a suffix that does not make it another model: `wh1000xm5b` is `wh1000xm5` in black,
 * but `rtx4070ti` is not `rtx4070`. One more letter after a letter makes another model: `i914900ks` is not `i914900k`.
 */
function addsLetters(code: string, form: string): boolean {
  const suffix = form.slice(code.length);
  const least = /\d$/.test(code) ? 1 : 2;
  return (
    isLongCode(code) &&
    form.startsWith(code) &&
    new RegExp(`^\\p{L}{${least},${MAX_ADDED_LETTERS}}$`, 'u').test(suffix) &&
    !VARIANTS.has(suffix)
  );
}

/** Whether a word is the code with one more letter after a hyphen, as shops add it for a region: `DES-F1018P-E`. */
const addsPart = (code: string, { text, pieces }: Token): boolean =>
  isLongCode(code) &&
  text.length === code.length + 1 &&
  text.startsWith(code) &&
  /\p{L}$/u.test(text) &&
  pieces.includes(text.slice(-1));

/** Whether the listing has a longer code that ends with this code, after a digit: `wh1000xm5` for `xm5`. */
const endsCode = (code: string, { codes }: Profile): boolean =>
  /^\p{L}/u.test(code) &&
  [...codes].some((one) => one.endsWith(code) && /\d$/.test(one.slice(0, -code.length)));

/** Whether the listing has every number of the request. */
export const hasNumbers = (candidate: CandidateListing): boolean =>
  missingOf('number', candidate).length === 0;

/** The numbers, or the model numbers, of the request that the listing does not have. */
export const missingOf = (wanted: 'code' | 'number', candidate: CandidateListing): Token[] =>
  candidate.query.words.filter(
    ({ text, kind }, at) =>
      kind === wanted && !(kind === 'code' ? hasCode(text, candidate) : hasNumberAt(at, candidate)),
  );

function hasNumberAt(at: number, candidate: CandidateListing): boolean {
  const { words } = candidate.query;
  const { text = '' } = words[at] ?? {};
  const before = words[at - 1];
  // In "12 x 80", one number may be the number of pieces, and the other one a size without its unit.
  const { count, values } = candidate.profile.measures;
  const isFactor = before?.text === 'x' || words[at + 1]?.text === 'x';
  if (isFactor && [count, ...[...values.values()].flat()].includes(Number(text))) return true;
  if (before?.kind === 'word' && !text.includes('.') && namesOtherModel(before.text, text, candidate))
    return false;
  return hasRequestedNumber(text, candidate) || followsSameWord(text, before, candidate);
}

/**
 * Whether another number, short code, tier or letter follows the word of the line, so that a size does not stand for the number:
 * "Tarn SE 12GB" is not "Tarn 12". A row such as "Tarn 11/12" states several models, and "OLED C3 55 inch" is "OLED 55".
 */
function namesOtherModel(line: string, number: string, candidate: CandidateListing): boolean {
  const { query, profile, brands, listing } = candidate;
  const words = profile.words.slice(0, profile.words.length - profile.measures.words.length);
  const isStated = profile.numbers.has(number) || isSizeIn(number, listing.name, INCHES);
  const namesModel = (at: number) => {
    const end = words.findIndex(({ kind }, next) => next > at && kind === 'word');
    const row = words.slice(at + 1, end < 0 ? words.length : end).map(({ text }) => text);
    const [first] = row;
    if (first !== undefined)
      return LINE_NUMBER.test(first)
        ? !row.includes(number) && !areNear(first, number)
        : number.length < MIN_PART_LENGTH &&
            SHORT_CODE.test(first) &&
            !NOT_A_LINE_NUMBER.test(first) &&
            !first.endsWith(number) &&
            !isStated;
    const { text = '' } = words[at + 1] ?? {};
    const { text: next = '' } = words[at + 2] ?? {};
    const isSubline = VARIANTS.has(text) && LINE_NUMBER.test(next);
    const isVariant = isSubline || isTier(text, next) || SINGLE_LETTER.test(text);
    return isVariant && !query.forms.has(text) && !profile.numbers.has(number);
  };
  // After the maker alone, a number names a model as well: "Corvane 12" is not the "Corvane Tarn 9 12GB".
  const isOfMaker = brands.has(line) && query.words.length === 2;
  const places = words.flatMap(({ text }, at) =>
    text === line || (isOfMaker && profile.lines.has(text)) ? [namesModel(at)] : [],
  );
  return isOfMaker ? places.some(Boolean) : places.length > 0 && places.every(Boolean);
}

/** Whether the number follows the same word in the name, where its next word may look like a unit: "Evolve 20 MS". */
const followsSameWord = (number: string, before: Token | undefined, { listing }: CandidateListing): boolean =>
  before?.kind === 'word' && ` ${foldProse(listing.name)} `.includes(` ${before.text} ${number} `);

function hasRequestedNumber(number: string, candidate: CandidateListing): boolean {
  const { profile, stated, listing } = candidate;
  if (hasNumber(number, profile) || isSizeIn(number, listing.name)) return true;
  const isLong = number.length >= MIN_PART_LENGTH;
  if (isLong && !stated.mentions(number)) return false;
  return stated.naming().numbers.has(number) || (isLong && stated.own().forms.has(number));
}

/**
 * Whether a short number or a letter after a word of the request is of another line in the listing: it stands only beside other
 * words ("Nitro V Ryzen 5" for "Nitro 5"), or another number follows the word ("Nitro 5" for "Nitro V").
 */
export const isOfOtherLine = (candidate: CandidateListing): boolean =>
  candidate.query.words.some(({ text, kind }, at) => {
    const { query, profile } = candidate;
    const [before, after] = [query.words[at - 1], query.words[at + 1]];
    const isShort = kind === 'number' ? text.length < MIN_PART_LENGTH : SINGLE_LETTER.test(text);
    if (!isShort || before?.kind !== 'word') return false;
    const isStated = kind === 'number' ? hasRequestedNumber(text, candidate) : profile.forms.has(text);
    const numbers = [...(profile.lines.get(before.text) ?? [])];
    // In "Plus v 1.0", the letter stands for "version".
    if (!isStated)
      return numbers.some((one) => LINE_NUMBER.test(one)) && !numbers.includes(after?.text ?? '');
    const lines = [...profile.lines].flatMap(([word, ofWord]) => (ofWord.has(text) ? [word] : []));
    const beside = [...lines, ...(profile.counted.get(text) ?? [])];
    return lines.length > 0 && !beside.some((word) => query.forms.has(word));
  });
