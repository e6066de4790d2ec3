import type { StoredListing } from '../listing/listing.js';
import { compareAll, type Candidate } from './evidence.js';
import type { Features } from './features.js';
import { decide, MATCH_THRESHOLD } from './match.js';
import { compareMeasures, type Measures } from './measures.js';
import { presence, type WordWeight } from './overlap.js';
import { readProfile, type Profile } from './profile.js';
import { asCandidate, isCalled, readKit, type Kit, type ProductQuery } from './query.js';
import { readStated, type Stated } from './stated.js';
import { ACCESSORIES, COLOURS, concepts, TIERS, VARIANTS } from './vocabulary.js';
import { fold, type Word } from './words.js';

/** A listing that a search found for a query, and how it has the query's words. */
export interface FoundListing<T> {
  candidate: T;
  /** Every word is in its name, brand and categories. */
  named: boolean;
  /** Every word is in what it says of itself: name, brand, categories, attributes; told by the engine's analysis. */
  told: boolean;
  /** The same, or in its description. */
  described: boolean;
}

/** A listing of the product that was asked for. */
export interface AskedListing<T> {
  candidate: T;
  /** How surely it is that product, 0 to 1. */
  confidence: number;
}

/** What judging reads of a listing. */
export type Judged = Candidate & StoredListing;

/** How a listing accounts for a query, the surest first, and what that is worth. */
const CONFIDENCE = { identified: 1, told: 0.95, described: 0.8, alike: 0.6 } as const;
type Standing = keyof typeof CONFIDENCE;
const STANDINGS = Object.keys(CONFIDENCE) as Standing[];

interface Verdict {
  standing: Standing;
  /** What makes another listing likelier; a listing with any of them answers only where none is without. */
  doubts: { nearCode: boolean; otherBrand: boolean; pack: boolean };
  accessory: 'no' | 'perhaps' | 'surely';
  /** Whether it has the words as they are, and no synonyms of them. */
  literal: boolean;
}

/**
 * Which listings are the product that a shopper names. A query is less than a listing's name: what it leaves open
 * (colour, capacity) may be anything, but all that it says must be accounted for, and numbers, sizes and colours
 * must be the listing's own. Accessories are the product only when the query names them.
 * @returns those that are, in their order.
 */
export function listingsAskedFor<T extends Judged>(
  query: ProductQuery,
  found: readonly FoundListing<T>[],
): AskedListing<T>[] {
  const judged = judge(query, found).flatMap((verdict, index) => {
    const candidate = found[index]?.candidate;
    const named = found[index]?.named === true;
    return verdict === null || candidate === undefined ? [] : [{ ...verdict, candidate, named }];
  });
  const things = isKind(query)
    ? ofTheKind(withoutAccessories(judged, 1))
    : withoutAccessories(judged, MUCH_LESS);
  const standing = STANDINGS.find((one) => things.some((verdict) => verdict.standing === one));
  if (standing === undefined) return [];
  let chosen = things.filter((verdict) => verdict.standing === standing);
  for (const doubt of ['nearCode', 'otherBrand', 'pack'] as const) {
    const sure = chosen.filter(({ doubts }) => !doubts[doubt]);
    if (sure.length > 0) chosen = sure;
  }
  return chosen.map(({ candidate }) => ({ candidate, confidence: CONFIDENCE[standing] }));
}

/** "Wireless headphones" names a kind of thing, of which many are on offer, and no product. */
const isKind = ({ profile: { words, measures } }: ProductQuery): boolean =>
  measures.values.size === 0 && words.every(({ kind }) => kind === 'word');

/** Of so many listings that a search has first the usual price is that of the kind; what costs less than this part of it is of another. */
const FIRST = 10;
const FAR_LESS = 0.1;

/** A kind is what names say, not attributes, and costs what such things cost: a mouse for a laptop is none. */
function ofTheKind<V extends Verdict & { candidate: Judged; named: boolean }>(judged: readonly V[]): V[] {
  const named = judged.filter((one) => one.named);
  const some = ofLiteralKind(named.length > 0 ? named : judged);
  const usual = median(some.slice(0, FIRST).flatMap(({ candidate }) => candidate.comparablePrice ?? []));
  return some.filter(({ candidate }) => (candidate.comparablePrice ?? usual) > FAR_LESS * usual);
}

