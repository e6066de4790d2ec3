import { type TProperties, Type } from 'typebox';
import { ClaimSchema, Reference30dSchema } from './claim.js';
import { ConditionSchema } from './condition.js';
import { DeliverySchema } from './delivery.js';
import { PricePositionSchema } from './price-position.js';
import { ProductSchema } from './product.js';
import { FLAG_NAMES } from './quality.js';
import { Enum, List, nullable, orNull } from './types.js';
import { UnitPriceSchema } from './unit-price.js';

/** For each value of the parameter `include`: what it adds to a listing, and the members that it adds. */
const INCLUDABLE = {
  brand_inferred: {
    adds: 'the maker that was inferred from its name',
    members: {
      brand_inferred: Type.Optional(
        nullable(
          'string',
          'With `include=brand_inferred`: the maker that the brand dictionary of the catalogue found in the name. Null if the feed ' +
            'states a `brand`, or if no maker is certain enough',
          { examples: ['Auralis'] },
        ),
      ),
    },
  },
  claim: {
    adds: 'whether its price was really reduced: `reference_30d` and `claim`',
    members: {
      reference_30d: Type.Optional(
        orNull(
          Reference30dSchema,
          'With `include=claim`: the lowest price in the 30 days before the current price took effect. Null if no price was ' +
            'observed in these days',
        ),
      ),
      claim: Type.Optional(ClaimSchema),
    },
  },
  condition: { adds: 'the condition of the goods', members: { condition: Type.Optional(ConditionSchema) } },
  flags: {
    adds: 'its quality flags',
    members: {
      flags: Type.Optional(
        Type.Array(Enum(FLAG_NAMES), {
          description:
            'With `include=flags`: the quality flags of the listing, which `GET /v1/quality/{flag}` explains, without `stale`, which ' +
            'follows from when it was last seen',
          examples: [['no_brand', 'price_outlier']],
        }),
      ),
    },
  },
  price_from: {
    adds: 'whether its price is a "from" price',
    members: {
      price_from: Type.Optional(
        Type.Boolean({
          description:
            'With `include=price_from`: whether the price is only the lowest one of several variants ("from 19.99")',
        }),
      ),
    },
  },
  seen_at: {
    adds: 'when it was last seen',
    members: {
      seen_at: Type.Optional(
        nullable(
          'string',
          'With `include=seen_at`: when the listing was last checked (`last_checked`) or last contained in a feed, whichever is ' +
            'later. `max_age_s` filters by it',
          { format: 'date-time', examples: ['2026-11-22T03:00:00Z'] },
        ),
      ),
    },
  },
  delivery: {
    adds: 'what it costs with delivery: `delivery` and `total_price`',
    members: {
      delivery: Type.Optional(
        orNull(DeliverySchema, 'With `include=delivery`: the delivery price. Null if the feed states none'),
      ),
      total_price: Type.Optional(
        nullable(
          'string',
          'With `include=delivery`: the price with delivery, in the currency of the listing. Null if either is unknown, or if ' +
            'the delivery price is in another currency and there is no exchange rate',
          { examples: ['353.90'] },
        ),
      ),
    },
  },
  unit_price: {
    adds: 'its price per kilogram, litre, metre or piece: `unit_price`',
    members: {
      unit_price: Type.Optional(
        orNull(
          UnitPriceSchema,
          'With `include=unit_price`: the price of one unit of the quantity that the listing sells. Null if the quantity is not ' +
            'certain, or without a price',
        ),
      ),
    },
  },
  position: {
    adds: 'how its price compares with its price history of 90 days: `position`',
    members: { position: Type.Optional(PricePositionSchema) },
  },
} satisfies Record<string, { adds: string; members: TProperties }>;

export type IncludeName = keyof typeof INCLUDABLE;

/** The values of the parameter `include` of a listing, of searches, deals and offers. */
export const INCLUDED_WITH_POSITION = Object.keys(INCLUDABLE) as IncludeName[];

/** The values of the parameter `include` of all other endpoints, such as the price history, which has a position anyway. */
export const INCLUDED = INCLUDED_WITH_POSITION.filter((name) => name !== 'position');

/** The values of the parameter `include`. */
export type Include = readonly string[];

const describe = (names: readonly IncludeName[]): string =>
  `Adds to each listing: ${names.map((name) => `with \`${name}\`, ${INCLUDABLE[name].adds}`).join('; ')}`;

/** A sentence that explains the values of the parameter `include`. */
export const INCLUDE_DESCRIPTION = describe(INCLUDED);

const OPTIONS = { maxItems: 20, description: INCLUDE_DESCRIPTION, examples: [['brand_inferred']] };

/** The parameter `include` of endpoints that return listings. */
export const includeParameter = Type.Optional(List(',', Enum(INCLUDED), OPTIONS));

/** The parameter `include` of a listing, of searches, deals and offers. */
export const includeWithPosition = Type.Optional(
  List(',', Enum(INCLUDED_WITH_POSITION), { ...OPTIONS, description: describe(INCLUDED_WITH_POSITION) }),
);

/** Whether the members that a request includes depend on its time, so that the response must not be cached. */
export const includeChangesWithTime = (include: Include = []): boolean => include.includes('position');

/** The member `include` of the bodies of requests whose answers contain listings. */
export const includeMember = Type.Optional(Type.Array(Enum(INCLUDED), { ...OPTIONS, $id: 'Include' }));

/** The members of a listing that `include` adds. */
export const includedMembers = {
  ...INCLUDABLE.brand_inferred.members,
  ...INCLUDABLE.claim.members,
  ...INCLUDABLE.condition.members,
  ...INCLUDABLE.flags.members,
  ...INCLUDABLE.price_from.members,
  ...INCLUDABLE.seen_at.members,
  ...INCLUDABLE.delivery.members,
  ...INCLUDABLE.unit_price.members,
};

/** The members of a listing that `includeWithPosition` adds. */
export const includedWithPosition = { ...includedMembers, ...INCLUDABLE.position.members };

/** The names of the members that some values of the parameter `include` add, in the order of `includedMembers`. */
export const includedNames = (include: Include): string[] =>
  INCLUDED.filter((name) => include.includes(name)).flatMap((name) => Object.keys(INCLUDABLE[name].members));

/** A listing of a page, with the members that `include` adds. */
export const ListedProductSchema = Type.Object(
  { ...ProductSchema.properties, ...includedMembers },
  { $id: 'ListedProduct', description: 'A listing, with the members that `include` adds' },
);
