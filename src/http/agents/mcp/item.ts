import { type TProperties, type TSchema, Type } from 'typebox';
import { CONDITIONS } from '../../../schemas/condition.js';
import { PRODUCT_FIELDS, type Product } from '../../../schemas/product.js';
import { Enum, optional } from '../../../schemas/types.js';
import type { UnitPrice } from '../../../schemas/unit-price.js';
import { bounded, fittingItems, MAX_STRUCTURED_CHARACTERS, quoted, shortened } from './text.js';
import type { ToolArguments } from './tool.js';

/** The members of a compact item, which an agent needs for a choice. */
export const COMPACT = [
  'id',
  'name',
  'brand',
  'price',
  'currency',
  'source',
  'is_available',
  'rating',
  'age_s',
  'buy_url',
] as const;

export type Item = Pick<Product, Exclude<(typeof COMPACT)[number], 'age_s'>> & { age_s?: number | null };

/** The members that endpoints add to the listings of their answers, and whose types the output schema states. */
const ADDED: Record<string, TSchema> = {
  confidence: Type.Number(),
  match_score: Type.Number(),
  discount_pct: Type.Number(),
  price_rank: Type.Unsafe({ type: ['integer', 'null'] }),
};
/** The further members that endpoints add, whose types the output schema does not state. */
const ADDED_OTHERS =
  'rejected missing match_reasons price_converted original_price price_basis lowest_price_30d reasons delivery total_price unit_price';

/** A reference to the schema of an item, which `outputOf` defines in `$defs`, so that a schema contains it only once. */
export const item = Type.Unsafe<Item>({ $ref: '#/$defs/item' });
export const items = Type.Array(item);

/**
 * The output schema of a tool whose result has items. It states the types of few members, because the list of tools must stay short.
 * @param added the members that items have besides those of a listing. @param fields those of a listing that they have.
 */
export const outputOf = (
  members: TProperties,
  added = '',
  fields: readonly string[] = [...COMPACT, ...PRODUCT_FIELDS],
) => {
  const schemas = [...fields, ...added.split(' ').filter(Boolean)].map((name) => [name, ADDED[name] ?? {}]);
  const properties = { ...Object.fromEntries(schemas), id: Type.Integer() };
  return Type.Object(members, { $defs: { item: { type: 'object', properties } } });
};

// Arguments that several tools have.
export const view = optional.Enum(['compact', 'full']);
export const included = optional.Array(Enum(['unit_price', 'delivery']));
/** Unlike the endpoint's parameter, which takes several conditions, the tool's argument takes one. */
export const condition = Type.Optional(Type.Unsafe<string>({ enum: [...CONDITIONS] }));
export const limitOf = (most: number, ofDefault: number) =>
  optional.Integer({ maximum: most, default: ofDefault });

/** Adds values of the parameter `include` to arguments, so that endpoints return all that an item needs. */
export const withIncluded = (args: ToolArguments): ToolArguments => ({
  ...args,
  include: [...[args['include'] ?? []].flat(), ...(args['view'] === 'full' ? [] : ['seen_at'])],
});

/** The maximum number of characters of a complete listing in a list, as JSON. */
const MAX_LISTED_CHARACTERS = 4_000;

/** Returns a function from listing to item. `age_s`: seconds since it was last seen. @param max characters of a full listing as JSON. */
export function itemsOf(fields: unknown, now: Date, max = MAX_LISTED_CHARACTERS) {
  return <One extends Product & { seen_at?: string | null }>(
    listing: One,
  ): Item & Omit<One, keyof Product> => {
    if (fields === 'full') return bounded(listing, max) as unknown as Item & Omit<One, keyof Product>;
    const { id, name, brand, price, currency, source, is_available, rating, buy_url } = listing;
    const seenAt = listing.seen_at ?? listing.last_checked;
    const age = seenAt === null ? null : (now.getTime() - Date.parse(seenAt)) / 1_000;
    const age_s = age === null ? null : Math.max(0, Math.round(age));
    const added = Object.fromEntries(
      Object.entries(listing).filter(([field]) => !PRODUCT.has(field) && field !== 'seen_at'),
    ) as unknown as Omit<One, keyof Product>;
    const item = { id, name, brand, price, currency, source, is_available, rating, age_s, buy_url };
    return { ...item, name: shortened(name, roomFor(name, MAX_COMPACT_BYTES - LINE_BYTES, item)), ...added };
  };
}

/** The bytes of a compact item in structured content and text, so that five have at most 3 kB. Its URL is left out first. */
const MAX_COMPACT_BYTES = 505;
/** The bytes of a line with a short name and without a URL. */
const LINE_BYTES = 110;
/** The number of bytes that are left of a long name, in items and in lines. */
const LEAST_NAME = { item: 72, line: 36 };

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The number of characters to which a name is shortened, so that the value that contains it has at most `max` bytes. */
function roomFor(name: string, max: number, value: unknown, least = LEAST_NAME.item): number {
  const excess = bytesOf(value) - max;
  const bytesPerCharacter = Buffer.byteLength(name) / Math.max(1, name.length);
  return Math.round(Math.max(least, Buffer.byteLength(name) - Math.max(0, excess)) / bytesPerCharacter);
}

/** Formats a compact item as a line. It takes at most the bytes that the item leaves of `MAX_COMPACT_BYTES`. */
function compactLine(item: Item, more: string): string {
  const members = Object.fromEntries(COMPACT.map((name) => [name, item[name]]));
  const max = MAX_COMPACT_BYTES - bytesOf(members);
  const line = lineOf(item, more);
  if (bytesOf(line) <= max) return line;
  const short = lineOf({ ...item, buy_url: null }, more);
  const name = shortened(item.name, roomFor(item.name, max, short, LEAST_NAME.line));
  return lineOf({ ...item, name, buy_url: null }, more);
}

