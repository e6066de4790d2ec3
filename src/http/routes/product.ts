import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import { productBytes } from '../../engine/listing-bytes.js';
import { ProductSchema } from '../../schemas/product.js';
import { isPossibleId } from '../../usecases/shared/product-ids.js';

export const product = endpoint({
  tag: 'Listings',
  summary: 'Retrieve a listing',
  pathParameters: Type.Object({ product_id: Type.Integer({ description: 'Product id' }) }),
  responses: {
    200: { description: 'The listing', schema: ProductSchema },
    404: { description: 'No listing has this id', example: { detail: 'Product not found' } },
  },
  async handle({ readListing, config }, { path }) {
    const id = path.product_id;
    const listing = isPossibleId(id) ? await readListing(id) : null;
    if (listing === null) throw notFound('Product not found');
    return { body: productBytes(listing, config) };
  },
});
