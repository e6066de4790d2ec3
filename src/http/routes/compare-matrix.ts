import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { ComparisonSchema, matchFilterParameters } from '../../schemas/comparison.js';
import { CONDITIONS } from '../../schemas/condition.js';
import { includeMember } from '../../schemas/include.js';
import { component, Enum, integer, listOf, optional } from '../../schemas/types.js';
import { invalid } from '../../platform/errors.js';
import { compareByIds } from '../../usecases/compare/compare.js';
import { priceCurrencyIssues } from '../../products/list-requests.js';
import { noSuchProducts, productIds } from '../../products/product-ids.js';

const MatrixSchema = component('ComparisonMatrix', {
  comparisons: listOf(ComparisonSchema, 'One comparison for each product, in the order of the request'),
  total_products: integer('The number of `comparisons`'),
});

export const compareMatrix = endpoint({
  tag: 'Comparison',
  summary: 'Find 2 to 20 products on other platforms at once',
  description: 'Each comparison is equal to the response of `GET /v1/products/compare` for that product.',
  body: Type.Object({
    product_ids: productIds(20),
    ...matchFilterParameters,
    condition: optional.Array(Enum(CONDITIONS), {
      maxItems: CONDITIONS.length,
      description: 'Conditions of the goods, of which a match needs one; by default any',
    }),
    include: includeMember,
  }),
  responses: {
    200: { description: 'The comparisons', schema: MatrixSchema },
    400: { description: 'The minimum price exceeds the maximum price, or the body is incomplete or corrupt' },
    404: noSuchProducts,
  },
  cached: true,
  async handle(context, { body }) {
    const issues = priceCurrencyIssues(body, context, 'body');
    if (issues.length > 0) throw invalid(issues);
    const comparisons = await compareByIds(context, body.product_ids, body);
    return { body: { comparisons, total_products: comparisons.length } };
  },
});
