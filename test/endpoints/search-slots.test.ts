import { assert } from 'chai';
import { search } from '../../src/http/routes/search.js';

describe('the concurrency slots of a search', () => {
  const slotsOf = (query: Parameters<NonNullable<typeof search.cost>>[0]['query']) =>
    search.cost?.({ query, body: null as never })?.slots;

  it('are one for a usual search', () => {
    assert.equal(slotsOf({ q: 'kettle' }), 1);
    assert.equal(slotsOf({ q: 'kettle', limit: 100 }), 1);
    assert.equal(slotsOf({ q: 'kettle', explain: true, highlight: true, facets: ['brand', 'price'] }), 1);
  });

  /**
   * The expected numbers of slots follow from the CPU time of Elasticsearch and the service, relative
   * to a search without parameters.
   */
  it('are more if a hundred listings are explained or highlighted, or many facets are counted', () => {
    assert.equal(slotsOf({ q: 'kettle', limit: 100, explain: true }), 5);
    assert.equal(slotsOf({ q: 'kettle', limit: 100, highlight: true }), 5);
    assert.equal(slotsOf({ q: 'kettle', limit: 100, explain: true, highlight: true }), 9);
    assert.equal(slotsOf({ q: 'kettle', facets: ['brand', 'price', 'attributes'] }), 2);
  });

  /**
   * The expected numbers of slots follow from the time of Elasticsearch, relative to a search for one known
   * word.
   */
  it('are more for texts of many words, whose spelling is corrected, and even more if they are highlighted', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
    assert.equal(slotsOf({ q: words(3) }), 1);
    assert.equal(slotsOf({ q: words(6) }), 2);
    assert.equal(slotsOf({ q: words(60) }), 4);
    assert.equal(slotsOf({ q: 'ก'.repeat(1_000) }), 4, 'a text without blanks');
    assert.equal(slotsOf({ q: words(40), highlight: true, explain: true }), 8);
    assert.equal(slotsOf({ q: words(130), highlight: true, explain: true }), 8, 'forty are searched for');
  });
});
