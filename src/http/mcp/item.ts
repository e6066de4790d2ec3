import { Type, type Static } from 'typebox';
import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import { quoted } from './text.js';
import { Enum } from '../../schemas/types.js';

const maybe = <T>(type: string) => Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'] }));

/** The fields of a listing that an agent needs for a choice; with `view=full` it has all fields of a Product instead. */
export const ItemSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  brand: maybe<string>('string'),
  price: maybe<string>('string'),
  currency: maybe<string>('string'),
  source: Type.String(),
  is_available: maybe<boolean>('boolean'),
  rating: maybe<string>('string'),
  age_s: maybe<number>('integer'),
  buy_url: maybe<string>('string'),
});

export type Item = Static<typeof ItemSchema>;

export const view = Enum(['compact', 'full'], { default: 'compact', description: 'full: every field' });

/**
 * Converts a listing to an item of a tool's result. Members that an endpoint adds to those of a Product are
 * kept.
 */
type ToItem = <One extends Product>(listing: One) => Item & Omit<One, keyof Product>;

/** The value of the parameter `include` with which endpoints return what an item needs, for a value of `view`. */
export const includeFor = (fields: unknown): string[] => (fields === 'full' ? [] : ['seen_at']);

/**
 * Returns the function that converts a listing to an item, for a value of the parameter `view`. The member
 * `age_s` is the number of seconds since the listing was last seen, or last checked if the listing was requested without
 * `includeFor`; null if it is unknown.
 */
export function itemsOf(fields: unknown, now: Date): ToItem {
  return <One extends Product & { seen_at?: string | null }>(listing: One) => {
    if (fields === 'full') return listing as unknown as Item & Omit<One, keyof Product>;
    const { id, name, brand, price, currency, source, is_available, rating, buy_url } = listing;
    const seenAt = listing.seen_at ?? listing.last_checked;
    const age = seenAt === null ? null : (now.getTime() - Date.parse(seenAt)) / 1_000;
    const age_s = age === null ? null : Math.max(0, Math.round(age));
    const added = Object.fromEntries(
      Object.entries(listing).filter(([field]) => !PRODUCT.has(field) && field !== 'seen_at'),
    ) as unknown as Omit<One, keyof Product>;
    return { id, name, brand, price, currency, source, is_available, rating, age_s, buy_url, ...added };
  };
}

const PRODUCT: ReadonlySet<string> = new Set(PRODUCT_FIELDS);

/** The argument `rank_by` of tools that sort offers. */
export const rankBy = Enum(['price', 'total'], { description: 'total: with delivery' });

/** States the price with delivery, for an item that was requested with `rank_by=total`. */
export function totalOf(item: object): string[] {
  const { total_price, currency } = item as { total_price?: string | null; currency?: string | null };
  if (total_price === undefined) return [];
  return [total_price === null ? 'delivery price unknown' : `${currency ?? ''} ${total_price} with delivery`];
}

/** Formats a listing as one line. Every text of the listing is in quotation marks. */
export function lineOf(
  { id, name, price, currency, source, is_available: available, rating }: Item,
  more = '',
): string {
  const facts = [
    price === null || price === undefined ? 'no price' : `${currency ?? ''} ${price}`.trim(),
    /^[\w.-]+$/.test(source) ? source : quoted(source, 64),
    ...(available === true ? ['in stock'] : available === false ? ['out of stock'] : []),
    ...(rating === null || rating === undefined ? [] : [`rated ${rating}`]),
    ...(more === '' ? [] : [more]),
  ];
  return `${id} ${quoted(name, 80)} ${facts.join(', ')}`;
}

/** Formats a listing with one line per field. Texts of the listing are in quotation marks. */
export function detailsOf(listing: object): string[] {
  return Object.entries(listing).flatMap(([name, value]: [string, unknown]) =>
    value === null || value === undefined ? [] : [`${name}: ${formatted(value)}`],
  );
}

const MAX_VALUE_CHARACTERS = 900;

const formatted = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:+-]+$/.test(value)
    ? value
    : typeof value === 'string'
      ? quoted(value, MAX_VALUE_CHARACTERS)
      : JSON.stringify(value);
