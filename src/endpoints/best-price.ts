import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { invalid, notFound } from '../errors.js';
import { findProduct } from '../elasticsearch/find-product.js';
import { filterClauses } from '../queries/listings.js';
import { byBestPrice } from '../comparison/compare.js';
import { toProduct } from '../results/product.js';
import { filterParameters } from '../schemas/filters.js';
import { ProductSchema } from '../schemas/product.js';

const OfferSchema = Type.Object(
  {
    ...ProductSchema.properties,
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How surely it is the product that `q` names; 1: `q` is its GTIN or SKU',
    }),
  },
  { $id: 'PricedOffer' },
);

const OffersSchema = Type.Object(
  {
    items: Type.Array(OfferSchema, {
      description: 'In stock first, then by price in one currency, then by id',
    }),
  },
  { $id: 'PricedOffers', description: 'The offers of a product, the best first' },
);

/** To tell the product asked for among its candidates takes as long as four searches. */
const PLACES = 4;

export const bestPrice = endpoint({
  tag: 'Comparison',
  summary: 'The cheapest listing of a product',
  description:
    'The listing of the product that `q` names, in stock before out of stock (one that does not say counts as in ' +
    'stock), then the cheapest in one currency. A GTIN in any form, a SKU or a model number names it at once; of other ' +
    'words every one that tells a product must be accounted for, and sizes, numbers and colours be the listing’s own. An ' +
    'accessory or another model is no answer unless it was asked for; what `q` leaves open, such as the colour, may ' +
    'be anything. Other wordings of the same product count. Listings without a price are left out. With a `limit` above ' +
    '1 the next best follow: the body is then `{items: […]}`.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Product name, as precise as you like, or an identifier',
      examples: ['wireless headphones'],
    }),
    category: filterParameters.category,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 1,
        description: 'How many offers; 1: the bare Product',
      }),
    ),
  }),
  responses: {
    200: { description: 'The cheapest listing', schema: Type.Union([ProductSchema, OffersSchema]) },
    404: {
      description: 'No listing with a price is that product',
      example: { detail: 'No products found for query' },
    },
  },
  cached: true,
  cost: () => ({ pool: 'heavy', places: PLACES }),
  async handle(context, { query }) {
    const q = query.q.trim();
    if (q === '') {
      const msg = 'String should have at least 1 character';
      throw invalid([{ loc: ['query', 'q'], msg, type: 'string_too_short' }]);
    }
    const { limit = 1, category } = query;
    const offers = (await findProduct(context, q, filterClauses({ category })))
      .filter(({ listing }) => listing.price !== null)
      .sort((a, b) => byBestPrice(context.rates)(a.listing, b.listing));
    const event = { query: q, results: offers.length };
    const [best] = offers;
    if (best === undefined) throw notFound('No products found for query', event);
    const shown = offers
      .slice(0, limit)
      .map(({ listing, confidence }) => ({ ...toProduct(listing, context.config), confidence }));
    return { body: limit > 1 ? { items: shown } : toProduct(best.listing, context.config), event };
  },
});
