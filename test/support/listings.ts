import { assert } from 'chai';
import type { Product } from '../../src/schemas/product.js';
import type { StoredListing } from '../../src/listing/listing.js';
import type { Candidate } from '../../src/matching/evidence.js';
import { asCandidate } from '../../src/matching/requested/requested-product.js';
import type { Api } from './api.js';

/**
 * Returns a feed record with the given fields, and with ordinary values for the fields that every record
 * needs.
 */
export function record(fields: { sku: string } & Record<string, unknown>): Record<string, unknown> {
  return { source: 'shop_a', name: `Listing ${fields.sku}`, price: '10.00', currency: 'SGD', ...fields };
}

/** Returns a feed record with a SKU, a name, a price and further fields. */
export const offer = (
  sku: string,
  name: string,
  price: string | null = '10.00',
  fields: Record<string, unknown> = {},
): Record<string, unknown> => record({ sku, name, price, ...fields });

/** Returns the SKUs of a page in their order. */
export const skus = (body: { items: { sku: string }[] }): string[] => body.items.map(({ sku }) => sku);

/** Puts listings into one product group, as `npm run link` does. */
export async function groupListings(api: Api, members: readonly string[]): Promise<void> {
  const ids = await Promise.all(members.map((sku) => api.id(sku)));
  await api.es.updateByQuery({
    index: api.products,
    query: { ids: { values: ids.map(String) } },
    script: {
      source: `def internal = ctx._source.internal;
        internal.group_id = internal.product_key = params.id; internal.linked_at = params.at`,
      params: { id: ids[0], at: new Date().toISOString() },
    },
    refresh: true,
  });
}

/** Returns the named field of each item, or a list of the fields if several are named. */
export function pluck(items: readonly any[] | undefined, ...fields: string[]): any[] {
  if (items === undefined) throw new Error(`there are no items of which to read ${fields.join(', ')}`);
  const [first = '', ...more] = fields;
  return items.map((item) => (more.length === 0 ? item[first] : fields.map((field) => item[field])));
}

export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Returns the value of `price_history` for a feed record. */
export const pastPrices = (...points: [price: string, daysAgo: number][]) =>
  points.map(([price, days]) => ({ price, at: daysAgo(days) }));

/** Returns a listing for matching tests, whose shop sells nothing else. */
export const candidate = (id: number, name: string, fields: Partial<Candidate> = {}): Candidate => ({
  ...asCandidate(name),
  id,
  source: `shop_${id}`,
  ...fields,
});

/** Returns a Product without optional values. */
export const product = (fields: Partial<Product> = {}): Product => ({
  id: 1,
  sku: 'A1',
  source: 'shop_a',
  merchant_id: null,
  name: 'Kettle',
  description: null,
  price: '10.00',
  currency: 'SGD',
  buy_url: 'https://shop.example/1',
  affiliate_url: null,
  image_url: null,
  brand: null,
  category: null,
  category_path: [],
  rating: null,
  is_available: true,
  last_checked: null,
  metadata: null,
  updated_at: '2026-01-01T00:00:00Z',
  ...fields,
});

/** Asserts that the numbers are in the stated order. */
export function assertSorted(
  numbers: readonly number[],
  order: 'ascending' | 'descending',
  message?: string,
): void {
  const ascending = numbers.toSorted((a, b) => a - b);
  assert.deepEqual(numbers, order === 'ascending' ? ascending : ascending.toReversed(), message);
}

/** Returns a stored listing without what it records about its writes, which depends on when and by which run it was written. */
export function withoutChanges({
  internal: { changes: _changes, lineage: _lineage, ...internal },
  ...listing
}: StoredListing) {
  return { ...listing, internal };
}
