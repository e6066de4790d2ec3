import { assert } from 'chai';
import { sizeOf } from '../../src/http/admission/request-size.js';

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

describe('the size of a request', () => {
  it('grows with words, lists, options, listings and the distance of the page', () => {
    const growing = [
      {},
      { q: 'red kettle', limit: 20 },
      { q: words(10), limit: 20 },
      { q: words(10), limit: 20, facets: ['brand', 'price', 'source'], explain: true, highlight: true },
      { q: words(40), limit: 100, facets: ['brand', 'price', 'source'], explain: true, highlight: true },
    ].map((query) => sizeOf(query, {}));
    assert.deepEqual(growing, [0, 3, 5, 5, 8]);
    assert.isAbove(sizeOf({ offset: 1_000_000 }), sizeOf({ offset: 40_000 }));
    assert.isAbove(sizeOf({}, { product_ids: Array(20).fill(1) }), sizeOf({}, { product_ids: [1, 2] }));
    assert.equal(
      sizeOf({}, { query: words(30), pagination: { limit: 50 } }),
      sizeOf({ q: words(30), limit: 50 }),
    );
  });

  it('counts the words that are searched for, also in a text without blanks', () => {
    assert.equal(sizeOf({ q: words(130) }), sizeOf({ q: words(40) }));
    assert.equal(sizeOf({ q: 'ก'.repeat(1_000) }), sizeOf({ q: words(40) }));
  });
});