/** Synonyms name other things too: a notebook is a laptop where the laptops are, and paper elsewhere. */
function ofLiteralKind<V extends Verdict & { candidate: Judged }>(judged: readonly V[]): V[] {
  const kinds = new Set(judged.flatMap(({ literal, candidate }) => (literal ? [candidate.category] : [])));
  return judged.filter(({ candidate }) => kinds.size === 0 || kinds.has(candidate.category));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** An accessory costs less than this part of the thing. */
const MUCH_LESS = 0.25;

/**
 * A "memory card" or a "hard case suitcase" only sounds like an accessory where others of its kind and price do not.
 * Where all do, the words are the thing's own, unless it surely goes with another.
 * @param from the part of the usual price from which on such a one counts.
 */
function withoutAccessories<V extends Verdict & { candidate: Judged }>(
  judged: readonly V[],
  from: number,
): V[] {
  const plain = judged.filter(({ accessory }) => accessory === 'no');
  if (plain.length === 0) return judged.filter(({ accessory }) => accessory === 'perhaps');
  const kinds = new Set(plain.flatMap(({ candidate }) => candidate.category ?? []));
  const usual = median(plain.flatMap(({ candidate }) => candidate.comparablePrice ?? []));
  return judged.filter(({ accessory, candidate: { category, comparablePrice } }) => {
    if (accessory === 'no') return true;
    return category !== null && kinds.has(category) && (comparablePrice ?? usual) > from * usual;
  });
}

/**
 * Which other wordings of the product may answer too: listings that compare takes for it and that say nothing which the
 * query contradicts. What a name says more they may leave unsaid; what a shopper says, only where a number links them.
 */
export function notContradicting<T extends Judged>(
  query: ProductQuery,
  asked: readonly T[],
  candidates: readonly T[],
): T[] {
  const models = new Set(asked.flatMap(({ internal }) => internal.models));
  const isName = asked.some((one) => isCalled(one, query.typed));
  const things = asked.map((one) => readProfile(one));
  return readAll(query, candidates, asked).flatMap((reading, index) => {
    const { profile } = reading;
    const { own } = reading.stated();
    const sameModel = reading.candidate.internal.models.some((model) => models.has(model));
    const conflict =
      !(isName || things.some((thing) => areLinked(thing, profile))) ||
      (!sameModel && (hasOtherTier(reading) || lacksTier(reading))) ||
      isOfOtherLine(reading) ||
      isOfSeries(reading) ||
      hasOtherNumber(reading) ||
      hasOtherCode(reading) ||
      isPack(reading) ||
      isOtherKit(reading) ||
      isUnbranded(reading) ||
      isOfOtherBrand(reading) ||
      isAccessory(reading) ||
      contradicts(query.profile.measures, [profile.measures, own.measures]) ||
      hasOtherColour(reading);
    const candidate = candidates[index];
    return conflict || candidate === undefined ? [] : [candidate];
  });
}

/** Whether two listings share a GTIN or a model number. */
function areLinked(a: Profile, b: Profile): boolean {
  const shares = (one: Profile, other: Profile) =>
    [...one.codes].some(
      (code) => code.length >= MIN_CODE && (other.forms.has(code) || other.codes.has(code)),
    );
  return shares(a, b) || shares(b, a) || [...a.gtins].some((gtin) => b.gtins.has(gtin));
}

/** null: not the product. */
function judge<T extends Judged>(query: ProductQuery, found: readonly FoundListing<T>[]): (Verdict | null)[] {
  const readings = readAll(
    query,
    found.map(({ candidate }) => candidate),
  );
  return readings.map((reading, index) => {
    const { internal } = reading.candidate;
    const numbers = internal.identifiers.filter((one) => !internal.models.includes(one));
    if (query.identifiers.some((one) => numbers.includes(one))) return IDENTIFIED;
    const code = codesOf(reading);
    if (code === 'lacks' || !hasNumbers(reading) || !hasMeasures(reading) || !hasColours(reading))
      return null;
    if (hasOtherTier(reading) || isOfOtherLine(reading)) return null;
    const standing = standingOf(reading, found[index] as FoundListing<T>);
    if (standing === null) return null;
    return {
      standing,
      doubts: {
        nearCode: code === 'near',
        otherBrand: isOfOtherBrand(reading),
        pack: isPack(reading),
      },
      accessory: isAccessory(reading)
        ? 'surely'
        : mayBeAccessory(reading) || (isKind(query) && goesWithSomething(reading))
          ? 'perhaps'
          : 'no',
      literal: isKind(query) && isLiteral(reading),
    };
  });
}

/** @param also listings that are of the product: their brands count too. */
function readAll(
  query: ProductQuery,
  candidates: readonly Judged[],
  also: readonly Judged[] = [],
): Reading[] {
  const comparisons = compareAll(asCandidate(query.text), candidates, []);
  const { profiles, features, weight } = comparisons;
  const others = also.map((one) => ({ name: one.name, profile: readProfile(one) }));
  const read = candidates.map(({ name }, index) => ({ name, profile: profiles[index] as Profile }));
  const brands = brandsNamed(query, [...read, ...others]);
  const scores = lazily(() => decide(comparisons));
  return candidates.map((candidate, index) => ({
    ...{ query: query.profile, kit: query.kit, brands, weight, profiles, candidate },
    profile: profiles[index] as Profile,
    evidence: features[index] as Features,
    score: () => scores()[index]?.score ?? 0,
    stated: lazily(() => readStated(candidate)),
  }));
}

const IDENTIFIED: Verdict = {
  standing: 'identified',
  doubts: { nearCode: false, otherBrand: false, pack: false },
  accessory: 'no',
  literal: true,
};

/** A query and a listing, read. */
interface Reading {
  query: Profile;
  kit: Kit | null;
  candidate: Judged;
  profile: Profile;
  stated: () => Stated;
  /** As if the query were a listing's name, and what compare makes of it. */
  evidence: Features;
  score: () => number;
  /** Words of the brands that the query names. */
  brands: ReadonlySet<string>;
  weight: WordWeight;
  profiles: readonly Profile[];
}

function lazily<V>(make: () => V): () => V {
  let made: V | undefined;
  return () => (made ??= make());
}

/** Words of the brands that a query names: all of a brand, or the name of a listing of the brand. */
function brandsNamed(
  query: ProductQuery,
  listings: readonly { name: string; profile: Profile }[],
): Set<string> {
  const isNamed = (brand: readonly string[]) => brand.every((word) => query.profile.forms.has(word));
  const named = listings.filter(({ profile: { brand } }) => isNamed(brand));
  const called = isLongName(query) ? listings.filter((one) => isCalled(one, query.typed)) : [];
  return new Set([...named, ...called].flatMap(({ profile }) => profile.brand));
}

/** A name of so many words, or with a number, is no kind of thing. */
const LONG_NAME = 5;
const isLongName = ({ profile }: ProductQuery): boolean =>
  profile.words.length >= LONG_NAME || profile.words.some(({ kind }) => kind !== 'word');

/** A part of metadata need not be read where the name says all. */
function standingOf(reading: Reading, words: { told: boolean; described: boolean }): Standing | null {
  if (words.told ? !isToldOfAnother(reading) : impliesBrand(reading)) return 'told';
  const missing = reading.query.words.filter((word) => word.kind === 'word' && !isPresent(word, reading));
  const plain = reading.query.words.filter(({ kind }) => kind === 'word');
  if (missing.some(({ text }) => isPart(text, reading.brands) || VARIANTS.has(text) || TIERS.has(text)))
    return null;
  if (words.described && !words.told && 2 * missing.length <= plain.length) return 'described';
  if (reading.score() < MATCH_THRESHOLD || reading.query.words.length < MIN_ALIKE_WORDS) return null;
  const known = missing.every((word) => reading.profiles.some((other) => presence(word, other) === 1));
  const total = sumOf(reading.query.words, reading.weight);
  return known && sumOf(missing, reading.weight) <= MAX_MISSING * total ? 'alike' : null;
}

const MIN_ALIKE_WORDS = 4;
const MAX_MISSING = 0.25;
const sumOf = (words: readonly Word[], weight: WordWeight): number =>
  words.reduce((sum, { text }) => sum + weight(text), 0);
const isPart = (text: string, set: ReadonlySet<string>): boolean => set.has(text);

const isPresent = (word: Word, { profile, stated }: Reading): boolean =>
  presence(word, profile) === 1 || presence(word, stated().own) === 1;

/** Whether a word is told only of what the listing goes with. */
function isToldOfAnother(reading: Reading): boolean {
  const { goesWith } = reading.stated();
  return reading.query.words.some((word) => presence(word, goesWith) === 1 && !isPresent(word, reading));
}

/** Shops leave out a brand that the model tells: where the query names a model, a listing without a brand may be of any. */
function impliesBrand(reading: Reading): boolean {
  const { query, profile, brands } = reading;
  if (profile.brand.length > 0 || brands.size === 0 || query.numbers.size + query.codes.size === 0)
    return false;
  return query.words.every(
    (word, index) =>
      word.kind !== 'word' || brands.has(word.text) || isJoined(index, reading) || isPresent(word, reading),
  );
}

/** Whether the word at this place is a part of what the listing writes as one, as `wh 1000 xm5`. */
const isJoined = (index: number, { query, profile, stated }: Reading): boolean =>
  query.joins.some(
    ({ text, start, end }) =>
      start <= index &&
      index <= end &&
      /\d/.test(text) &&
      (profile.forms.has(text) || stated().own.forms.has(text)),
  );

/** Whether every model number of the query is the listing's: `near` where the listing adds letters to one. */
function codesOf(reading: Reading): 'has' | 'near' | 'lacks' {
  const { query, profile, stated, candidate } = reading;
  let worst: 'has' | 'near' = 'has';
  for (const [index, { text, kind }] of query.words.entries()) {
    if (kind !== 'code') continue;
    const forms = [profile.forms, profile.codes, profile.statedModels];
    if (forms.some((set) => set.has(text)) || candidate.internal.identifiers.includes(text)) continue;
    if (isJoined(index, reading) || endsCode(text, profile) || stated().own.forms.has(text)) continue;
    if (![...profile.codes, ...profile.forms].some((form) => addsLetters(text, form))) return 'lacks';
    worst = 'near';
  }
  return worst;
}

const MAX_LETTERS = 4;
const MIN_CODE = 4;

/** `wh1000xm5b` is `wh1000xm5` in black, but `rtx4070ti` is another model than `rtx4070`. */
function addsLetters(code: string, form: string): boolean {
  const rest = form.slice(code.length);
  return (
    code.length >= MIN_CODE &&
    form.startsWith(code) &&
    new RegExp(`^\\p{L}{1,${MAX_LETTERS}}$`, 'u').test(rest) &&
    !VARIANTS.has(rest)
  );
}

/** `xm5` of `wh1000xm5`: what follows a digit. */
const endsCode = (code: string, { codes }: Profile): boolean =>
  /^\p{L}/u.test(code) &&
  [...codes].some((one) => one.endsWith(code) && /\d$/.test(one.slice(0, -code.length)));

function hasNumbers(reading: Reading): boolean {
  return reading.query.words.every(
    ({ text, kind }, index) => kind !== 'number' || hasNumber(text, index, reading),
  );
}

const LONG_NUMBER = 3;

function hasNumber(number: string, index: number, reading: Reading): boolean {
  const { profile, stated, candidate } = reading;
  if (profile.numbers.has(number) || isJoined(index, reading)) return true;
  if (number.length >= LONG_NUMBER && profile.forms.has(number)) return true;
  if (isSize(number, candidate.name)) return true;
  const { own, naming } = stated();
  return naming.numbers.has(number) || (number.length >= LONG_NUMBER && own.forms.has(number));
}

/** People say `43` of 43 inches and `128` of 128 GB. */
const isSize = (number: string, name: string): boolean =>
  number.length > 1 &&
  new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}[\\s-]?(?:"|''|inch|in\\b|[gt]b\\b)`).test(fold(name));

/** What the listing says must have every size that the query says. */
function hasMeasures(reading: Reading): boolean {
  const { query, profile, stated } = reading;
  const { values, count } = query.measures;
  if (isOtherKit(reading)) return false;
  if (values.size === 0 && count === null) return true;
  const told = [profile.measures, stated().own.measures];
  if (count !== null && count > 1 && !told.some((one) => one.count === count)) return false;
  return [...values].every(([kind, sizes]) =>
    sizes.every(
      (size) =>
        told.some((one) => (one.values.get(kind) ?? []).some((other) => isSame(kind, size, other))) ||
        profile.numbers.has(String(kind === 'length' ? Math.round((size / MM_PER_INCH) * 10) / 10 : size)),
    ),
  );
}

/** Whether the listing is a kit of other parts than the query names, or the query names one part or none of a kit. */
function isOtherKit({ query, kit, profile, candidate }: Reading): boolean {
  const other = readKit(candidate.name);
  if (kit !== null) return other?.count !== kit.count || other.size !== kit.size;
  if (other === null) return false;
  const asked = query.measures.values.get('storage') ?? [];
  const whole = other.count * other.size;
  return (
    asked.includes(other.size) &&
    !asked.includes(whole) &&
    (profile.measures.values.get('storage') ?? []).includes(whole)
  );
}

const MM_PER_INCH = 25.4;

function isSame(kind: string, one: number, other: number): boolean {
  const only = (value: number): Measures => ({
    values: new Map([[kind, [value]]]),
    count: null,
    pack: false,
    rest: '',
    words: [],
  });
  return compareMeasures(only(one), only(other)).get(kind) === 'agree';
}

/** Whether a listing states a size of a kind, or a number of pieces, and none that the query does. */
function contradicts(query: Measures, told: readonly Measures[]): boolean {
  const counts = told.flatMap(({ count }) => count ?? []);
  if (query.count !== null && counts.length > 0 && !counts.includes(query.count)) return true;
  return [...query.values].some(([kind, sizes]) => {
    const others = told.flatMap(({ values }) => values.get(kind) ?? []);
    // The largest is the one that counts: beside a capacity stand the parts of a kit, or the memory.
    return others.length > 0 && !others.some((other) => isSame(kind, Math.max(...sizes), other));
  });
}

function hasColours(reading: Reading): boolean {
  const { query } = reading;
  if (query.colours.size === 0) return true;
  const told = coloursOf(reading.profile, reading.stated());
  return [...query.colours].every((colour) => told.has(colour));
}

/** A colour may be a part of the brand. */
const coloursOf = (profile: Profile, { own }: Stated): Set<string> =>
  new Set([...profile.colours, ...own.colours, ...concepts(COLOURS, profile.brand)]);

function hasOtherColour({ query, profile, stated }: Reading): boolean {
  const told = coloursOf(profile, stated());
  const lacks = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...some].some((one) => !others.has(one));
  return lacks(query.colours, told) && lacks(told, query.colours);
}

