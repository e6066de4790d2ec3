import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const SPELLINGS: Record<string, string[]> = {
  'T.Rex': ['T.Rex', 'TREX', 'T Rex', 'T.REX'],
  'Pots & Pans': ['Pots & Pans', 'PotsnPans', 'POTS&PANS'],
  Nurello: ['Nurello', 'Nurello®', 'NURELLO™'],
  'Oak | Elm': ['Oak | Elm'],
  Oak: ['Oak'],
};

describe('one brand in several spellings', () => {
  const api = useApi();
  before(() =>
    api.load(
      Object.values(SPELLINGS)
        .flat()
        .map((brand, at) => record({ sku: `b${at}`, name: `Lamp ${'ABCDEFGHIJKLM'[at]}`, brand })),
    ),
  );
  const found = async (query: string): Promise<string[]> =>
    (await api.ok(`/v1/products?limit=50&${query}`)).items
      .map(({ brand }: { brand: string }) => brand)
      .sort();

  it('is one value of the facet, with the count of all its listings', async () => {
    const { facets } = await api.ok('/v1/products?facets=brand');
    assert.deepEqual(
      facets[0].values.map(({ count }: { count: number }) => count),
      [4, 3, 3, 1, 1],
    );
  });

  for (const [name, spellings] of Object.entries(SPELLINGS))
    for (const spelling of spellings)
      it(`is found by the filter brand=${spelling}`, async () => {
        const value = encodeURIComponent(spelling.replaceAll('|', '\\|'));
        assert.deepEqual(await found(`brand=${value}`), [...(SPELLINGS[name] ?? [])].sort());
      });

  it('separates values at |, but not after a backslash', async () => {
    assert.deepEqual(await found(`brand=${encodeURIComponent('Oak|T.Rex')}`), [
      'Oak',
      ...(SPELLINGS['T.Rex'] ?? []).sort(),
    ]);
    assert.deepEqual(await found(`brand=${encodeURIComponent('Oak \\| Elm|Oak')}`), ['Oak', 'Oak | Elm']);
  });

  it('is one entry of the list of brands, and found by its beginning', async () => {
    const { items } = await api.ok('/v1/brands?q=t.r');
    assert.deepEqual(
      items.map(({ listings }: { listings: number }) => listings),
      [4],
    );
  });

  it('is found by the text of facet_q', async () => {
    const { facets } = await api.ok('/v1/products?facets=brand&facet_q=brand:t-re');
    assert.lengthOf(facets[0].values, 1);
  });

  for (const word of ['trex', 't.rex'])
    it(`is excluded by -${word}`, async () => {
      const { items } = await api.ok(`/v1/search?limit=50&q=${encodeURIComponent(`lamp -${word}`)}`);
      assert.lengthOf(items, 8);
    });

  for (const word of ['trex', 't.rex', 'pots'])
    it(`is found by the text ${word}`, async () => {
      const { items } = await api.ok(`/v1/search?limit=50&q=${word}`);
      assert.isAtLeast(items.length, word === 'pots' ? 2 : 4);
    });
});
