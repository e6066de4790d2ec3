import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters, MAX_FILTER } from '../../engine/queries/filters.js';
import { MAX_CONSIDERED } from '../../matching/stored-matches.js';
import { ComparisonSchema, matchFilterParameters } from '../../schemas/comparison.js';
import { includeMember, includeParameter } from '../../schemas/include.js';
import { ConsideredMatchSchema } from '../../schemas/explain.js';
import { CONDITIONS } from '../../schemas/condition.js';
import { invalid } from '../../platform/errors.js';
import { compareByIds, compareOne } from '../../usecases/compare/compare.js';
import { priceCurrencyIssues } from '../../products/list-requests.js';
import { noSuchProduct, noSuchProducts, productIds } from '../../products/product-ids.js';
import { component, Enum, integer, listOf, optional } from '../../schemas/types.js';

const ComparedSchema = component('ExplainedComparison', 'A product and its matches on other platforms', {
  ...ComparisonSchema.properties,
  considered: optional.Array(ConsideredMatchSchema, {
    maxItems: MAX_CONSIDERED,
    description: 'With `explain=true`: the candidates that are not a match, the highest score first',
  }),
});

export const compare = endpoint({
  tag: 'Comparison',
  summary: 'Find the same product on other platforms',
  description:
    'Matches are other listings of the same product. Another model, colour, capacity or pack size is another product. ' +
    '`match_score` is the probability that a listing is the same product; only listings with at least 0.5 are returned. Price ' +
    'limits apply to the matches, not to the product itself.',
  query: Type.Object({
    product_id: integer('Product id'),
    ...matchFilterParameters,
    condition: filterParameters.condition,
    include: includeParameter(),
    explain: optional.flag(
      `Adds \`considered\` to the body: up to ${MAX_CONSIDERED} candidates that are not a match, with the reason`,
    ),
  }),
  responses: {
    200: { description: 'The matches', schema: ComparedSchema },
    400: { description: 'The minimum price exceeds the maximum price' },
    404: noSuchProduct,
  },
  check: priceCurrencyIssues,
  cached: true,
  handle: async (context, { query }) => ({ body: await compareOne(context, query.product_id, query) }),
});

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
      maxItems: MAX_FILTER.values,
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