/** Where the query names no number of pieces, one is meant. */
const isPack = ({ query, profile: { measures } }: Reading): boolean =>
  query.measures.count === null && measures.pack && (measures.count ?? 1) > 1;

/** Whether each has a number that the other has nothing near of; a number that both have is near no other. */
function hasOtherNumber({ query, profile }: Reading): boolean {
  const left = (of: Profile, other: Profile) => [...of.numbers].filter((one) => !other.numbers.has(one));
  const [ours, theirs] = [left(query, profile), left(profile, query)];
  const isNear = (one: string, other: string) => one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
  const alone = (some: string[], others: string[]) =>
    some.some((one) => !others.some((other) => isNear(one, other)));
  return alone(ours, theirs) && alone(theirs, ours);
}

/** A tier word that belongs to the next: an air purifier is no "Air". */
const ADJECTIVES: ReadonlyMap<string, RegExp> = new Map([
  ['air', /^\p{L}/u],
  ['mini', /^led$/],
  ['ultra', /^(?:hd|wide|light|slim)$/],
]);
const isAdjective = (tier = '', next = ''): boolean => ADJECTIVES.get(tier)?.test(next) ?? false;

/** A tier that the query names anywhere, as the XL of "Pixel XL". */
const lacksTier = ({ query: { words }, profile: { forms } }: Reading): boolean =>
  words.some(
    ({ text }, at) => TIERS.has(text) && !isAdjective(text, words[at + 1]?.text) && !forms.has(text),
  );

