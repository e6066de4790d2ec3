import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { pluck, record } from '../support/listings.js';

interface Page {
  total: number;
  explanation?: {
    words: { word: string; known: boolean; read_as: string | null; synonyms: string[] }[];
  } & Record<string, unknown>;
  empty?: { reason: string; without: object[]; did_you_mean: string | null };
  items: { sku: string; why?: { clauses: Record<string, number>; missing: string[] } }[];
}

describe('the explanation of a search', () => {
  const api = useApi([
    record({ sku: 'red', name: 'Red kettle', price: '30.00', brand: 'Homarel', gtin: '4006381333931' }),
    record({ sku: 'blue', name: 'Blue glass kettle', price: '50.00', brand: 'Delmora' }),
    record({ sku: 'paper', name: 'Copy paper', price: '5.00' }),
    record({ sku: 'tv', name: 'Smart television', price: '500.00', category: 'Dishes' }),
  ]);

  const search = (query: string): Promise<Page> => api.ok(`/v1/search?${query}`);

  it('covers each word and each item on request', async () => {
    const { explanation, items } = await search('q=red+ketle+zzzz+4006381333931&explain=true&brand=homarel');
    assert.deepEqual(explanation?.words, [
      { word: 'red', known: true, read_as: null, synonyms: [] },
      { word: 'ketle', known: false, read_as: 'kettle', synonyms: [] },
      { word: 'zzzz', known: false, read_as: null, synonyms: [] },
      { word: '4006381333931', known: true, read_as: null, synonyms: [] },
    ]);
    assert.deepInclude(explanation, {
      identifiers: ['04006381333931'],
      phrases: [],
      corrected_query: 'red kettle zzzz 4006381333931',
      found_all: 0,
      found_any: 1,
      learned: { brands: null, matcher: null },
    });
    assert.deepEqual(
      items.map(({ sku, why }) => [sku, why?.missing]),
      [['red', ['zzzz']]],
    );
    assert.isAbove(items[0]?.why?.clauses['words'] ?? 0, 500);
    // The corrected query contains the word as listings write it, and not its stem.
    const dishes = await search('q=smart+dihses&explain=true');
    assert.equal(dishes.explanation?.['corrected_query'], 'smart dishes');
    assert.equal(dishes.explanation?.words[1]?.read_as, 'dishes');
    assert.deepEqual(dishes.items[0]?.why?.missing, []);
  });

  it('reports the words of the whole catalogue, whatever the filters are', async () => {
    for (const filters of ['max_price=1', 'max_price=1&facets=price', 'brand=nobody&sort=price_asc']) {
      const { total, explanation } = await search(`q=red+kettle&explain=true&${filters}`);
      assert.equal(total, 0, filters);
      assert.deepEqual(pluck(explanation?.words, 'word', 'known'), [
        ['red', true],
        ['kettle', true],
      ]);
      assert.deepInclude(explanation, { found_all: 0, found_any: 0 });
    }
  });

  it('lists synonyms, phrases and the score of all words, in any order', async () => {
    const tv = await search('q=tv&explain=true');
    assert.deepEqual(tv.explanation?.words[0]?.synonyms, ['televis']);
    assert.equal(tv.items[0]?.why?.clauses['all_words'], 1000);
    const { explanation, items } = await search(
      'q=%22glass+kettle%22+blue&explain=true&sort=price_asc&fields=name',
    );
    assert.deepEqual(explanation?.['phrases'], ['glass kettle']);
    assert.lengthOf(items, 1);
    assert.isAbove(items[0]?.why?.clauses['words'] ?? -1, 0);
    assert.isUndefined(items[0]?.sku);
  });

  it('covers text without words, too', async () => {
    const odd = ['"', '""', '(', 'for', '-', '"!!"', 'best', '“for” tv', '\u0001', '耳机', 'a'.repeat(1_000)];
    for (const q of odd) {
      const { explanation } = await search(`q=${encodeURIComponent(q)}&explain=true`);
      assert.isArray(explanation?.words, q);
    }
  });

  it('is absent without a request and without a text', async () => {
    for (const query of ['q=kettle', 'explain=true', 'q=kettle&explain=false']) {
      const page = await search(query);
      assert.notProperty(page, 'explanation');
      assert.notProperty(page, 'empty');
      assert.notProperty(page.items[0], 'why');
    }
  });

  it('covers the first twenty words of a longer text', async () => {
    const words = Array.from({ length: 30 }, (_, at) => `kettle${at}`);
    const { explanation } = await search(`q=${words.join('+')}+kettle&explain=true`);
    assert.deepEqual(pluck(explanation?.words, 'word'), words.slice(0, 20));
  });

  it('states which words were left out, because at most forty are searched for', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `k${at}`);
    const leftOut = async (q: string) =>
      (await search(`q=${encodeURIComponent(q)}&explain=true`)).explanation?.['left_out'];
    assert.deepEqual(await leftOut('red kettle'), []);
    assert.deepEqual(await leftOut(words.join(' ')), words.slice(40));
    assert.deepEqual(await leftOut(`${words.slice(0, 40).join(' ')} - ! red`), ['red'], 'no punctuation');
    assert.deepEqual(await leftOut(`${words.slice(0, 45).join(' ')} "red kettle"`), words.slice(40, 45));
    assert.deepEqual(await leftOut(`"${words.slice(0, 45).join(' ')}"`), words.slice(40, 45));
    // Of a text without blanks, at most 200 ideographs are searched for.
    assert.deepEqual(await leftOut('耳'.repeat(203)), ['耳'.repeat(3)]);
  });

  it('states why a search has no results: filters, unknown words, and a correction', async () => {
    const filtered = await search('q=kettle&max_price=10&brand=Homarel');
    assert.deepEqual(filtered.empty, {
      reason: 'filters',
      without: [
        { parameter: 'price', total: 1 },
        { parameter: 'brand', total: 0 },
      ],
      did_you_mean: null,
    });
    // "kettel" is corrected to "kettle" with and without a filter.
    assert.deepEqual((await search('q=kettel&max_price=10')).empty, {
      reason: 'filters',
      without: [{ parameter: 'price', total: 2 }],
      did_you_mean: null,
    });
    assert.deepEqual((await search('brand=nobody')).empty, {
      reason: 'filters',
      without: [{ parameter: 'brand', total: 4 }],
      did_you_mean: null,
    });
    const { body: nowhere } = await api.get('/v1/search?category_path=Nowhere');
    assert.deepEqual(pluck(nowhere.empty.without, 'parameter'), ['category_path']);
    const unknown = { reason: 'unknown_words', without: [] };
    // The corrections of these words name other things (paper, dishes), so they are not suggested.
    assert.deepEqual((await search('q=pampers')).empty, { ...unknown, did_you_mean: null });
    assert.deepEqual((await search('q=wishes')).empty, { ...unknown, did_you_mean: null });
    assert.deepEqual((await search('q=zzzz')).empty, { ...unknown, did_you_mean: null });
    // The suggestion is "dishes", because no listing contains "dishe".
    assert.equal((await search('q=fishes')).empty?.did_you_mean, 'dishes');
    // The correction does not depend on the sort order, nor on parameters that add members to items.
    for (const more of ['sort=price_asc', 'sort=price_asc&highlight=true', 'highlight=true', 'fields=name'])
      assert.equal((await search(`q=fishes&${more}`)).empty?.did_you_mean, 'dishes', more);
    const none = await search('q=red+paper&match=all');
    assert.deepEqual(none.empty, { reason: 'nothing', without: [], did_you_mean: null });
  });
});
