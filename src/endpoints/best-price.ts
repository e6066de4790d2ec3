import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchStored } from '../elasticsearch/pages.js';
import { invalid, notFound } from '../errors.js';
import { findByText } from '../elasticsearch/find-by-text.js';
import { listingsAskedFor } from '../matching/asked.js';
import { filterClauses } from '../queries/listings.js';
import { cheapest, toCandidate } from '../comparison/compare.js';
import { toProduct } from '../results/product.js';
import { filterParameters } from '../schemas/filters.js';
import { ProductSchema } from '../schemas/product.js';

/** Listings that the text finds, of which the product asked for is picked. */
const CANDIDATES = 100;

/** To tell the product asked for among them takes as long as four searches. */
const PLACES = 4;

const PRICED = { exists: { field: 'internal.price_units' } };

export const bestPrice = endpoint({
  tag: 'Comparison',
  summary: 'The cheapest listing of a product',
  description:
    'The listing of the product that `q` names, in stock before out of stock (one that does not say counts as in ' +
    'stock), then the cheapest in one currency. An accessory or another model is no answer unless it was asked ' +
    'for; what `q` leaves open, such as the colour, may be anything. Listings without a price are left out.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Product name, as precise as you like',
      examples: ['wireless headphones'],
    }),
    category: filterParameters.category,
  }),
  responses: {
    200: { description: 'The cheapest listing', schema: ProductSchema },
    404: {
      description: 'No listing with a price is that product',
      example: { detail: 'No products found for query' },
    },
  },
  cached: true,
  cost: () => ({ pool: 'heavy', places: PLACES }),
  async handle({ es, products, config, rates }, { query }) {
    const q = query.q.trim();
    if (q === '') {
      const msg = 'String should have at least 1 character';
      throw invalid([{ loc: ['query', 'q'], msg, type: 'string_too_short' }]);
    }
    const filter = [...filterClauses(query), PRICED];
    const { listings } = await findByText(q, { filter }, (selection) =>
      searchStored(es, products, selection, { limit: CANDIDATES, offset: 0 }),
    );
    const candidates = listings.map((listing) => ({
      ...toCandidate(listing, listing.currency, rates),
      listing,
    }));
    const asked = listingsAskedFor(q, candidates).map(({ listing }) => listing);
    const best = cheapest(asked, rates);
    const event = { query: q, results: asked.length };
    if (best === null) throw notFound('No products found for query', event);
    return { body: toProduct(best, config), event };
  },
});
