import { Type } from 'typebox';
import { failure } from './errors.js';
import { ProductSchema } from './product.js';
import { component, countParameter, documentedAs, flag, integer } from './types.js';

/** The maximum offset. To read more listings, clients use the export. */
export const MAX_OFFSET = 1_000_000;

export const OFFSET_TOO_LARGE = `offset must not exceed ${MAX_OFFSET}; use GET /v1/products/export to read the whole catalogue`;

/** The response 400 of endpoints whose parameters are otherwise valid in any combination. */
export const offsetTooLarge = failure('The offset is too large', OFFSET_TOO_LARGE);

/** A larger offset is answered with 400 instead of 422, so the maximum is documented but not validated here. */
export const offsetParameter = (maximum: number, description: string) =>
  Type.Optional(documentedAs(Type.Integer({ minimum: 0, default: 0, description }), { maximum }));

export const paging = (defaultLimit: number, maxLimit = 100) => ({
  limit: countParameter(maxLimit, defaultLimit, 'The maximum number of items on a page'),
  offset: offsetParameter(
    MAX_OFFSET,
    `The number of items to skip. A value above ${MAX_OFFSET.toLocaleString('en-US')} is answered with 400`,
  ),
});

export const SearchPageSchema = component('SearchPage', 'One page of listings', {
  total: integer('Exact number of matching listings'),
  limit: integer('The `limit` of the request, or its default', 20),
  offset: integer('The `offset` of the request, or its default', 0),
  has_more: flag('Whether there is a next page'),
  items: Type.Array(ProductSchema),
});
