import { assert } from 'chai';
import { createSearchClient, UnsupportedQueryError } from '../../clients/instantsearch/src/index.js';
import { useApi } from '../support/api.js';
import { groupListings, offer, pluck } from '../support/listings.js';

const kettle = (sku: string, price: string, fields: Record<string, unknown> = {}) =>
  offer(sku, `Kettle ${sku}`, price, {
    brand: 'Sonvara',
    category_path: ['Home', 'Kettles'],
    is_available: true,
    ...fields,
  });

describe('the search client for InstantSearch', () => {
  const api = useApi([
    kettle('a', '10.00', { rating: 4.5, metadata: { colour: 'Red' } }),
    kettle('b', '20.00', { brand: '-Rondure', rating: 3.2, metadata: { colour: 'Blue' } }),
    kettle('c', '30.00', { brand: 'Tom & <b>Co</b>', is_available: false, source: 'shop_b' }),
    kettle('d', '40.00', { category_path: ['Home', 'Audio'], name: 'Speaker for a kettle' }),
    offer('e', 'Toaster', '50.00', { brand: 'Sonvara' }),
  ]);
  const requests: string[] = [];
  const client = (parameters: Record<string, string> = {}) => {
    let key: string | null = null;
    const created = createSearchClient({
      url: api.url,
      key: () => key,
      parameters,
      onRequest: (path) => requests.push(path),
    });
    const search = async (...queries: Parameters<typeof created.search>[0]) => {
      key ??= await api.key();
      requests.length = 0;
      return (await created.search(queries)).results as any[];
    };
    return { search, created };
  };
  const one = async (params: Record<string, unknown>, indexName = 'products') =>
    (await client().search({ indexName, params }))[0];
  const found = async (params: Record<string, unknown>, indexName?: string) =>
    pluck((await one({ hitsPerPage: 10, ...params }, indexName)).hits, 'sku');

  it('translates queries, filters, limits, sort orders and pages', async () => {
    assert.sameMembers(await found({ query: 'kettle' }), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await found({}, 'products:price_desc'), ['e', 'd', 'c', 'b', 'a']);
    assert.deepEqual(await found({ numericFilters: ['price>=15', 'price<=30'] }, 'products:price_asc'), [
      'b',
      'c',
    ]);
    assert.deepEqual(await found({ numericFilters: ['rating<=5', 'rating>=4'] }), ['a']);
    assert.deepEqual(await found({ facetFilters: [['availability:out_of_stock']] }), ['c']);
    assert.sameMembers(await found({ facetFilters: [['brand:\\-Rondure', 'brand:Tom & <b>Co</b>']] }), [
      'b',
      'c',
    ]);
    assert.sameMembers(await found({ facetFilters: [['category_path.lvl1:Home > Audio']] }), ['d']);
    assert.sameMembers(
      await found({ facetFilters: [['attr.colour:Red', 'attr.colour:Blue'], 'source:shop_a'] }),
      ['a', 'b'],
    );
    const page = await one({ hitsPerPage: 2, page: 1 }, 'products:price_asc');
    assert.deepEqual(pluck(page.hits, 'sku'), ['c', 'd']);
    assert.deepInclude(page, { nbHits: 5, nbPages: 3, page: 1, hitsPerPage: 2 });
  });

  it('returns facets by level, limits and counts of ratings, and marks matching words', async () => {
    const { facets, facets_stats, hits } = await one({
      query: 'kettle',
      facets: ['*'],
      maxValuesPerFacet: 2,
    });
    assert.deepEqual(facets['category_path.lvl0'], { Home: 4 });
    assert.deepEqual(facets['category_path.lvl1'], { 'Home > Kettles': 3, 'Home > Audio': 1 });
    assert.deepEqual(facets.rating, { 4: 1, 3: 1, 2: 0, 1: 0 });
    assert.deepEqual(facets.availability, { in_stock: 3, out_of_stock: 1 });
    assert.lengthOf(Object.keys(facets.brand), 2);
    assert.deepInclude(facets_stats.price, { min: 10, max: 40 });
    const third = hits.find(({ sku }: { sku: string }) => sku === 'c');
    assert.deepEqual(third._highlightResult.name, {
      value: '<em>Kettle</em> c',
      matchLevel: 'full',
      matchedWords: [],
    });
    assert.equal(third._highlightResult.brand.value, 'Tom & <b>Co</b>');
    assert.equal(third.objectID, String(third.id));
  });

  it('sends one request for a batch, because facets ignore their own filter', async () => {
    const filters = [['brand:Sonvara'], ['source:shop_a']];
    const [page, brands, sources, conjunctive] = await client().search(
      { indexName: 'products', params: { facets: ['brand', 'source'], facetFilters: filters } },
      {
        indexName: 'products',
        params: { facets: 'brand', hitsPerPage: 0, facetFilters: [['source:shop_a']] },
      },
      {
        indexName: 'products',
        params: { facets: 'source', hitsPerPage: 0, facetFilters: [['brand:Sonvara']] },
      },
      {
        indexName: 'products',
        params: { facets: 'brand', hitsPerPage: 0, facetFilters: [['source:shop_b']] },
      },
    );
    assert.lengthOf(new Set(requests), 2);
    assert.equal(page.nbHits, 3);
    assert.deepEqual(brands.facets.brand, { Sonvara: 3, '-Rondure': 1 });
    assert.deepEqual(sources.facets.source, { shop_a: 3 });
    assert.deepEqual(conjunctive.facets.brand, { 'Tom & <b>Co</b>': 1 });
  });

  it('counts products with group=product', async () => {
    await groupListings(api, ['a', 'b']);
    const [page] = await client({ group: 'product' }).search({
      indexName: 'products',
      params: { query: 'kettle' },
    });
    assert.equal(page.nbHits, 3);
    assert.equal(page.catalogue.total, 4);
  });

  it('searches for values of a facet', async () => {
    const { created, search } = client();
    await search({ indexName: 'products', params: {} });
    const values = async (facetName: string, facetQuery: string) =>
      (await created.searchForFacetValues([{ indexName: 'products', params: { facetName, facetQuery } }]))[0]
        .facetHits;
    assert.deepEqual(await values('brand', 'VARA'), [
      { value: 'Sonvara', highlighted: 'Son<em>vara</em>', count: 3 },
    ]);
    assert.deepEqual(await values('category_path.lvl1', 'home >'), [
      { value: 'Home > Kettles', highlighted: '<em>Home ></em> Kettles', count: 3 },
      { value: 'Home > Audio', highlighted: '<em>Home ></em> Audio', count: 1 },
    ]);
  });

  it('refuses what the catalogue cannot do, and reports errors of the API', async () => {
    for (const params of [
      { facetFilters: ['brand:A', 'brand:B'] },
      { facetFilters: ['brand:-A'] },
      { facetFilters: [['brand:A', 'source:b']] },
      { facetFilters: ['colour:Black'] },
      { numericFilters: ['stock>3'] },
      { filters: 'brand:A' },
    ]) {
      const error = await one(params).catch((reason: unknown) => reason);
      assert.instanceOf(error, UnsupportedQueryError, JSON.stringify(params));
    }
    const wrong = await one({ facets: ['nothing'] }).catch((reason: unknown) => reason);
    assert.deepInclude(wrong, { status: 422, name: 'CatalogueError' });
    assert.include(String(wrong), 'facets');
  });
});
