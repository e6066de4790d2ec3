import { assert } from 'chai';
import { search } from '../../src/http/routes/search.js';

describe('the concurrency slots of a search', () => {
  const slotsOf = (query: Parameters<NonNullable<typeof search.cost>>[0]['query']) =>
    search.cost?.({ query, body: null as never })?.slots;

  it('are one for what is usual', () => {
    assert.equal(slotsOf({ q: 'kettle' }), 1);
    assert.equal(slotsOf({ q: 'kettle', limit: 100 }), 1);
    assert.equal(slotsOf({ q: 'kettle', explain: true, highlight: true, facets: ['brand', 'price'] }), 1);
  });

  /** Measured in processor time of the engine and the service, beside that of a plain search. */
  it('are more where listings are explained or marked by the hundred, and where much is counted', () => {
    assert.equal(slotsOf({ q: 'kettle', limit: 100, explain: true }), 5);
    assert.equal(slotsOf({ q: 'kettle', limit: 100, highlight: true }), 5);
    assert.equal(slotsOf({ q: 'kettle', limit: 100, explain: true, highlight: true }), 9);
    assert.equal(slotsOf({ q: 'kettle', facets: ['brand', 'price', 'attributes'] }), 2);
  });

  /** Measured in time of the engine, beside that of one word that is known. */
  it('are more for texts of many words, whose spelling is looked up, and more again where these are marked', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
    assert.equal(slotsOf({ q: words(3) }), 1);
    assert.equal(slotsOf({ q: words(6) }), 2);
    assert.equal(slotsOf({ q: words(60) }), 4);
    assert.equal(slotsOf({ q: 'ก'.repeat(1_000) }), 4, 'a text without blanks');
    assert.equal(slotsOf({ q: words(60), highlight: true, explain: true }), 10);
  });
});
