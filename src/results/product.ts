import type { Product, StoredListing } from '../catalogue/listing.js';

/**
 * The one place that makes a Product of a stored listing: nothing internal, and a tracked link to this service
 * where the feed brought none. What is stored has the public shape and order already.
 * @param publicUrl where clients reach the service, without a trailing slash.
 */
export function toProduct(listing: Product | StoredListing, publicUrl: string): Product {
  const { internal: _internal, ...product } = listing as StoredListing;
  return { ...product, affiliate_url: product.affiliate_url ?? `${publicUrl}/track/${product.id}` };
}
