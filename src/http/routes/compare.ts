import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters, MAX_FILTER } from '../../engine/queries/filters.js';
import { MAX_CONSIDERED } from '../../matching/stored-matches.js';
import { ComparisonSchema, matchFilterParameters } from '../../schemas/comparison.js';
import { includeMember, includeParameter, ListedProductSchema } from '../../schemas/include.js';
import { CONTRADICTIONS, matchReasons } from '../../schemas/match-reasons.js';
import { ConsideredMatchSchema } from '../../schemas/explain.js';
import { CONDITIONS } from '../../schemas/condition.js';
import { invalid } from '../../platform/errors.js';
import { compareByIds, compareOne } from '../../usecases/compare/compare.js';
import { diffByIds } from '../../usecases/compare/diff.js';
import { SIMILARITY_REASONS } from '../../usecases/compare/image-similarity.js';
import { priceCurrencyIssues } from '../../products/list-requests.js';
import { noSuchProduct, noSuchProducts, productIds } from '../../products/product-ids.js';
import {
  component,
  Enum,
  flag,
  flagParameter,
  integer,
  listOf,
  nullable,
  optional,
  orNull,
  probability,
  text,
} from '../../schemas/types.js';

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

const DiffProductSchema = component('DiffProduct', {
  ...ListedProductSchema.properties,
  price_rank: Type.Integer({
    minimum: 1,
    description:
      'One more than the number of products that are cheaper. Equal prices share a rank; a missing price ranks last',
  }),
});

const FieldDiffSchema = Type.Object(
  {
    field: text(
      'A field of the Product other than id, links, times and metadata; or `metadata.NAME`, an attribute that at least ' +
        'two of the products have (`metadata.NAME.NAME` within an object)',
    ),
    values: listOf(
      Type.String(),
      'One text for each product, in the order of the request. Unknown values are empty, and lists are joined with ` > `',
    ),
    all_identical: flag('Whether all values are equal'),
  },
  {
    $id: 'FieldDiff',
    examples: [{ field: 'metadata.colour', values: ['black', 'silver'], all_identical: false }],
  },
);

const ImageSimilaritySchema = component('ImageSimilarity', {
  product_ids: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
  similarity: orNull(
    Type.Number({ minimum: 0, maximum: 1 }),
    '1 for the same image, 0 for images that have nothing in common',
  ),
  reason: Enum(SIMILARITY_REASONS, {
    description: 'The basis of the similarity, or the reason why it is null',
  }),
});

export const SameProductSchema = component('SameProduct', 'Whether two listings are the same product', {
  a: integer('The lower one of the two ids'),
  b: Type.Integer(),
  score: probability(
    'The probability that the two listings are the same product, as in a comparison of `a`. At least 0.5 if they are ' +
      'linked as one product',
    0.9871,
  ),
  reasons: matchReasons('What agrees, strongest first'),
  contradictions: listOf(
    Enum(CONTRADICTIONS),
    'What differs. `decision`: people decided that they are different products; `variant`: such as Pro and Lite; `kind`: ' +
      'such as a product and its accessory. Most differences keep the score below 0.5, whatever agrees',
  ),
});

export const CompareDiffSchema = component('CompareDiff', 'Products side by side', {
  products: listOf(DiffProductSchema, 'The products, in the order of the request'),
  field_diffs: listOf(FieldDiffSchema, 'All fields that were compared'),
  identical_fields: listOf(Type.String(), 'The names of the fields that are equal in all products', [
    'brand',
    'category',
    'currency',
  ]),
  cheapest_product_id: orNull(
    Type.Integer({ examples: [4503599627370496] }),
    'The product with the lowest price. Ties go to the lowest id. Null if no price can be compared',
  ),
  most_expensive_product_id: orNull(
    Type.Integer({ examples: [4503599627370497] }),
    'The product with the highest price. Ties go to the lowest id. Null if no price can be compared',
  ),
  price_spread: nullable(
    'string',
    'The highest price minus the lowest price, a decimal string in `currency`',
    { pattern: '^\\d+\\.\\d{2,}$', examples: ['80.00'] },
  ),
  price_spread_pct: orNull(
    Type.Number({ examples: [22.92] }),
    'The price spread in percent of the lowest price, with two decimals',
  ),
  currency: nullable(
    'string',
    'The currency of `price_spread`: that of the first product, or the first one that has a rate',
    { examples: ['SGD'] },
  ),
  image_similarity: optional.listOf(
    ImageSimilaritySchema,
    'With `include_image_similarity=true`: the similarity of every pair of images',
  ),
  same_product: optional.Array(SameProductSchema, {
    maxItems: 10,
    description:
      'With `explain=true`: for every pair of the products, whether they are the same product, sorted by `a` and `b`',
  }),
});

export const compareDiff = endpoint({
  tag: 'Comparison',
  summary: 'Compare 2 to 5 listings field by field',
  description:
    'Prices in several currencies are converted with a dated table of exchange rates. Prices without a rate rank last and ' +
    'are excluded from the spread, as are listings without a price. Image similarity is computed from perceptual hashes ' +
    'that were stored beforehand; no image is fetched for a request.',
  // Other endpoints take `explain` in the query, so clients send it there as well.
  query: Type.Object({ explain: optional.flag('As in the body') }),
  body: Type.Object({
    product_ids: productIds(5),
    include_image_similarity: flagParameter('Whether to compare the images of every pair as well'),
    include: includeMember,
    explain: flagParameter(
      'Adds `same_product` to the body: how likely each pair is the same product, and why',
    ),
  }),
  responses: { 200: { description: 'The comparison', schema: CompareDiffSchema }, 404: noSuchProducts },
  async handle(context, { query, body }) {
    const { product_ids: ids, include_image_similarity: withImages = false, include = [] } = body;
    const explain = (body.explain ?? false) || (query.explain ?? false);
    return { body: await diffByIds(context, ids, { withImages, explain, include }) };
  },
});
