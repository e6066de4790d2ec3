import { Type } from 'typebox';
import { ProductSchema } from './product.js';

/** The last offset that pages; beyond it a client is better served by an export. */
export const MAX_OFFSET = 1_000_000;

/** `limit` and `offset` of the paged endpoints. */
export const paging = (defaultLimit: number, maxLimit = 100) => ({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit, description: 'Page size' }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: `Listings to leave out before the page; over ${MAX_OFFSET} gives 400`,
    }),
  ),
});

export const SearchPageSchema = Type.Object(
  {
    total: Type.Integer({ description: 'Exact number of matching listings' }),
    limit: Type.Integer({ description: 'Page size used', examples: [20] }),
    offset: Type.Integer({ description: 'Offset used', examples: [0] }),
    has_more: Type.Boolean({ description: 'Whether a later page has anything' }),
    items: Type.Array(ProductSchema),
  },
  { $id: 'SearchPage', description: 'One page of listings' },
);
