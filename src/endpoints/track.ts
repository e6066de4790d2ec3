import { Type } from 'typebox';
import type { Product } from '../schemas/product.js';
import { endpoint } from '../endpoint.js';
import { notFound } from '../errors.js';
import { isPossibleId } from './shared/product-ids.js';

export const track = endpoint({
  tag: 'Tracking',
  summary: 'Follow a tracked link to the shop',
  description: 'Where `affiliate_url` leads unless the feed brings a link of its own. Counted by address.',
  pathParameters: Type.Object({ product_id: Type.Integer({ description: 'Product id' }) }),
  responses: {
    302: {
      description: 'To the shop',
      headers: { Location: { description: "The listing's `buy_url`", schema: { type: 'string' } } },
    },
    404: {
      description: 'No listing has this id, or it has no link',
      example: { detail: 'Product not found' },
    },
  },
  async handle({ readListing }, { path }) {
    const id = path.product_id;
    const found = isPossibleId(id) ? await readListing(id) : null;
    const listing = found === null ? null : (JSON.parse(found.toString()) as Product);
    const url = listing?.buy_url ?? null;
    if (listing === null || url === null) throw notFound('Product not found');
    // A feed may write an address in any script; a header holds ASCII alone.
    return {
      status: 302,
      headers: { Location: new URL(url).href, 'Cache-Control': 'no-store' },
      event: { action: 'click', product: { id, source: listing.source } },
    };
  },
});
