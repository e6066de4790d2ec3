import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { compareListings } from '../elasticsearch/find-matches.js';
import { getStoredListing } from '../elasticsearch/documents.js';
import { notFound } from '../errors.js';
import { ComparisonSchema, matchFilterParameters } from './shared/comparison.js';
import { isPossibleId } from './shared/product-ids.js';

export const compare = endpoint({
  tag: 'Comparison',
  summary: 'The same product on other platforms',
  description:
    'Matches are other listings of the same product: another model, colour, capacity or pack size is another ' +
    'product. The score is a probability, and only what is more likely than not is shown. The price limits apply ' +
    'to the matches alone.',
  query: Type.Object({
    product_id: Type.Integer({ description: 'Product id' }),
    ...matchFilterParameters,
  }),
  responses: {
    200: { description: 'The matches', schema: ComparisonSchema },
    400: { description: 'Price limits that cross' },
    404: { description: 'No listing has this id', example: { detail: 'Product not found' } },
  },
  cached: true,
  async handle(context, { query }) {
    const { es, products } = context;
    const { product_id: id, min_price, max_price, include_same_source: includeSameSource = false } = query;
    const listing = isPossibleId(id) ? await getStoredListing(es, products, id) : null;
    if (listing === null) throw notFound('Product not found');
    const filters = { min_price, max_price, includeSameSource };
    const [body] = await compareListings(context, [listing], filters);
    return { body };
  },
});
