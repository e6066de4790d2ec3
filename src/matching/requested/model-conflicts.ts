import { foldProse } from '../../text/fold.js';
import { isTier, VARIANTS } from '../../text/vocabulary.js';
import { tiersAfter } from '../number-context.js';
import { hasNumber, isMoreExact } from '../numbers.js';
import type { Profile } from '../profile.js';
import { type CandidateListing, isJoined, isPresent } from './candidate-listing.js';

/**
 * Whether the number or model number of the request has another tier word behind it in the listing: `13
 * pro` for `13`.
 */
export function hasOtherTier({ query, profile }: CandidateListing): boolean {
  const ofListing = tiersByNumber(profile);
  const lacks = (tier: string, { forms }: Profile) =>
    tier !== '' && tier.split(' ').some((word) => !forms.has(word));
  return [...tiersByNumber(query)].some(([number, tier]) => {
    const other = ofListing.get(number);
    return other !== undefined && (lacks(other, query) || lacks(tier, profile));
  });
}

/** Whether the listing lacks a tier word that the request contains, such as the XL of "Pixel XL". */
export const lacksTier = ({ query: { words }, profile: { forms } }: CandidateListing): boolean =>
  words.some(({ text }, at) => isTier(text, words[at + 1]?.text) && !forms.has(text));

/**
 * For each number and model number of a name, the tier words behind it: `{tarn5: 'max pro', 5: 'max
 * pro'}`.
 */
function tiersByNumber({ words, joins }: Profile): Map<string, string> {
  const tiers = new Map<string, string>();
  for (const { text, end } of joins) if (/\d$/.test(text)) tiers.set(text, tiersAfter(words, end));
  words.forEach(({ text, kind }, index) => {
    if (kind !== 'word' && !tiers.get(text)) tiers.set(text, tiersAfter(words, index));
  });
  return tiers;
}

/** Matches a number with a letter that names a model, such as `6s`, but not `5g` or `4k`. */
const LINE_CODE = /^\d{1,2}(?![gkd]$)\p{L}$/u;

/**
 * Matches the word and number of a product line, such as `iphone13`. The number must be short, because a
 * longer number behind a word is not that of a line.
 */
const LINE_NUMBER = /^\p{Script=Latin}+\d{1,3}$/u;

/**
 * Whether the listing is of another product line than the request: it has the requested number behind
 * another word (`Glide 6` for `Rally 6`), or another number behind the requested word (`Rally 7`).
 */
export function isOfOtherLine(candidate: CandidateListing): boolean {
  const { query, profile } = candidate;
  return query.words.some(({ kind, text }, index) => {
    const line = query.words[index - 1];
    if (kind !== 'number' || line?.kind !== 'word') return false;
    const isLine = LINE_NUMBER.test(`${line.text}${text}`);
    if (isLine && profile.numbers.has(text) && !isPresent(line, candidate)) return true;
    const after = profile.words.flatMap((word, at) =>
      word.text === line.text ? [profile.words[at + 1]] : [],
    );
    return (
      after.some((word) => word?.kind === 'number' || LINE_CODE.test(word?.text ?? '')) &&
      !after.some((word) => word?.text === text) &&
      !profile.forms.has(line.text + text)
    );
  });
}

/**
 * Whether the listing has a model number that differs from the requested one only in a number: `hk220m4` for
 * `hk220m5`, `us10` for `us8`.
 */
export function isOfSameSeries({ query, profile, stated }: CandidateListing): boolean {
  const numbered = query.words.flatMap(({ text, kind }, at) => {
    const before = query.words[at - 1];
    return kind === 'number' && before?.kind === 'word' ? [before.text + text] : [];
  });
  const codes = [...query.codes, ...numbered].filter((code) => /\p{L}/u.test(code));
  if (codes.length === 0) return false;
  const forms = new Set([...profile.forms, ...stated.naming.forms]);
  const seriesOf = (form: string): string => form.replace(/\d+/g, '#');
  const series = new Set([...forms].filter((form) => /\d/.test(form)).map(seriesOf));
  return codes.some((code) => !forms.has(code) && series.has(seriesOf(code)));
}

/**
 * Whether the request and the listing each have a number (a version, year or generation) to which the
 * other has nothing close.
 */
export function hasOtherNumber({ query, profile }: CandidateListing): boolean {
  const missing = (of: Profile, other: Profile) => [...of.numbers].filter((one) => !hasNumber(one, other));
  const [ofQuery, ofListing] = [missing(query, profile), missing(profile, query)];
  const hasFar = (some: string[], others: string[]) =>
    some.some((one) => !others.some((other) => isMoreExact(one, other) || isMoreExact(other, one)));
  return hasFar(ofQuery, ofListing) && hasFar(ofListing, ofQuery);
}

