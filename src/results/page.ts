import type { Product } from '../catalogue/listing.js';
import { type Links, toProduct } from './product.js';

/** A page of listings and the exact number of all that match. */
export interface Page {
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
  items: Product[];
}

/** @param found listings of the page in order, and the exact total. */
export function toPage(
  found: { total: number; listings: Product[] },
  { limit, offset }: { limit: number; offset: number },
  links: Links,
): Page {
  return {
    total: found.total,
    limit,
    offset,
    has_more: offset + found.listings.length < found.total && found.listings.length > 0,
    items: found.listings.map((listing) => toProduct(listing, links)),
  };
}
