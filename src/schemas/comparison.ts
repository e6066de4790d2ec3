import { Type } from 'typebox';
import { includedMembers } from './include.js';
import { matchReasons } from './match-reasons.js';
import { Decimal, flagParameter } from './types.js';
import { ProductSchema } from './product.js';

/** The parameters that filter the matches of a listing. */
export const matchFilterParameters = {
  min_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'The minimum price of a match, inclusive. Excludes listings without a price',
    }),
  ),
  max_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'The maximum price of a match, inclusive. Excludes listings without a price',
    }),
  ),
  price_currency: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      description:
        'Currency of the price limits. Prices are compared after conversion; those without an exchange rate are excluded',
    }),
  ),
  include_same_source: flagParameter("Whether matches may also be on the product's own platform"),
};

const ProductMatchSchema = Type.Object(
  {
    ...ProductSchema.properties,
    ...includedMembers,
    match_score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The probability that it is the same product, at least 0.5',
      examples: [0.9871],
    }),
    match_reasons: matchReasons('What agrees, strongest first'),
  },
  { $id: 'ProductMatch' },
);

export const ComparisonSchema = Type.Object(
  {
    source_product_id: Type.Integer({
      description: 'The id of the product in the request',
      examples: [4503599627370497],
    }),
    source_product_name: Type.String({ examples: ['AX1000M5 by Auralis, black'] }),
    matches: Type.Array(ProductMatchSchema, {
      description:
        'Listings of the same product, sorted by score, then by price converted to one currency, then by id',
    }),
    total_matches: Type.Integer({ description: 'The number of `matches`' }),
  },
  { $id: 'Comparison', description: 'A product and its matches on other platforms' },
);
