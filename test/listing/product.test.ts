import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import { toProduct } from '../../src/listing/product.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';

const listing = {
  id: 42,
  sku: 'A/1 &',
  source: 'shopee_sg',
  buy_url: 'https://shop.example/p?x=1',
  affiliate_url: null,
  internal: { list_price: '9.00' },
} as unknown as StoredListing;
const publicUrl = 'https://catalogue.example';

describe('toProduct', () => {
  it('leaves out what is internal and has the fields in their order, whatever that of the engine', () => {
    const { id, sku, ...rest } = listing;
    const product = toProduct({ ...rest, sku, id }, { publicUrl, affiliateTemplates: {} });
    assert.deepEqual(Object.keys(product), [...PRODUCT_FIELDS]);
  });

  it('prefers the feed’s link, then the operator’s for that source, then a tracked one', () => {
    const url = (changes: object, affiliateTemplates: Record<string, string>) =>
      toProduct({ ...listing, ...changes }, { publicUrl, affiliateTemplates }).affiliate_url;
    const templates = { shopee_sg: 'https://aff.example/go?to={buy_url}&sub={id}-{sku}' };
    assert.equal(url({}, {}), 'https://catalogue.example/track/42');
    assert.equal(url({ source: 'constructor' }, {}), 'https://catalogue.example/track/42');
    assert.equal(
      url({}, templates),
      'https://aff.example/go?to=https%3A%2F%2Fshop.example%2Fp%3Fx%3D1&sub=42-A%2F1%20%26',
    );
    assert.equal(url({ affiliate_url: 'https://feed.example/a' }, templates), 'https://feed.example/a');
    for (const each of [{}, templates])
      assert.isNull(url({ buy_url: null }, each), 'there is no shop to lead to');
  });
});
