import { Type } from 'typebox';
import { ListedProductSchema } from './include.js';
import { matchReasons } from './match-reasons.js';
import { component, flagParameter, integer, listOf, optional, probability } from './types.js';

/** The parameters that filter the matches of a listing. */
export const matchFilterParameters = {
  min_price: optional.Decimal({
    minimum: 0,
    description: 'The minimum price of a match, inclusive. Excludes listings without a price',
  }),
  max_price: optional.Decimal({
    minimum: 0,
    description: 'The maximum price of a match, inclusive. Excludes listings without a price',
  }),
  price_currency: optional.String({
    pattern: '^[A-Za-z]{3}$',
    description:
      'Currency of the price limits. Prices are compared after conversion; those without an exchange rate are excluded',
  }),
  include_same_source: flagParameter("Whether matches may also be on the product's own platform"),
};

const ProductMatchSchema = component('ProductMatch', {
  ...ListedProductSchema.properties,
  match_score: probability('The probability that it is the same product, at least 0.5', 0.9871),
  match_reasons: matchReasons('What agrees, strongest first'),
});

export const ComparisonSchema = component('Comparison', 'A product and its matches on other platforms', {
  source_product_id: integer('The id of the product in the request', 4503599627370497),
  source_product_name: Type.String({ examples: ['AX1000M5 by Auralis, black'] }),
  matches: listOf(
    ProductMatchSchema,
    'Listings of the same product, sorted by score, then by price converted to one currency, then by id',
  ),
  total_matches: integer('The number of `matches`'),
});
