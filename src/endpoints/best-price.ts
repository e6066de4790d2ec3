import { Type } from 'typebox';
import type { StoredListing } from '../catalogue/listing.js';
import { endpoint, type Context } from '../endpoint.js';
import { searchStored } from '../engine.js';
import { invalid, notFound } from '../errors.js';
import { listingsAskedFor } from '../matching/asked.js';
import { BY_RELEVANCE, filterClauses } from '../queries/listings.js';
import { searchText } from '../queries/search.js';
import { correctedQuery, correctedText, spellingSuggestion } from '../queries/spelling.js';
import { cheapest, toCandidate } from '../results/compare.js';
import { toProduct } from '../results/product.js';
import { filterParameters, ProductSchema } from '../schemas.js';

/** Listings that the text finds, of which the product asked for is picked. */
const CANDIDATES = 100;

export const bestPrice = endpoint({
  method: 'get',
  path: '/v1/products/best-price',
  name: 'best_price',
  access: 'key',
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
  async handle(context, { query }) {
    const q = query.q.trim();
    if (q === '') {
      const msg = 'String should have at least 1 character';
      throw invalid([{ loc: ['query', 'q'], msg, type: 'string_too_short' }]);
    }
    const { config, rates } = context;
    const found = await findByText(context, q, query.category);
    const candidates = found.map((listing) => ({
      ...toCandidate(listing, listing.currency, rates),
      listing,
    }));
    const asked = listingsAskedFor(q, candidates).map(({ listing }) => listing);
    const best = cheapest(asked, rates);
    if (best === null) throw notFound('No products found for query');
    return { body: toProduct(best, config) };
  },
});

/** Priced listings by text, the most relevant first, with typos corrected as in search. */
async function findByText({ es, products }: Context, q: string, category?: string): Promise<StoredListing[]> {
  const filter = [...filterClauses({ category }), { exists: { field: 'internal.price_units' } }];
  const slice = { limit: CANDIDATES, offset: 0 };
  const ranked = (must: ReturnType<typeof searchText>) => ({
    query: { bool: { must, filter } },
    sort: BY_RELEVANCE,
  });
  const suggest = spellingSuggestion(q);
  const found = await searchStored(es, products, { ...ranked(searchText(q)), suggest }, slice);
  const corrected = correctedText(q, found.suggest);
  if (corrected === null) return found.listings;
  return (await searchStored(es, products, ranked(correctedQuery(q, corrected)), slice)).listings;
}
