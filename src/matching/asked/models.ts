import { hasNumber } from '../numbers.js';
import type { Profile } from '../profile.js';
import { isTier } from '../../text/vocabulary.js';
import { codesOf, MIN_CODE } from './numbers.js';
import { isPresent, type Reading } from './reading.js';

/** The number or model number that the query names, with another tier after it: `13 pro` for `13`. */
export function hasOtherTier({ query, profile }: Reading): boolean {
  const told = tiersOf(profile);
  const lacks = (tier: string, { forms }: Profile) =>
    tier !== '' && tier.split(' ').some((word) => !forms.has(word));
  return [...tiersOf(query)].some(([number, tier]) => {
    const other = told.get(number);
    return other !== undefined && (lacks(other, query) || lacks(tier, profile));
  });
}

/** A tier that the query names anywhere, as the XL of "Pixel XL". */
export const lacksTier = ({ query: { words }, profile: { forms } }: Reading): boolean =>
  words.some(({ text }, at) => isTier(text, words[at + 1]?.text) && !forms.has(text));

/** The words of a tier that follow a number or model number, by it: `{tarn5: 'pro max'}` and `{5: 'pro max'}`. */
function tiersOf({ words, joins }: Profile): Map<string, string> {
  const after = (end: number): string => {
    let next = end + 1;
    while (isTier(words[next]?.text, words[next + 1]?.text)) next += 1;
    return words
      .slice(end + 1, next)
      .map(({ text }) => text)
      .sort()
      .join(' ');
  };
  const tiers = new Map<string, string>();
  for (const { text, end } of joins) if (/\d$/.test(text)) tiers.set(text, after(end));
  words.forEach(({ text, kind }, index) => {
    if (kind !== 'word' && !tiers.get(text)) tiers.set(text, after(index));
  });
  return tiers;
}

/** `6s`, but not `5g` or `4k`. */
const LINE_CODE = /^\d{1,2}(?![gkd]$)\p{L}$/u;

/** A line of devices and its number; a longer number after a word is of something else. */
const LINE = /^\p{Script=Latin}+\d{1,3}$/u;

/** The number that the query names, but after another word, or another number after its word: `Glide 6`, `Rally 7` for `Rally 6`. */
export function isOfOtherLine(reading: Reading): boolean {
  const { query, profile } = reading;
  return query.words.some(({ kind, text }, index) => {
    const line = query.words[index - 1];
    if (kind !== 'number' || line?.kind !== 'word') return false;
    if (LINE.test(`${line.text}${text}`) && profile.numbers.has(text) && !isPresent(line, reading))
      return true;
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

/** Whether the listing has another number where the query's model number has one: `hk220m4` for `hk220m5`, `us10` for `us8`. */
export function isOfSeries(reading: Reading): boolean {
  const { query, profile, stated } = reading;
  const sizes = query.words.flatMap(({ text, kind }, at) => {
    const before = query.words[at - 1];
    return kind === 'number' && before?.kind === 'word' ? [before.text + text] : [];
  });
  const codes = [...query.codes, ...sizes].filter((code) => /\p{L}/u.test(code));
  if (codes.length === 0) return false;
  const forms = new Set([...profile.forms, ...stated.naming.forms]);
  const letters = (form: string): string => form.replace(/\d+/g, '#');
  const series = new Set([...forms].filter((form) => /\d/.test(form)).map(letters));
  return codes.some((code) => !forms.has(code) && series.has(letters(code)));
}

/** Whether each has a number that the other has nothing near of; a number that both have is near no other. */
export function hasOtherNumber({ query, profile }: Reading): boolean {
  const left = (of: Profile, other: Profile) => [...of.numbers].filter((one) => !hasNumber(one, other));
  const [ours, theirs] = [left(query, profile), left(profile, query)];
  const isNear = (one: string, other: string) => one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
  const alone = (some: string[], others: string[]) =>
    some.some((one) => !others.some((other) => isNear(one, other)));
  return alone(ours, theirs) && alone(theirs, ours);
}

/** Whether the listing has model numbers, and none of the query's. */
export function hasOtherCode(reading: Reading): boolean {
  const { query, profile, evidence } = reading;
  const long = (codes: ReadonlySet<string>) => [...codes].some((code) => code.length >= MIN_CODE);
  return long(query.codes) && long(profile.codes) && evidence.codeExact === 0 && codesOf(reading) === 'lacks';
}

/** Whether two listings share a GTIN or a model number. */
export function areLinked(a: Profile, b: Profile): boolean {
  const shares = (one: Profile, other: Profile) =>
    [...one.codes].some(
      (code) => code.length >= MIN_CODE && (other.forms.has(code) || other.codes.has(code)),
    );
  return shares(a, b) || shares(b, a) || [...a.gtins].some((gtin) => b.gtins.has(gtin));
}

export const isOfOtherBrand = ({ brands, profile, query }: Reading): boolean =>
  brands.size > 0 &&
  profile.brand.length > 0 &&
  !profile.brand.some((word) => query.forms.has(word) || brands.has(word));

/** Where nobody states a brand, it is the first word of a name, and another first word is another brand unless a model number agrees. */
export function isUnbranded(reading: Reading): boolean {
  const { query, profile, brands, evidence } = reading;
  const [first] = query.words;
  if (first?.kind !== 'word' || brands.size + profile.brand.length > 0 || evidence.codeExact === 1)
    return false;
  return !isPresent(first, reading);
}
