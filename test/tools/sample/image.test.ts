import { assert } from 'chai';
import { perceptualHash } from '../../../src/usecases/images/hash.js';
import { hashSimilarity } from '../../../src/usecases/compare/image-similarity.js';
import { imageName, renderImage } from '../../../tools/sample-catalogue/image.js';
import { PLATFORMS } from '../../../tools/sample-catalogue/offers.js';
import { PRODUCT_TYPES } from '../../../tools/sample-catalogue/product-types.js';
import { OPTIONS, PRODUCTS, RECORDS } from './sample.js';

const rendered = (name: string): string => renderImage(name) ?? assert.fail(`no picture ${name}`);

const hashed = (name: string): Promise<string> => perceptualHash(Buffer.from(rendered(name)));

describe('sample images', () => {
  it('exist for every listing, and depend only on their names', () => {
    for (const { image_url } of RECORDS) {
      const name = (image_url ?? '').replace(`${OPTIONS.imageBaseUrl}/`, '').replace(/\.svg$/, '');
      assert.match(rendered(name), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
      assert.equal(rendered(name), rendered(name));
      assert.notMatch(rendered(name), /undefined|NaN/);
    }
  });

  it('do not exist for other names', () => {
    const known = 'smartphone_mint_kestrel_0123abcd';
    assert.isNotNull(renderImage(known));
    const others = [
      '',
      'smartphone',
      'teapot_mint_kestrel_0123abcd',
      'smartphone_puce_kestrel_0123abcd',
      `${known}_zz`,
      `${known}.svg`,
      `${known}\n`,
      'smartphone_mint_<b>_0123abcd',
      '__proto___mint_a_0123abcd',
    ];
    for (const name of others) assert.isNull(renderImage(name), name);
  });

  it('are the same in every shop except for the place of the name', async () => {
    for (const { product } of PRODUCTS.slice(0, 10)) {
      const plain = await hashed(imageName(product, null));
      for (const { source } of PLATFORMS) {
        const name = imageName(product, source);
        assert.notEqual(rendered(name), rendered(imageName(product, null)));
        assert.isAtLeast(hashSimilarity(plain, await hashed(name)), 0.95, name);
      }
    }
  });

  it('differ for every two product types', async () => {
    const hashes = new Map<string, string>();
    for (const { id } of PRODUCT_TYPES) {
      const { product } = PRODUCTS.find(({ product }) => product.type.id === id) ?? assert.fail(id);
      hashes.set(id, await hashed(imageName(product, null)));
    }
    const all = [...hashes];
    for (const [i, [type, hash]] of all.entries()) {
      for (const [other, otherHash] of all.slice(i + 1)) {
        assert.isBelow(hashSimilarity(hash, otherHash), 0.9, `${type} and ${other}`);
      }
    }
  });
});
