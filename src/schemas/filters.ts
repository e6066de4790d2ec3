import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { LIMITS } from './product.js';
import { Decimal, List } from './types.js';

/** Values of one parameter, and characters of each. */
export const MOST = { values: 20, characters: 200 };

/** Names of `attr.NAME` in one request. */
export const MOST_ATTRIBUTES = 10;

/** Several values in one parameter, of which a listing must have one. */
const anyOf = (description: string, example?: string) =>
  List('|', Type.String({ maxLength: MOST.characters }), {
    maxItems: MOST.values,
    description: `${description}; one of several values is enough`,
    ...(example === undefined ? {} : { examples: [[example]] }),
  });

/** A filter that search, export, trending and deals share: `refinements` makes a clause of it. */
export interface FilterDefinition<Schema extends TSchema = TSchema> {
  schema: Schema;
  /**
   * Whether a listing can begin or cease to pass while the catalogue stays as it is. An answer that depends on such a
   * filter is not cached.
   */
  changesWithTime: boolean;
}

const byListing = <Schema extends TSchema>(schema: Schema) => ({ schema, changesWithTime: false });
const byTime = <Schema extends TSchema>(schema: Schema) => ({ schema, changesWithTime: true });

const FILTERS = {
  category: byListing(
    Type.String({
      description:
        'Part of the primary category name, in upper or lower case; every character means itself. With `>` in it ' +
        'also levels that follow one another anywhere in the category path, each in full: `Audio > Headphones`',
      // No category is longer, and the engine refuses patterns of some hundred characters.
      maxLength: LIMITS.category,
    }),
  ),
  category_path: byListing(
    anyOf(
      'The first levels of the category path, each in full but for case and accents: `Electronics > TVs`',
    ),
  ),
  min_price: byListing(
    Decimal({
      minimum: 0,
      description:
        'Lowest price, inclusive; leaves out listings without a price. A value above `max_price` is 400',
    }),
  ),
  max_price: byListing(
    Decimal({ minimum: 0, description: 'Highest price, inclusive; leaves out listings without a price' }),
  ),
  platform: byListing(anyOf('Source platform code, such as `shopee_sg`, in upper or lower case')),
  source: byListing(
    anyOf('Source platform code; another name for `platform`, which wins where both are given'),
  ),
  brand: byListing(anyOf('Brand in full, but for case and accents')),
  currency: byListing(anyOf('ISO 4217 code of the price, in upper or lower case')),
  in_stock: byListing(Type.Boolean({ description: 'true: in stock; false: out of stock; absent: both' })),
  min_rating: byListing(
    Decimal({
      minimum: 0,
      maximum: 5,
      description: 'Lowest rating, inclusive; leaves out listings without one',
    }),
  ),
  max_age_s: byTime(
    Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description: 'Seconds since `last_checked` at most; leaves out listings that were never checked',
    }),
  ),
  has_image: byListing(Type.Boolean({ description: 'Whether there is an `image_url`' })),
} satisfies Record<string, FilterDefinition>;

type FilterParameters = {
  [name in keyof typeof FILTERS]: ReturnType<typeof Type.Optional<(typeof FILTERS)[name]['schema']>>;
};

/** The filters as parameters of an endpoint. */
export const filterParameters = Object.fromEntries(
  Object.entries(FILTERS).map(([name, { schema }]) => [name, Type.Optional(schema as TSchema)]),
) as unknown as FilterParameters;

/** Whether what passes the filters can change while the catalogue stays as it is. */
export const changesWithTime = (filters: Partial<Filters>): boolean =>
  Object.entries(FILTERS).some(
    ([name, filter]) => filter.changesWithTime && filters[name as keyof typeof FILTERS] !== undefined,
  );

/** For endpoints that leave out flagged prices or put them last. */
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
    '^attr\\.': anyOf(
      'Value of an attribute that feeds state in `metadata`, such as `attr.colour=black`, in full; case and accents ' +
        `do not matter. At most ${MOST_ATTRIBUTES} names. \`attr.color\` and \`attr.colour\` are the same attribute`,
    ),
  },
};

/**
 * Which listings, besides their text: what requests have of it by these names is what `refinements` applies, so that
 * no endpoint documents a filter and forgets it. Decimals are text.
 */
export type Filters = Static<TObject<typeof filterParameters>> & Record<`attr.${string}`, string[]>;
