import { assert } from 'chai';
import { search } from '../../src/endpoints/search.js';

describe('the places of a search', () => {
  const placesOf = (query: Parameters<NonNullable<typeof search.cost>>[0]['query']) =>
    search.cost?.({ query, body: null as never })?.places;

  it('are one for what is usual', () => {
    assert.equal(placesOf({ q: 'kettle' }), 1);
    assert.equal(placesOf({ q: 'kettle', limit: 100 }), 1);
    assert.equal(placesOf({ q: 'kettle', explain: true, highlight: true, facets: ['brand', 'price'] }), 1);
  });

  /** Measured in processor time of the engine and the service, beside that of a plain search. */
  it('are more where listings are explained or marked by the hundred, and where much is counted', () => {
    assert.equal(placesOf({ q: 'kettle', limit: 100, explain: true }), 5);
    assert.equal(placesOf({ q: 'kettle', limit: 100, highlight: true }), 5);
    assert.equal(placesOf({ q: 'kettle', limit: 100, explain: true, highlight: true }), 9);
    assert.equal(placesOf({ q: 'kettle', facets: ['brand', 'price', 'attributes'] }), 2);
  });
});
