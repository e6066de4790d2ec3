import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { getStoredListings } from '../../engine/documents.js';
import { SIMILARITY_REASONS } from '../../matching/image-similarity.js';
import { toDiff } from '../../usecases/compare/diff.js';
import { Enum, nullable, orNull } from '../../schemas/types.js';
import { ProductSchema } from '../../schemas/product.js';
import { allKnown, distinctIds, productIds } from '../../usecases/shared/product-ids.js';

const DiffProductSchema = Type.Object(
  {
    ...ProductSchema.properties,
    price_rank: Type.Integer({
      minimum: 1,
      description:
        'One more than how many of the products are cheaper: ties share a rank. No price ranks last',
    }),
  },
  { $id: 'DiffProduct' },
);

const FieldDiffSchema = Type.Object(
  {
    field: Type.String({
      description:
        'A Product field but id, links, times and metadata; or `metadata.NAME`, an attribute that at least two of ' +
        'the products have (`metadata.NAME.NAME` inside of an object)',
    }),
    values: Type.Array(Type.String(), {
      description: 'As text, one per product in request order; unknown is empty, lists are joined with ` > `',
    }),
    all_identical: Type.Boolean({ description: 'Whether all values are equal' }),
  },
  {
    $id: 'FieldDiff',
    examples: [{ field: 'metadata.colour', values: ['black', 'silver'], all_identical: false }],
  },
);

const ImageSimilaritySchema = Type.Object(
  {
    product_ids: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
    similarity: orNull(
      Type.Number({ minimum: 0, maximum: 1 }),
      '1 for the same image, 0 for nothing in common',
    ),
    reason: Enum(SIMILARITY_REASONS, { description: 'What the figure rests on, or why there is none' }),
  },
  { $id: 'ImageSimilarity' },
);

const CompareDiffSchema = Type.Object(
  {
    products: Type.Array(DiffProductSchema, { description: 'In request order' }),
    field_diffs: Type.Array(FieldDiffSchema, { description: 'Every compared field' }),
    identical_fields: Type.Array(Type.String(), {
      description: 'Names of the fields equal in all products',
      examples: [['brand', 'category', 'currency']],
    }),
    cheapest_product_id: orNull(
      Type.Integer({ examples: [4503599627370496] }),
      'Of ties the lowest id; null when no price compares',
    ),
    most_expensive_product_id: orNull(
      Type.Integer({ examples: [4503599627370497] }),
      'Of ties the lowest id; null when no price compares',
    ),
    price_spread: nullable('string', 'Most expensive less cheapest, a decimal string in `currency`', {
      pattern: '^\\d+\\.\\d{2,}$',
      examples: ['80.00'],
    }),
    price_spread_pct: orNull(Type.Number({ examples: [22.92] }), 'Spread ÷ cheapest × 100, two decimals'),
    currency: nullable('string', "Of `price_spread`: the first product's, or the first that has a rate", {
      examples: ['SGD'],
    }),
    image_similarity: Type.Optional(
      Type.Array(ImageSimilaritySchema, {
        description:
          'Every pair, from perceptual hashes of the images; with `include_image_similarity` alone',
      }),
    ),
  },
  { $id: 'CompareDiff', description: 'Products side by side' },
);

export const compareDiff = endpoint({
  tag: 'Comparison',
  summary: 'Two to five listings side by side, field by field',
  description:
    'Prices of different currencies are converted with a dated table of rates before they are compared; where there ' +
    'are several, those without a rate rank last and take no part in the spread, like listings without a price. ' +
    'Image similarity rests on hashes computed beforehand: no image is fetched for a request.',
  body: Type.Object({
    product_ids: productIds(5),
    include_image_similarity: Type.Optional(
      Type.Boolean({ default: false, description: 'Compare the images of every pair too' }),
    ),
  }),
  responses: {
    200: { description: 'The comparison', schema: CompareDiffSchema },
    404: { description: 'An id that no listing has', example: { detail: 'Product not found: 12' } },
  },
  async handle({ es, products, config, rates }, { body }) {
    const ids = distinctIds(body.product_ids);
    const listings = allKnown(ids, await getStoredListings(es, products, ids));
    const withImages = body.include_image_similarity === true;
    return { body: toDiff(listings, { rates, links: config, withImages }) };
  },
});
