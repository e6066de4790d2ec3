import { Type } from 'typebox';
import { ClaimSchema, Reference30dSchema } from './claim.js';
import { ConditionSchema } from './condition.js';
import { DeliverySchema } from './delivery.js';
import { PricePositionSchema } from './price-position.js';
import { ProductSchema } from './product.js';
import { FLAG_NAMES } from './quality.js';
import { component, Enum, optional } from './types.js';
import { UnitPriceSchema } from './unit-price.js';
import { ReadingSchema } from './reading.js';

/** What each value of the parameter `include` adds to a listing. */
const ADDS = {
  brand_inferred: 'the maker that was inferred from its name',
  claim: 'whether its price was really reduced: `reference_30d` and `claim`',
  condition: 'the condition of the goods',
  flags: 'its quality flags',
  picture: 'the path of its stored picture',
  price_from: 'whether its price is a "from" price',
  seen_at: 'when it was last seen',
  delivery: 'what it costs with delivery: `delivery` and `total_price`',
  unit_price: 'its price per kilogram, litre, metre or piece: `unit_price`',
  position: 'how its price compares with 90 days: `position`',
  reading: 'how its name is read: `reading`, for at most 20 listings',
};

export type IncludeName = keyof typeof ADDS;

export const INCLUDE_NAMES = Object.keys(ADDS) as IncludeName[];

/** The values that only some endpoints accept: price histories state a position anyway, and long pages have no readings. */
const SPECIAL: readonly IncludeName[] = ['position', 'reading'];

/** The values of the parameter `include` that all endpoints with listings have. */
export const INCLUDED = INCLUDE_NAMES.filter((name) => !SPECIAL.includes(name));

export type Include = readonly string[];

export type PageQuery = { include?: Include; limit?: number; offset?: number };

const ALL_VALUES = `Adds to each listing: ${INCLUDE_NAMES.map((name) => `with \`${name}\`, ${ADDS[name]}`).join('; ')}`;

/** A sentence that says where the values of the parameter `include` are described. */
export const INCLUDE_DESCRIPTION =
  'Adds members to each listing; `include` of `GET /v1/products/{product_id}` describes the values';

const OPTIONS = { maxItems: 20, description: INCLUDE_DESCRIPTION, examples: [['brand_inferred']] };

/** The parameter `include` of an endpoint. @param special the values that it has besides those of all endpoints. */
export function includeParameter(...special: ('position' | 'reading')[]) {
  const names: IncludeName[] = [...INCLUDED, ...special];
  const description = special.length === SPECIAL.length ? ALL_VALUES : INCLUDE_DESCRIPTION;
  return optional.List(',', Enum(names), { ...OPTIONS, description });
}

const MAX_READINGS = 20;

export const readingIssues = ({ include = [], limit = 0 }: { include?: Include; limit?: number }) =>
  include.includes('reading') && limit > MAX_READINGS
    ? [
        {
          loc: ['query', 'limit'],
          msg: `Value error, include=reading requires a limit of at most ${MAX_READINGS}`,
          type: 'value_error',
        },
      ]
    : [];

/** The default `limit` of a page. With readings, which cost more, it is lower. @param usual the default of the endpoint. */
export const defaultLimit = (include: Include = [], usual: number): number =>
  include.includes('reading') ? Math.min(usual, MAX_READINGS) : usual;

/** Whether the members that a request includes depend on its time, so that the response must not be cached. */
export const includeChangesWithTime = (include: Include = []): boolean => include.includes('position');

/** The member `include` of the bodies of requests whose answers contain listings. */
export const includeMember = optional.Array(Enum(INCLUDED), { ...OPTIONS, $id: 'Include' });

/** The members of a listing that `include` adds, in the order of `ADDS`. */
export const includedMembers = {
  brand_inferred: optional.nullable(
    'string',
    'The maker that the brand dictionary found in the name. Null if the feed states a `brand`, or if none is certain',
    { examples: ['Auralis'] },
  ),
  reference_30d: optional.orNull(
    Reference30dSchema,
    'The lowest price in the 30 days before the current price took effect. Null if none was observed',
  ),
  claim: Type.Optional(ClaimSchema),
  condition: Type.Optional(ConditionSchema),
  flags: optional.listOf(Enum(FLAG_NAMES), 'The quality flags (`GET /v1/quality/{flag}`), without `stale`', [
    'no_brand',
    'price_outlier',
  ]),
  picture: optional.nullable('string', 'The path of a WebP picture. Null if none is stored'),
  price_from: optional.flag('Whether the price is only the lowest one of several variants'),
  seen_at: optional.nullable(
    'string',
    'When the listing was last checked or contained in a feed. `max_age_s` filters by it',
    { format: 'date-time', examples: ['2026-11-22T03:00:00Z'] },
  ),
  delivery: optional.orNull(DeliverySchema, 'The delivery price. Null if the feed states none'),
  total_price: optional.nullable(
    'string',
    'The price with delivery, in the currency of the listing. Null if either is unknown or cannot be converted',
    { examples: ['353.90'] },
  ),
  unit_price: optional.orNull(
    UnitPriceSchema,
    'The price of one unit of the quantity for sale. Null if that is not certain, or without a price',
  ),
};

/** The members of a listing that `include=position` and `include=reading` add. */
export const positionMember = { position: Type.Optional(PricePositionSchema) };
export const readingMember = { reading: Type.Optional(ReadingSchema) };

/** The values of the parameter `include` that add other members than the one of their name. */
const SEVERAL: Partial<Record<IncludeName, readonly string[]>> = {
  claim: ['reference_30d', 'claim'],
  delivery: ['delivery', 'total_price'],
};

/** The names of the members that some values of the parameter `include` add, in the order of `includedMembers`. */
export const includedNames = (include: Include): string[] =>
  INCLUDED.filter((name) => include.includes(name)).flatMap((name) => SEVERAL[name] ?? [name]);

/** A listing of a page, with the members that `include` adds. */
export const ListedProductSchema = component(
  'ListedProduct',
  'A listing, with the members that `include` adds',
  { ...ProductSchema.properties, ...includedMembers },
);
