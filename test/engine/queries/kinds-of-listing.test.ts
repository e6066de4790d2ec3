import { assert } from 'chai';
import {
  isCertain,
  kindsOfListing,
  type Original,
  possibleKinds,
} from '../../../src/engine/queries/kinds-of-listing.js';

describe('what a listing is', () => {
  const original = {
    listing: {
      category_path: ['Screens', 'Monitors'],
      category: null,
      internal: { kinds: ['ips', 'monitor'] },
    },
    reading: { maker: null, line: null, model: null, variant: null, colour: null },
  } as unknown as Original;

  it('is first what its own category names, in the singular too, and needs no question about that', () => {
    const possible = possibleKinds(original);
    assert.deepEqual(possible, ['monitor', 'monitors', 'ips']);
    assert.deepEqual(
      possible.filter((kind) => !isCertain(original, kind)),
      ['ips'],
    );
  });

  it('is another noun of its name only if a category of the catalogue has it', () => {
    assert.notInclude(
      kindsOfListing(original, () => false),
      'ips',
    );
    assert.include(
      kindsOfListing(original, (kind) => kind === 'ips'),
      'ips',
    );
  });
});
