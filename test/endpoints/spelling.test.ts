import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { record, skus } from '../support/listings.js';

describe('words that are misspelt, or joined to one', () => {
  const api = useApi([
    record({ sku: 'blue', name: 'Auralis headphones, blue' }),
    record({ sku: 'red', name: 'Auralis headphones, red' }),
    record({ sku: 's', name: 'Galaxy S phone' }),
    record({ sku: 'y', name: 'Galaxy phone' }),
    record({ sku: 'bar', name: 'Oakridge soundbar' }),
    record({ sku: 'wireless', name: 'Wireless doorbell' }),
    record({ sku: 'mattress', name: 'Spring mattress with matte cover' }),
    record({ sku: 'business', name: 'Business bag, busy weave' }),
    record({ sku: 'sarung', name: 'Sarung bantal putih' }),
  ]);

  const search = async (q: string, more: Record<string, string> = {}) =>
    (await api.get(`/v1/search?${new URLSearchParams({ q, ...more }).toString()}`)).body;
  const all = async (q: string) => skus(await search(q, { match: 'all' })).sort();

  it('finds all words only where the second of two is there, too', async () => {
    assert.deepEqual(await all('headphone red'), ['red']);
    assert.deepEqual(await all('headphones red'), ['red']);
    assert.deepEqual(await all('galaxy s'), ['s']);
    assert.deepEqual(await all('sound bars'), ['bar']);
  });

  it('corrects words in -ss that end with one s', async () => {
    for (const [typed, sku] of [
      ['wireles', 'wireless'],
      ['mattres', 'mattress'],
      ['busines bag', 'business'],
    ] as const)
      assert.deepEqual(await all(typed), [sku], typed);
  });

  it('offers no word of another kind', async () => {
    const { total, empty } = await search('samsung');
    assert.deepEqual([total, empty.did_you_mean], [0, null]);
  });

  it('answers words of hundreds of letters', async () => {
    for (const q of ['ก'.repeat(1000), 'a'.repeat(1000), 'ab.'.repeat(300), `headphnes ${'ก'.repeat(900)}`]) {
      assert.equal((await api.get(`/v1/search?q=${encodeURIComponent(q)}`)).status, 200);
    }
    assert.sameMembers(skus(await search(`headphnoes ${'ก'.repeat(900)}`)), ['blue', 'red']);
  });
});
