import { Type } from 'typebox';
import { matchReasons } from '../../schemas/match-reasons.js';
import { Decimal } from '../../schemas/types.js';
import { ProductSchema } from '../../schemas/product.js';

/** Parameters of the matches, which the query of `compare` and the body of the matrix share. */
export const matchFilterParameters = {
  min_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'Lowest price of a match, inclusive; leaves out those without a price',
    }),
  ),
  max_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'Highest price of a match, inclusive; leaves out those without a price',
    }),
  ),
  include_same_source: Type.Optional(
    Type.Boolean({ default: false, description: "Also listings of the product's own platform" }),
  ),
};

export const ProductMatchSchema = Type.Object(
  {
    ...ProductSchema.properties,
    match_score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Probability that it is the same product; 0.5 or more',
      examples: [0.9871],
    }),
    match_reasons: matchReasons('What agreed, strongest first'),
  },
  { $id: 'ProductMatch' },
);

export const ComparisonSchema = Type.Object(
  {
    source_product_id: Type.Integer({
      description: 'The product that was asked for',
      examples: [4503599627370497],
    }),
    source_product_name: Type.String({ examples: ['AX1000M5 by Auralis, black'] }),
    matches: Type.Array(ProductMatchSchema, {
      description:
        'The same product elsewhere: best score first, then lowest price (in one currency), then id',
    }),
    total_matches: Type.Integer({ description: 'Length of `matches`' }),
  },
  { $id: 'Comparison', description: 'Where else a product is on offer' },
);