/** Converts a listing that is the whole result. It may be longer than a listing in a list. */
export const singleItem = <One extends Product>(fields: unknown, now: Date, listing: One) =>
  itemsOf(fields, now, MAX_STRUCTURED_CHARACTERS - 1_000)(listing);

const PRODUCT: ReadonlySet<string> = new Set(PRODUCT_FIELDS);

type Priced = Item & { total_price?: string | null; unit_price?: UnitPrice | null };

function* includedFacts({ total_price: total, unit_price: unit, currency }: Priced): Generator<string> {
  if (total === null) yield 'delivery price unknown';
  else if (total !== undefined) yield `${money(total, currency)} with delivery`;
  if (unit === null) yield 'unit price unknown';
  else if (unit !== undefined) yield `${money(unit.value, currency)} per ${unit.per}`;
}

export const money = (price: string, currency: string | null | undefined): string =>
  `${currency ?? ''} ${price}`.trim();

const MAX_NAME_CHARACTERS = 240;
const MAX_URL_CHARACTERS = 400;

/** The URL of the shop's page in the form in which it contains no blanks and quotation marks; null if it is too long. */
const shopUrl = (url: string | null | undefined): string | null => {
  if (url === null || url === undefined || !URL.canParse(url)) return null;
  const { href } = new URL(url);
  return href.length <= MAX_URL_CHARACTERS && /^https?:\/\/[^\s"<>\\]*$/.test(href) ? href : null;
};

/** Formats a listing as one line. Every text of the listing is in quotation marks. */
export function lineOf(item: Item, more = ''): string {
  const { id, name, price, currency, source, is_available: available, rating, buy_url } = item;
  const facts = [
    price === null || price === undefined ? 'no price' : money(price, currency),
    quoted(source, 64),
    ...(available === true ? ['in stock'] : available === false ? ['out of stock'] : []),
    ...(rating === null || rating === undefined ? [] : [`rated ${rating}`]),
    ...includedFacts(item),
    ...(more === '' ? [] : [more]),
  ];
  const url = shopUrl(buy_url);
  return `${id} ${quoted(name, MAX_NAME_CHARACTERS)} ${facts.join(', ')}${url === null ? '' : ` ${url}`}`;
}

/** The fields that are left out of the details of a listing, because its line has them or shoppers do not need them. */
const NOT_IN_DETAILS: ReadonlySet<string> = new Set([
  ...COMPACT.filter((field) => field !== 'brand'),
  ...Object.keys(ADDED),
  ...ADDED_OTHERS.split(' '),
  'affiliate_url',
  'image_url',
  'updated_at',
]);
const MAX_LISTED_VALUE = 250;
const MAX_LISTED_DETAILS = 700;

/** Formats a listing of a list: its line, and with `view=full` a second line with its other fields. */
export function linesOf(
  one: Item,
  fields: unknown,
  { number, more = '' }: { number: string; more?: string },
) {
  if (fields !== 'full') return [`${number} ${compactLine(one, more)}`];
  const line = `${number} ${lineOf(one, more)}`;
  const details = detailsOf(
    Object.fromEntries(Object.entries(one).filter(([field]) => !NOT_IN_DETAILS.has(field))),
    MAX_LISTED_VALUE,
  );
  const fitting: string[] = [];
  for (const detail of details)
    if (fitting.join('; ').length + detail.length <= MAX_LISTED_DETAILS) fitting.push(detail);
  return fitting.length === 0 ? [line] : [line, `   ${fitting.join('; ')}`];
}

interface ListedAs<One> {
  view: unknown;
  now: Date;
  /** The number of items before the first one, after which lines are numbered; null: they are not numbered. */
  offset?: number | null;
  /** Returns a further fact for the line of a listing, which stands behind all others. */
  more?: (item: Omit<One, keyof Product>) => string;
  reserved?: { text: number; structured: number };
}

/** Converts listings to items, as many as fit into a result, and to the lines of these items. */
export function listed<One extends Product>(
  listings: readonly One[],
  { view: fields, now, offset = 0, more, reserved }: ListedAs<One>,
) {
  const { shown, lines } = fittingItems(
    listings.map(itemsOf(fields, now)),
    (one, at) =>
      linesOf(one, fields, {
        number: offset === null ? '-' : `${offset + at + 1}.`,
        more: more?.(one as unknown as One) ?? '',
      }),
    reserved,
  );
  return { shown, lines, ids: shown.map(({ id }) => id) };
}

/** Formats a listing with a line per field and per member of objects. Its texts are in quotation marks, at most `max` characters each. */
export function detailsOf(listing: object, max: number): string[] {
  return Object.entries(listing).flatMap(([name, value]: [string, unknown]) => detailLines(name, value, max));
}

const MAX_DEPTH = 4;

function detailLines(name: string, value: unknown, max: number, depth = 0): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return [`${name}: ${quoted(value, max)}`];
  if (typeof value !== 'object') return [`${name}: ${String(value as number | boolean)}`];
  if (Array.isArray(value)) {
    const isPlain = value.every((one) => typeof one !== 'object');
    const text = isPlain ? value.join(name === 'category_path' ? ' > ' : ', ') : JSON.stringify(value);
    return value.length === 0 ? [] : [`${name}: ${quoted(text, max)}`];
  }
  if (depth === MAX_DEPTH) return [`${name}: ${quoted(JSON.stringify(value), max)}`];
  return Object.entries(value).flatMap(([member, inner]) =>
    detailLines(
      `${name}.${/^[a-z][a-z0-9_]{0,19}$/.test(member) ? member : quoted(member, 60)}`,
      inner,
      max,
      depth + 1,
    ),
  );
}
