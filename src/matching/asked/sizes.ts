import { compareMeasures, LENGTHS, type Measures } from '../measures.js';
import type { Profile } from '../profile.js';
import { readKit } from '../query.js';
import type { Stated } from '../stated.js';
import { COLOURS, concepts } from '../../text/vocabulary.js';
import type { Reading } from './reading.js';

/** What the listing says must have every size that the query says. */
export function hasMeasures(reading: Reading): boolean {
  const { query, profile, stated } = reading;
  const { values, count } = query.measures;
  if (isOtherKit(reading)) return false;
  if (values.size === 0 && count === null) return true;
  const told = [profile.measures, stated.own.measures];
  if (count !== null && count > 1 && !told.some((one) => one.count === count)) return false;
  return [...values].every(([kind, sizes]) =>
    sizes.every(
      (size) =>
        told.some((one) => sizesOf(kind, one).some((other) => isSame(kind, size, other))) ||
        profile.numbers.has(String(kind === 'length' ? Math.round((size / MM_PER_INCH) * 10) / 10 : size)),
    ),
  );
}

/** In millimetres, `109 cm` may be 43 inches. */
const sizesOf = (kind: string, { values }: Measures): readonly number[] =>
  [kind, LENGTHS.get(kind) ?? ''].flatMap((one) => values.get(one) ?? []);

/** Whether a listing states a size of a kind, or a number of pieces, and none that the query does. */
export function contradicts(query: Measures, told: readonly Measures[]): boolean {
  const counts = told.flatMap(({ count }) => count ?? []);
  if (query.count !== null && counts.length > 0 && !counts.includes(query.count)) return true;
  return [...query.values].some(([kind, sizes]) => {
    const others = told.flatMap(({ values }) => values.get(kind) ?? []);
    // The largest is the one that counts: beside a capacity stand the parts of a kit, or the memory.
    return others.length > 0 && !others.some((other) => isSame(kind, Math.max(...sizes), other));
  });
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

/** Whether the listing is a kit of other parts than the query names, or the query names one part or none of a kit. */
export function isOtherKit({ query, kit, profile, candidate }: Reading): boolean {
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

/** Where the query names no number of pieces, one is meant. */
export const isPack = ({ query, profile: { measures } }: Reading): boolean =>
  query.measures.count === null && measures.pack && (measures.count ?? 1) > 1;

export function hasColours(reading: Reading): boolean {
  const { query } = reading;
  if (query.colours.size === 0) return true;
  const told = coloursOf(reading.profile, reading.stated);
  return [...query.colours].every((colour) => told.has(colour));
}

/** A colour may be a part of the brand. */
const coloursOf = (profile: Profile, { own }: Stated): Set<string> =>
  new Set([...profile.colours, ...own.colours, ...concepts(COLOURS, profile.brand)]);

export function hasOtherColour({ query, profile, stated }: Reading): boolean {
  const told = coloursOf(profile, stated);
  const lacks = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...some].some((one) => !others.has(one));
  return lacks(query.colours, told) && lacks(told, query.colours);
}
