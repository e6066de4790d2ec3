import { Type } from 'typebox';
import { ProductSchema } from './product.js';
import { documentedAs } from './types.js';

/** The last offset that pages; beyond it a client is better served by an export. */
export const MAX_OFFSET = 1_000_000;

/** `limit` and `offset` of the paged endpoints. */
export const paging = (defaultLimit: number, maxLimit = 100) => ({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit, description: 'Page size' }),
  ),
  // A larger offset is a 400, as the contract has it, and not a 422.
  offset: Type.Optional(
    documentedAs(
      Type.Integer({
        minimum: 0,
        default: 0,
        description: `Listings to leave out before the page; more than ${MAX_OFFSET} is 400`,
      }),
      { maximum: MAX_OFFSET },
    ),
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