/** The words of a tier that follow a number or model number, by it: `{tarn5: 'pro max'}` and `{5: 'pro max'}`. */
function tiersOf({ words, joins }: Profile): Map<string, string> {
  const after = (end: number): string => {
    let next = end + 1;
    while (TIERS.has(words[next]?.text ?? '') && !isAdjective(words[next]?.text, words[next + 1]?.text))
      next += 1;
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

/** The number or model number that the query names, with another tier after it: `13 pro` for `13`. */
function hasOtherTier({ query, profile }: Reading): boolean {
  const told = tiersOf(profile);
  const lacks = (tier: string, { forms }: Profile) =>
    tier !== '' && tier.split(' ').some((word) => !forms.has(word));
  return [...tiersOf(query)].some(([number, tier]) => {
    const other = told.get(number);
    return other !== undefined && (lacks(other, query) || lacks(tier, profile));
  });
}

/** `6s`, but not `5g` or `4k`. */
const LINE_CODE = /^\d{1,2}(?![gkd]$)\p{L}$/u;

/** The number that the query names, but after another word, or another number after its word: `Glide 6`, `Rally 7` for `Rally 6`. */
function isOfOtherLine(reading: Reading): boolean {
  const { query, profile } = reading;
  return query.words.some(({ kind, text }, index) => {
    const line = query.words[index - 1];
    if (kind !== 'number' || line?.kind !== 'word') return false;
    if (profile.numbers.has(text) && !isPresent(line, reading)) return true;
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
function isOfSeries(reading: Reading): boolean {
  const { query, profile, stated } = reading;
  const forms = [...profile.forms, ...stated().naming.forms];
  const sizes = query.words.flatMap(({ text, kind }, at) => {
    const before = query.words[at - 1];
    return kind === 'number' && before?.kind === 'word' ? [before.text + text] : [];
  });
  return [...query.codes, ...sizes].some((code) => {
    if (!/\p{L}/u.test(code) || forms.includes(code)) return false;
    const letters = code.replace(/\d+/g, '#');
    return forms.some((form) => /\d/.test(form) && form.replace(/\d+/g, '#') === letters);
  });
}

/** Whether the listing has model numbers, and none of the query's. */
function hasOtherCode(reading: Reading): boolean {
  const { query, profile, evidence } = reading;
  const long = (codes: ReadonlySet<string>) => [...codes].some((code) => code.length >= MIN_CODE);
  return long(query.codes) && long(profile.codes) && evidence.codeExact === 0 && codesOf(reading) === 'lacks';
}

const isOfOtherBrand = ({ brands, profile, query }: Reading): boolean =>
  brands.size > 0 &&
  profile.brand.length > 0 &&
  !profile.brand.some((word) => query.forms.has(word) || brands.has(word));

/** Whether the listing goes with the product and is not it. */
function isAccessory(reading: Reading): boolean {
  const is = (reading.evidence.accessoryOnly > 0 && soundsLikeAccessory(reading)) || isSomethingFor(reading);
  return is && (isOfOtherBrand(reading) || !isItself(reading));
}

/** "Lens", "kit" or "card" may be in the box. */
const mayBeAccessory = (reading: Reading): boolean =>
  reading.evidence.accessoryMismatch > 0 && !isItself(reading);

/** Whether the name or the category has the words as they are; its departments name other kinds too. */
function isLiteral({ query, profile, candidate }: Reading): boolean {
  const category = readProfile(asCandidate(candidate.category ?? ''));
  return query.words.every((word) => presence(word, profile) === 1 || presence(word, category) === 1);
}

/** A kind of thing that is for something goes with it, as "手机壳 适用于 …" in the category of phone cases. */
const goesWithSomething = ({ query, profile }: Reading): boolean => profile.isFor && !query.isFor;

/** Bags go with laptops, and as often with nothing. */
const BAGS = new Set(['bag', 'backpack']);
const soundsLikeAccessory = ({ profile, query }: Reading): boolean =>
  [...profile.words, ...query.words].some(({ text }) => ACCESSORIES.has(text) && !BAGS.has(text));

/** Where nobody states a brand, it is the first word of a name, and another first word is another brand unless a model number agrees. */
function isUnbranded(reading: Reading): boolean {
  const { query, profile, brands, evidence } = reading;
  const [first] = query.words;
  if (first?.kind !== 'word' || brands.size + profile.brand.length > 0 || evidence.codeExact === 1)
    return false;
  return !isPresent(first, reading);
}

/** Whether the listing states the model that the query names, or has its number and its brand: then it is no accessory of it. */
function isItself({ query, profile, candidate, brands, evidence }: Reading): boolean {
  const text = query.words.map((word) => word.text).join('');
  const states = candidate.internal.models.some((model) => model.length >= MIN_CODE && text.includes(model));
  return states || (evidence.codeOwn > 0 && profile.brand.some((word) => brands.has(word)));
}

/** "For", in the languages of the shops. */
const FOR = /\b(?:for|fits?|compatible(?: with)?|untuk|serasi dengan)\b|适用于|適用於|适配|兼容|相容/u;

/** Whether the query's words come only after "for" or "compatible with": then the listing is something for the product. */
function isSomethingFor({ query, profile, candidate }: Reading): boolean {
  const [before = '', ...after] = fold(candidate.name).split(FOR);
  if (after.length === 0 || query.words.length === 0) return false;
  const head = readProfile(asCandidate(before));
  const inHead = query.words.some((word) => presence(word, head) > 0);
  return !inHead && query.words.some((word) => presence(word, profile) > 0);
}

/** Spellings of things that go with another thing, but of what the query itself names. */
export function accessoryWordsBeside({ allAccessories }: Profile): string[] {
  return [...ACCESSORIES].flatMap(([spelling, concept]) => (allAccessories.has(concept) ? [] : [spelling]));
}
