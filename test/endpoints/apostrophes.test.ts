import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { connectAgent } from '../support/agent.js';
import { offer, skus } from '../support/listings.js';

const SPELLINGS = ["'", '’', '‘', '`'];

describe('filters by text with an apostrophe', () => {
  const shoe = (sku: string, s: string, more = {}) =>
    offer(sku, 'Tramline runner', '50.00', {
      category_path: ['Shoes', `Men${s} Running Shoes`],
      metadata: { attributes: { Fit: `Men${s} wide` } },
      ...more,
    });
  const api = useApi([
    shoe('curly', '’s'),
    shoe('straight', "'s"),
    shoe('none', 's'),
    shoe('hyphen', '-s'),
    offer('other', 'Tramline sandal', '20.00', { category_path: ['Shoes', 'Sandals'] }),
  ]);
  const search = (parameters: Record<string, string>) =>
    api.ok(`/v1/search?${new URLSearchParams(parameters).toString()}`);

  for (const mark of SPELLINGS)
    it(`find the values with each of the apostrophes: ${mark}`, async () => {
      const filters: Record<string, string>[] = [
        { category: `MEN${mark}S running` },
        { category: `shoes > men${mark}s running shoes` },
        { category_path: `Shoes > Men${mark}s Running Shoes` },
        { 'attr.fit': `men${mark}s WIDE` },
      ];
      for (const filter of filters)
        assert.sameMembers(skus(await search(filter)), ['curly', 'straight'], JSON.stringify(filter));
      const facets = 'category,category_path,attr.fit';
      const selected = { category: `men${mark}s run`, 'attr.fit': `men${mark}s wide`, facets };
      for (const { name, values } of (await search(selected)).facets)
        if (name !== 'category_path')
          assert.sameMembers(
            values.filter((one: any) => one.selected).map((one: any) => one.count),
            [1, 1],
            name,
          );
      const few = await search({ 'attr.fit': `men${mark}s wide`, facets: 'attr.fit', facet_limit: '1' });
      assert.strictEqual(few.total, 2);
      const listed = await search({ facet_q: `category:men${mark}s` });
      assert.lengthOf(listed.facets[0].values, 2);
    });

  it('find the same products in the catalogue of the Universal Commerce Protocol', async () => {
    const headers = { 'UCP-Agent': 'profile="https://platform.example/.well-known/ucp"' };
    for (const mark of SPELLINGS) {
      const filters = { categories: [`Shoes > Men${mark}s Running Shoes`] };
      const { status, body, text } = await api.post('/ucp/v1/catalog/search', { filters }, { headers });
      assert.strictEqual(status, 200, text);
      const found = body.products.map(({ variants }: any) => variants[0].sku);
      assert.sameMembers(found, ['curly', 'straight'], mark);
    }
  });

  it('find the same categories for agents', async () => {
    const agent = await connectAgent(api.url, `Bearer ${await api.key('premium')}`, 'handshake');
    for (const mark of SPELLINGS) {
      const { structured } = await agent.call('list_categories', { contains: `men${mark}s` });
      assert.strictEqual(structured.total, 2, mark);
    }
    await agent.close();
  });
});