/** The minimum length, in characters, of a code that names one product. */
export const MIN_CODE = 4;
const isLongCode = (code: string): boolean => code.length >= MIN_CODE;
export const hasLongCode = ({ codes }: Profile): boolean => [...codes].some(isLongCode);

/** Whether the listing has model numbers, but none of those that the request contains. */
export const hasOtherCode = (candidate: CandidateListing): boolean =>
  hasLongCode(candidate.query) &&
  hasLongCode(candidate.profile) &&
  candidate.features.codeExact === 0 &&
  codeAgreement(candidate) === 'missing';

/** Whether two listings share a GTIN or a model number. */
export function shareIdentifier(a: Profile, b: Profile): boolean {
  const shares = (one: Profile, other: Profile) =>
    [...one.codes].some((code) => isLongCode(code) && (other.forms.has(code) || other.codes.has(code)));
  return shares(a, b) || shares(b, a) || [...a.gtins].some((gtin) => b.gtins.has(gtin));
}

export const isOfOtherBrand = ({ brands, profile, query }: CandidateListing): boolean =>
  brands.size > 0 &&
  profile.maker.length > 0 &&
  !profile.maker.some((word) => query.forms.has(word) || brands.has(word));

/**
 * Whether neither the request nor the listing states a brand, and the listing lacks the first word of
 * the request, which is then taken for the brand. A shared model number outweighs that.
 */
export function lacksUnstatedBrand(candidate: CandidateListing): boolean {
  const { query, profile, brands, features } = candidate;
  const [first] = query.words;
  if (first?.kind !== 'word' || brands.size + profile.maker.length > 0 || features.codeExact === 1)
    return false;
  return !isPresent(first, candidate);
}

/**
 * Whether the listing has every model number of the request: `exact`, `near` if it has one only with
 * additional letters, or `missing`.
 */
export function codeAgreement(candidate: CandidateListing): 'exact' | 'near' | 'missing' {
  const { query, profile, stated, listing } = candidate;
  let worst: 'exact' | 'near' = 'exact';
  for (const [index, { text, kind }] of query.words.entries()) {
    if (kind !== 'code') continue;
    const known = [profile.forms, profile.codes, profile.statedModels];
    if (known.some((set) => set.has(text)) || listing.internal.identifiers.includes(text)) continue;
    if (isJoined(index, candidate) || endsCode(text, profile)) continue;
    if (stated.mentions(text) && stated.own.forms.has(text)) continue;
    if (![...profile.codes, ...profile.forms].some((form) => addsLetters(text, form))) return 'missing';
    worst = 'near';
  }
  return worst;
}

const MAX_ADDED_LETTERS = 4;

/**
 * Whether a text is the code with a suffix that does not make it another model: `wh1000xm5b` is
 * `wh1000xm5` in black, but `rtx4070ti` is not `rtx4070`. One more letter behind a letter makes another
 * model: `i914900ks` is not `i914900k`.
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

/**
 * Whether the listing has a longer code that ends with this code, behind a digit: `wh1000xm5` for `xm5`.
 */
const endsCode = (code: string, { codes }: Profile): boolean =>
  /^\p{L}/u.test(code) &&
  [...codes].some((one) => one.endsWith(code) && /\d$/.test(one.slice(0, -code.length)));

/** Whether the listing has every number of the request. */
export const hasNumbers = (candidate: CandidateListing): boolean =>
  candidate.query.words.every(
    ({ text, kind }, index) => kind !== 'number' || hasRequestedNumber(text, index, candidate),
  );

/**
 * The minimum length, in digits, of a number that may be part of a word in the listing, such as `9602`
 * in `HSL9602`.
 */
const MIN_PART_LENGTH = 3;

function hasRequestedNumber(number: string, index: number, candidate: CandidateListing): boolean {
  const { profile, stated, listing } = candidate;
  const isLong = number.length >= MIN_PART_LENGTH;
  if (profile.numbers.has(number) || isJoined(index, candidate)) return true;
  if (isLong && profile.forms.has(number)) return true;
  if (isSizeIn(number, listing.name)) return true;
  if (isLong && !stated.mentions(number)) return false;
  return stated.naming.numbers.has(number) || (isLong && stated.own.forms.has(number));
}

const SIZE_UNITS = `"|''|inch|in\\b|[gt]b\\b`;
const LONG_SIZE_UNITS = `|mhz\\b|mt/s|mah\\b|dpi\\b|btu\\b`;

/**
 * Whether a name contains the number with a unit that shoppers leave out: `43` for 43 inches, `128` for
 * 128 GB, `6000` for 6000 MHz.
 */
export const isSizeIn = (number: string, name: string): boolean =>
  number.length > 1 &&
  new RegExp(
    `(?<![\\d.])${number.replace('.', '\\.')}[\\s-]?(?:${SIZE_UNITS}${number.length > MIN_PART_LENGTH ? LONG_SIZE_UNITS : ''})`,
  ).test(foldProse(name));
