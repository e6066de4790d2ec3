import { goesWithSomething, isAccessory, mayBeAccessory } from './asked/accessories.js';
import { calledSo, headOf } from './asked/heads.js';
import {
  isKind,
  isKindOfSize,
  isLiteral,
  isShortKind,
  MUCH_LESS,
  ofTheKind,
  soldFirst,
  withoutAccessories,
} from './asked/kinds.js';
import {
  areLinked,
  hasOtherCode,
  hasOtherNumber,
  hasOtherTier,
  isOfOtherBrand,
  isOfOtherLine,
  isOfSeries,
  isUnbranded,
  lacksTier,
} from './asked/models.js';
import { codesOf, hasNumbers, MIN_CODE } from './asked/numbers.js';
import { type Judged, readAll } from './asked/reading.js';
import { contradicts, hasColours, hasMeasures, hasOtherColour, isOtherKit, isPack } from './asked/sizes.js';
import { CONFIDENCE, standingOf, STANDINGS, type Verdict } from './asked/words.js';
import type { ProfileReader } from './evidence.js';
import { readProfile } from './profile.js';
import { isCalled, type ProductQuery } from './query.js';

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

/**
 * Which listings are the product that a shopper names. A query is less than a listing's name: what it leaves open
 * (colour, capacity) may be anything, but all that it says must be accounted for, and numbers, sizes and colours
 * must be the listing's own. Accessories are the product only when the query names them.
 * @param read one that has read the listings before, perhaps.
 * @returns those that are, in their order.
 */
export function listingsAskedFor<T extends Judged>(
  query: ProductQuery,
  found: readonly FoundListing<T>[],
  read: ProfileReader = readProfile,
): AskedListing<T>[] {
  const judged = judge(query, found, read).flatMap((verdict, index) => {
    const candidate = found[index]?.candidate;
    const named = found[index]?.named === true;
    return verdict === null || candidate === undefined ? [] : [{ ...verdict, candidate, named }];
  });
  const things = isKind(query)
    ? ofTheKind(withoutAccessories(judged, 1))
    : withoutAccessories(isKindOfSize(query) ? soldFirst(judged) : judged, MUCH_LESS);
  const standing = STANDINGS.find((one) => things.some((verdict) => verdict.standing === one));
  if (standing === undefined) return [];
  let chosen = things.filter((verdict) => verdict.standing === standing);
  for (const doubt of ['nearCode', 'otherBrand', 'pack'] as const) {
    const sure = chosen.filter(({ doubts }) => !doubts[doubt]);
    if (sure.length > 0) chosen = sure;
  }
  const called = standing === 'identified' ? chosen : calledSo(query, chosen);
  return called.map(({ candidate }) => ({ candidate, confidence: CONFIDENCE[standing] }));
}

/**
 * Which other wordings of the product may answer too: listings that compare takes for it and that say nothing which the
 * query contradicts. What a whole name and a GTIN identify may be worded anyhow. What a name says more they may leave unsaid; what a shopper says, only where a number links them.
 */
export function notContradicting<T extends Judged>(
  query: ProductQuery,
  asked: readonly T[],
  candidates: readonly T[],
  read: ProfileReader = readProfile,
): T[] {
  const models = new Set(asked.flatMap(({ internal }) => internal.models));
  const isName = asked.some((one) => isCalled(one, query.typed));
  const things = asked.map((one) => read(one));
  return readAll(query, candidates, asked, read).flatMap((reading, index) => {
    const { profile, stated } = reading;
    const sameModel = reading.candidate.internal.models.some((model) => models.has(model));
    const isIdentical =
      isName && things.some(({ gtins }) => [...gtins].some((one) => profile.gtins.has(one)));
    const isAnother =
      (!sameModel && (hasOtherTier(reading) || lacksTier(reading))) ||
      isOfOtherLine(reading) ||
      isOfSeries(reading) ||
      hasOtherNumber(reading) ||
      hasOtherCode(reading) ||
      isUnbranded(reading) ||
      isOfOtherBrand(reading) ||
      isAccessory(reading);
    const conflict =
      !(isName || things.some((thing) => areLinked(thing, profile))) ||
      (isAnother && !isIdentical) ||
      isPack(reading) ||
      isOtherKit(reading) ||
      contradicts(query.profile.measures, [profile.measures, stated.own.measures]) ||
      hasOtherColour(reading);
    const candidate = candidates[index];
    return conflict || candidate === undefined ? [] : [candidate];
  });
}

/** null: not the product. */
function judge<T extends Judged>(
  query: ProductQuery,
  found: readonly FoundListing<T>[],
  read: ProfileReader,
): (Verdict | null)[] {
  const readings = readAll(
    query,
    found.map(({ candidate }) => candidate),
    [],
    read,
  );
  const isShort = isShortKind(query);
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
    const head = hasLongCode(query) ? 'sold' : headOf(reading, query.phrase);
    if (head === 'of an accessory' || (head === 'in the box' && isKind(query))) return null;
    const isNamed = found[index]?.named === true && head !== 'of its department';
    if (isShort && (standing !== 'told' || !(isNamed || head === 'sold'))) return null;
    const accessory = isAccessory(reading)
      ? 'surely'
      : mayBeAccessory(reading) || (isKind(query) && goesWithSomething(reading))
        ? 'perhaps'
        : 'no';
    if (accessory !== 'no' && head !== 'sold' && isKind(query)) return null;
    return {
      standing,
      accessory,
      doubts: { nearCode: code === 'near', otherBrand: isOfOtherBrand(reading), pack: isPack(reading) },
      literal: isKind(query) && isLiteral(reading),
      head,
    };
  });
}

/** A model number says what is meant, whatever words are around it. */
const hasLongCode = ({ profile: { codes } }: ProductQuery): boolean =>
  [...codes].some((code) => code.length >= MIN_CODE);

const IDENTIFIED: Verdict = {
  standing: 'identified',
  doubts: { nearCode: false, otherBrand: false, pack: false },
  accessory: 'no',
  literal: true,
  head: 'sold',
};
