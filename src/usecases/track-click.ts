import type { Caller, Context } from './context.js';
import { parseUrl } from '../listing/url.js';
import { visitorOf } from '../platform/access/client-address.js';
import { notFound } from '../platform/errors.js';
import type { Product } from '../schemas/product.js';
import { isPossibleId } from '../products/product-ids.js';

/** Redirects to the page of a listing in its shop. @throws ApiError 404 if there is no listing or no usable URL. */
export async function trackClick(
  { readListing, config, now }: Context,
  id: number,
  { method, address }: Caller,
) {
  const bytes = isPossibleId(id) ? await readListing(id) : null;
  const listing = bytes === null ? null : (JSON.parse(bytes.toString()) as Product);
  const url = listing === null ? null : shopUrl(listing);
  if (listing === null || url === null) throw notFound('Product not found');
  const product = { id, source: listing.source };
  const visitor = visitorOf(address(), now(), config.jwtSecrets[0]);
  return {
    status: 302,
    headers: { Location: url, 'Cache-Control': 'no-store' },
    // A HEAD request only inspects the link, so it is not counted as a click.
    event: method === 'HEAD' ? { product } : { action: 'click' as const, product, visitor },
  };
}

/** Returns the purchase URL in the form of a header value; null if it is missing or not http or https. */
function shopUrl({ buy_url }: Product): string | null {
  const url = buy_url === null ? null : parseUrl(buy_url);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}
