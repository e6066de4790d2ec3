import { Type, type Static } from 'typebox';
import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import { quoted } from './text.js';
import { Enum } from '../../schemas/types.js';

const maybe = <T>(type: string) => Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'] }));

/** What an agent needs of a listing to choose; `view=full` gives all fields of a Product instead. */
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

/** How much of each listing is wanted. */
export const view = Enum(['compact', 'full'], { default: 'compact', description: 'full: every field' });

/** A listing as the answers of tools hold it: what more the endpoint says of it stays. */
export type ToItem = <One extends Product>(listing: One) => Item & Omit<One, keyof Product>;

/** `age_s` is how many seconds ago somebody looked, null where nobody says when. */
export function itemsOf(wanted: unknown, now: Date): ToItem {
  return <One extends Product>(listing: One) => {
    if (wanted === 'full') return listing as unknown as Item & Omit<One, keyof Product>;
    const { id, name, brand, price, currency, source, is_available, rating, last_checked } = listing;
    const age_s =
      last_checked === null
        ? null
        : Math.max(0, Math.round((now.getTime() - Date.parse(last_checked)) / 1_000));
    const { buy_url } = listing;
    return {
      id,
      name,
      brand,
      price,
      currency,
      source,
      is_available,
      rating,
      age_s,
      buy_url,
      ...besides(listing),
    };
  };
}

const PRODUCT: ReadonlySet<string> = new Set(PRODUCT_FIELDS);

/** What an endpoint says of a listing besides its fields as a Product. */
function besides<One extends object>(listing: One): Omit<One, keyof Product> {
  return Object.fromEntries(
    Object.entries(listing).filter(([name]) => !PRODUCT.has(name)),
  ) as unknown as Omit<One, keyof Product>;
}

/** A listing on one line. Every text of it stands in quotation marks. */
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
