import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { offsetParameter, paging, SearchPageSchema } from '../../schemas/page.js';
import { LIMITS } from '../../schemas/product.js';
import { component, integer, optional, text } from '../../schemas/types.js';
import { listBrands, MAX_BRANDS } from '../../usecases/brands.js';

const BrandPageSchema = component('BrandPage', 'One page of brands', {
  ...SearchPageSchema.properties,
  total: integer('The number of brands that match'),
  items: Type.Array(
    Type.Object({
      brand: text('The most frequent spelling of the brand'),
      listings: integer('The number of listings of the brand'),
    }),
  ),
});

export const brands = endpoint({
  tag: 'Listings',
  summary: 'List brands, sorted by their number of listings',
  description: 'Spellings that differ only in case or accents count as one brand.',
  query: Type.Object({
    q: optional.String({
      maxLength: LIMITS.brand,
      description: 'The beginning of the brand name. Case and accents are ignored',
      examples: ['so'],
    }),
    limit: paging(20).limit,
    offset: offsetParameter(
      MAX_BRANDS - 1,
      `The number of brands to skip. \`offset\` and \`limit\` together must not exceed ${MAX_BRANDS}`,
    ),
  }),
  cached: true,
  responses: {
    200: { description: 'A page of brands', schema: BrandPageSchema },
    400: {
      description: `The page ends after the first ${MAX_BRANDS} brands`,
      example: {
        detail: `offset and limit together must not exceed ${MAX_BRANDS}; use q to list fewer brands`,
      },
    },
  },
  handle: (context, { query }) => listBrands(context, query),
});
