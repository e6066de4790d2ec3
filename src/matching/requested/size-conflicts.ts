import { COLOURS } from '../../naming/lexicon.js';
import { foldProse } from '../../text/fold.js';
import { conceptsOf } from '../../text/vocabulary.js';
import { compareSets } from '../cheap-features.js';
import { compareMeasures, LENGTHS, type Measures } from '../measures.js';
import { MIN_PART_LENGTH } from '../numbers.js';
import type { CandidateListing } from './candidate-listing.js';
import { readKit } from './requested-product.js';

const sizePattern = (units: string) => new RegExp(`(?<![\\d.])(\\d+(?:\\.\\d+)?)[\\s-]?(?:${units})`, 'g');
const INCH_UNITS = `(?<inches>"|''|inch|in\\b)`;
/** Matches a number of inches. */
export const INCHES = sizePattern(INCH_UNITS);
const SIZE = sizePattern(
  `${INCH_UNITS}|mm\\b|[gt]b\\b|(?<unit>[mg]?hz\\b|mt/s|mah\\b|dpi\\b|btu\\b|w\\b|watt)`,
);

/** Whether a name has the number with a unit that shoppers leave out: `43` or `15` for inches, `128` for GB, `6000` for MHz. */
export const isSizeIn = (number: string, name: string, size = SIZE): boolean =>
  number.length > 1 &&
  [...foldProse(name).matchAll(size)].some(
    ({ 1: value = '', groups: { inches, unit } = {} }) =>
      (unit === undefined || number.length >= MIN_PART_LENGTH) &&
      (Number(value) === Number(number) ||
        (inches !== undefined && isRounded(Number(number), Number(value)))),
  );

/** Whether a size is another one in whole inches, rounded down as for laptops, or to the nearest inch as for monitors. */
const isRounded = (whole: number, inches: number): boolean =>
  [Math.floor(inches), Math.round(inches)].some((rounded) => Math.abs(rounded - whole) < 1e-6);

const MM_PER_INCH = 25.4;

/** Whether the quantities in the name of the listing, or else those in its metadata, pass the given test. */
const states = ({ profile, stated }: CandidateListing, test: (measures: Measures) => boolean): boolean =>
  test(profile.measures) || test(stated.own().measures);

/** Whether the request names a number of pieces above one, and the listing does not state this number. */
export const lacksCount = (candidate: CandidateListing): boolean => {
  const { count } = candidate.query.measures;
  return count !== null && count > 1 && !states(candidate, (one) => one.count === count);
};

/** Whether the listing states every size that the request states. */
export function hasMeasures(candidate: CandidateListing): boolean {
  const { values } = candidate.query.measures;
  if (isOtherKit(candidate) || lacksCount(candidate)) return false;
  if (values.size === 0) return true;
  return [...values].every(([kind, sizes]) =>
    sizes.every(
      (size) =>
        states(candidate, (one) => sizesOf(kind, one).some((other) => isSameSize(kind, size, other))) ||
        candidate.profile.numbers.has(bareNumber(kind, size)),
    ),
  );
}

/**
 * The number with which a name may state a size without its unit: `360` for 360 mm, `15` for 15 inches. Empty if the number is so
 * short that it may be that of a model; a length may be short.
 */
function bareNumber(kind: string, size: number): string {
  const number = String(kind === 'length' ? Math.round((size / MM_PER_INCH) * 10) / 10 : size);
  return LENGTHS.has(kind) || number.length >= MIN_PART_LENGTH ? number : '';
}

/** The sizes of one kind, such as `storage`. Lengths include inches, because `109 cm` may be 43 inches. */
const sizesOf = (kind: string, { values }: Measures): readonly number[] =>
  [kind, LENGTHS.get(kind) ?? ''].flatMap((one) => values.get(one) ?? []);

/** Whether the listing states another size or number of pieces than the request. */
export function contradictsSizes(candidate: CandidateListing): boolean {
  const { values: requested, count } = candidate.query.measures;
  if (requested.size === 0 && count === null) return false;
  const stated = [candidate.profile.measures, candidate.stated.own().measures];
  const counts = stated.flatMap((one) => one.count ?? []);
  if (count !== null && counts.length > 0 && !counts.includes(count)) return true;
  return [...requested].some(([kind, sizes]) => {
    const others = stated.flatMap(({ values }) => values.get(kind) ?? []);
    // Only the largest requested size is compared, because a smaller one may be that of the memory, or of a
    // single part of a kit.
    return others.length > 0 && !others.some((other) => isSameSize(kind, Math.max(...sizes), other));
  });
}

function isSameSize(kind: string, one: number, other: number): boolean {
  const only = (value: number) => ({ values: new Map([[kind, [value]]]) });
  return (
    compareMeasures(only(one), only(other)).get(kind) === 'agree' ||
    (kind === 'inches' && isRounded(one / MM_PER_INCH, other / MM_PER_INCH))
  );
}

/** Whether the listing is a kit with another number or size of parts, or a kit although the request names a single part. */
export function isOtherKit({ query, kit, profile, listing }: CandidateListing): boolean {
  const other = readKit(listing.name);
  if (kit !== null) return other?.count !== kit.count || other.size !== kit.size;
  if (other === null) return false;
  const requested = query.measures.values.get('storage') ?? [];
  const total = other.count * other.size;
  return (
    requested.includes(other.size) &&
    !requested.includes(total) &&
    (profile.measures.values.get('storage') ?? []).includes(total)
  );
}

/** Whether the listing is a pack, although the request names no number of pieces and therefore means one. */
export const isUnrequestedPack = ({ query, profile: { measures } }: CandidateListing): boolean =>
  query.measures.count === null && measures.pack && (measures.count ?? 1) > 1;

/** Whether each has a colour that the other lacks. Metadata, which may state a part's colour, counts only without another. */
export function hasOtherColour({ query: { colours }, profile, stated }: CandidateListing): boolean {
  if (colours.size === 0) return false;
  const own = profile.colours.size > 0 ? profile.colours : stated.own().colours;
  // A colour may be part of a brand.
  return compareSets(colours, new Set([...own, ...conceptsOf(COLOURS, profile.brand)])).conflict === 1;
}
