import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const NAMES = {
  'Veltra Tab S9 FE': 'plain',
  'Veltra Tab S9 FE+': 'signed',
  'Veltra Tab S9 FE Plus 5G': 'written',
  'C++ for gardeners, a book': 'book',
  'Bubble toy 1+1 free': 'offer',
};

describe('a search for a plus sign', () => {
  const api = useApi(Object.entries(NAMES).map(([name, sku]) => record({ sku, name, price: '10.00' })));
  const found = async (q: string, more = ''): Promise<string[]> => {
    const { items } = await api.ok(`/v1/search?q=${encodeURIComponent(q)}${more}&fields=sku`);
    return (items as { sku: string }[]).map(({ sku }) => sku);
  };

  it('finds the listing whose name has it first, and its word likewise', async () => {
    assert.deepEqual((await found('Veltra Tab S9 FE+'))[0], 'signed');
    assert.deepEqual((await found('veltra tab s9 fe'))[0], 'plain');
    assert.sameMembers(await found('tab s9 fe+', '&match=all'), ['signed', 'written']);
    assert.sameMembers(await found('tab s9 fe plus', '&match=all'), ['signed', 'written']);
    assert.sameMembers(await found('tab s9 fe', '&match=all'), ['plain', 'signed', 'written']);
  });

  it('does not read it into other signs', async () => {
    assert.deepEqual(await found('c++', '&match=all'), ['book']);
    assert.deepEqual(await found('1+1', '&match=all'), ['offer']);
    assert.deepEqual(await found('c++ plus', '&match=all'), []);
  });
});
