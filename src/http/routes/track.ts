import { Type } from 'typebox';
import { visitorOf } from '../../platform/access/visitor.js';
import type { Product } from '../../schemas/product.js';
import { parseUrl } from '../../listing/url.js';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import { isPossibleId } from '../../usecases/shared/product-ids.js';

export const track = endpoint({
  tag: 'Tracking',
  summary: 'Follow a tracked link to the shop',
  description:
    'Where `affiliate_url` leads unless the feed brings a link of its own. Limited by address, also while Redis is away; ' +
    'clicks are recorded in the background.',
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
  async handle({ readListing, config, now }, { path }, { method, address }) {
    const id = path.product_id;
    const found = isPossibleId(id) ? await readListing(id) : null;
    const listing = found === null ? null : (JSON.parse(found.toString()) as Product);
    const url = listing === null ? null : shopUrl(listing);
    if (listing === null || url === null) throw notFound('Product not found');
    const product = { id, source: listing.source };
    const visitor = visitorOf(address, now(), config.jwtSecrets[0]);
    return {
      status: 302,
      headers: { Location: url, 'Cache-Control': 'no-store' },
      // Whoever only looks where a link leads goes to no shop.
      event: method === 'HEAD' ? { product } : { action: 'click', product, visitor },
    };
  },
});

/** Where a listing is sold, as a header can hold it; null: nowhere that a browser should be sent to. */
function shopUrl({ buy_url }: Product): string | null {
  const url = buy_url === null ? null : parseUrl(buy_url);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}
