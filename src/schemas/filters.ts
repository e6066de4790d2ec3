import { Type, type Static, type TObject } from 'typebox';
import { LIMITS } from './product.js';
import { Decimal, List } from './types.js';

/** Values of one parameter, and characters of each. */
const MOST = { values: 20, characters: 200 };

/** Names of `attr.NAME` in one request. */
export const MOST_ATTRIBUTES = 10;

/** Several values in one parameter, of which a listing must have one. */
const anyOf = (description: string, example?: string) =>
  List('|', Type.String({ maxLength: MOST.characters }), {
    maxItems: MOST.values,
    description: `${description}; several are parted by \`|\`, and one of them is enough`,
    ...(example === undefined ? {} : { examples: [[example]] }),
  });

/** The filters that search, export, trending and deals share: `refinements` makes clauses of them. */
export const filterParameters = {
  category: Type.Optional(
    Type.String({
      description:
        'Part of the primary category name, in upper or lower case; every character means itself. With `>` in it ' +
        'also levels that follow one another anywhere in the category path, each in full: `Audio > Headphones`',
      // No category is longer, and the engine refuses patterns of some hundred characters.
      maxLength: LIMITS.category,
    }),
  ),
  category_path: Type.Optional(
    anyOf(
      'The first levels of the category path, each in full but for case and accents: `Electronics > TVs`',
    ),
  ),
  min_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Lowest price, inclusive; leaves out listings without a price' }),
  ),
  max_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Highest price, inclusive; leaves out listings without a price' }),
  ),
  platform: Type.Optional(anyOf('Source platform code, such as `shopee_sg`, in upper or lower case')),
  source: Type.Optional(
    anyOf('Source platform code; another name for `platform`, which wins where both are given'),
  ),
  brand: Type.Optional(anyOf('Brand in full, but for case and accents')),
  currency: Type.Optional(anyOf('ISO 4217 code of the price, in upper or lower case')),
  in_stock: Type.Optional(Type.Boolean({ description: 'true: in stock; false: out of stock; absent: both' })),
  min_rating: Type.Optional(
    Decimal({
      minimum: 0,
      maximum: 5,
      description: 'Lowest rating, inclusive; leaves out listings without one',
    }),
  ),
  max_age_s: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description: 'Seconds since `last_checked` at most; leaves out listings that were never checked',
    }),
  ),
  has_image: Type.Optional(Type.Boolean({ description: 'Whether there is an `image_url`' })),
};

/** Of endpoints that leave out prices which are none to buy at, or put them last. */
export const includeFlagged = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Listings whose price is flagged as `price_placeholder` or `price_outlier` (`GET /v1/quality`) are treated like all others',
  }),
);

/** Parameters whose names are the client's. */
export const attributeParameters = {
  patternProperties: {
    '^attr\\..': anyOf(
      `Value of an attribute that feeds state in \`metadata\`, in full but for case and accents, such as \`attr.colour=black\`; up to ${MOST_ATTRIBUTES} names`,
    ),
  },
};

/**
 * Which listings, besides their text: what requests have of it by these names is what `refinements` applies, so that
 * no endpoint documents a filter and forgets it. Decimals are text.
 */
export type Filters = Static<TObject<typeof filterParameters>> & Record<`attr.${string}`, string[]>;
