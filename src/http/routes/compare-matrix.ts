import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { compareListings } from '../../usecases/shared/find-matches.js';
import { getStoredListings } from '../../engine/documents.js';
import { CANDIDATE_FIELDS } from '../../engine/queries/candidates.js';
import { ComparisonSchema, matchFilterParameters } from '../../usecases/compare/schemas.js';
import { allKnown, distinctIds, productIds } from '../../usecases/shared/product-ids.js';

const MatrixSchema = Type.Object(
  {
    comparisons: Type.Array(ComparisonSchema, { description: 'One for each product, in request order' }),
    total_products: Type.Integer({ description: 'Length of `comparisons`' }),
  },
  { $id: 'ComparisonMatrix' },
);

export const compareMatrix = endpoint({
  tag: 'Comparison',
  summary: 'Two to twenty products at once, each with its matches on other platforms',
  description: 'Each comparison is what `GET /v1/products/compare` answers for that product.',
  body: Type.Object({ product_ids: productIds(20), ...matchFilterParameters }),
  responses: {
    200: { description: 'The comparisons', schema: MatrixSchema },
    400: { description: 'Price limits that cross' },
    404: { description: 'An id that no listing has', example: { detail: 'Product not found: 12' } },
  },
  cached: true,
  cost: ({ body }) => ({ pool: 'heavy', slots: body.product_ids.length }),
  async handle(context, { body }) {
    const { es, products } = context;
    const { min_price, max_price, include_same_source: includeSameSource = false } = body;
    const ids = distinctIds(body.product_ids);
    const listings = allKnown(ids, await getStoredListings(es, products, ids, CANDIDATE_FIELDS));
    const filters = { min_price, max_price, includeSameSource };
    const comparisons = await compareListings(context, listings, filters);
    return { body: { comparisons, total_products: comparisons.length } };
  },
});
