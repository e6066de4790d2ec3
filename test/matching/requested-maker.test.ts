import { assert } from 'chai';
import type { StoredCandidate } from '../../src/matching/requested/candidate-listing.js';
import { chooseListings } from '../../src/matching/requested/choose-listings.js';
import { asCandidate, readRequestedProduct } from '../../src/matching/requested/requested-product.js';

describe('the choice of listings for a request that names a maker', () => {
  const listing = (id: number, name: string, maker: string | null): StoredCandidate => ({
    ...(asCandidate(name) as StoredCandidate),
    id,
    category: null,
    category_path: [],
    internal: {
      ...asCandidate(name).internal,
      identifiers: [],
      maker,
    } as unknown as StoredCandidate['internal'],
  });
  const chosenFor = (q: string, candidates: StoredCandidate[]) =>
    chooseListings(
      readRequestedProduct(q),
      candidates.map((candidate) => ({ candidate, named: true, stated: true, described: true })),
    ).map(({ candidate }) => candidate.id);

  it('leaves out listings with the inferred maker of another one', () => {
    const own = listing(1, 'Velrock RX9500 Falcon 16GB Graphics Card', 'Velrock');
    const other = listing(2, 'Tarnix RX9500 Falcon 16GB Graphics Card for Velrock boards', 'Tarnix');
    assert.deepEqual(chosenFor('velrock rx9500 falcon', [own, other]), [1]);
  });
});
