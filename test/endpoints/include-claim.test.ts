import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { daysAgo, pastPrices, record } from '../support/listings.js';

/** Tests which endpoints return judged price reductions. The judgements are tested in test/listing/claim.test.ts. */
describe('include=claim', () => {
  const offer = { name: 'Vortek kettle VK-900X', metadata: { model: 'VK-900X' }, last_checked: daysAgo(0) };
  const steady = (price: string, ...days: number[]) =>
    pastPrices(...days.map((day): [string, number] => [price, day]));
  const month = [50, 40, 30, 20, 10];
  const api = useApi([
    record({
      ...offer,
      sku: 'fair',
      price: '80.00',
      list_price: '100.00',
      price_history: [...steady('100.00', ...month), ...steady('80.00', 5)],
    }),
    record({
      ...offer,
      sku: 'raised',
      source: 'shop_b',
      price: '90.00',
      list_price: '120.00',
      price_history: [...steady('85.00', ...month), ...steady('120.00', 8), ...steady('90.00', 5)],
    }),
    record({ ...offer, sku: 'new', source: 'shop_c', price: '70.00', list_price: '100.00' }),
  ]);
  const EXPECTED: Record<string, [string | null, number | null, number | null, string]> = {
    fair: ['100.00', 20, 20, 'supported'],
    raised: ['85.00', 25, -5.88, 'unsupported'],
    new: [null, 30, null, 'unknown'],
  };
  const shown = ({ reference_30d, claim }: any) => [
    reference_30d?.price ?? null,
    claim.stated_pct,
    claim.observed_pct,
    claim.verdict,
  ];

  const pages: [path: string, skus: string[], items?: (body: any) => any[]][] = [
    ['/v1/search?', ['fair', 'raised', 'new']],
    ['/v1/search?fields=sku&q=kettle', ['fair', 'raised', 'new']],
    ['/v1/search?cursor=', ['fair', 'raised', 'new']],
    ['/v1/products/ID?', ['fair'], (body) => [body]],
    ['/v1/products/ID/offers?', ['fair', 'raised', 'new'], ({ offers }) => offers],
    ['/v1/products/best-price?q=VK-900X&limit=5', ['fair', 'raised', 'new']],
    ['/v1/products/best-price?q=VK-900X', ['new'], (body) => [body]],
    ['/v1/deals?min_discount_pct=1', ['fair', 'new']],
    ['/v1/products/export?', ['fair', 'raised', 'new'], (body) => body],
    ['/v1/products/compare?product_id=ID', ['raised', 'new'], ({ matches }) => matches],
  ];
  for (const [path, skus, items = (body: any) => body.items] of pages)
    it(`adds the reference price and the claim: ${path}`, async () => {
      const own = path.replace('ID', String(await api.id('fair')));
      assert.notInclude((await api.get(own)).text, 'reference_30d');
      const found = items(await api.ok(`${own}&include=claim`));
      assert.deepEqual(
        Object.fromEntries(found.map((item: any) => [item.sku, shown(item)])),
        Object.fromEntries(skus.map((sku) => [sku, EXPECTED[sku]])),
      );
    });

  it('adds them to price histories', async () => {
    const id = await api.id('raised');
    assert.notProperty(await api.ok(`/v1/products/${id}/price-history`), 'claim');
    const history = await api.ok(`/v1/products/${id}/price-history?include=claim`);
    assert.deepEqual(shown(history), EXPECTED['raised']);
    assert.strictEqual(
      Date.parse(history.reference_30d.to) - Date.parse(history.reference_30d.from),
      30 * 86_400_000,
    );
    const { body } = await api.post('/v1/products/price-history', { product_ids: [id], include: ['claim'] });
    assert.deepEqual(body.histories.map(shown), [EXPECTED['raised']]);
  });

  it('writes them as JSON into the columns of a CSV export', async () => {
    const { text } = await api.get('/v1/products/export?format=csv&include=claim&source=shop_b');
    const [header, row] = text.split('\r\n');
    assert.match(header ?? '', /"updated_at","reference_30d","claim"$/);
    assert.match(row ?? '', /"\{""price"":""85.00"",.*""verdict"":""unsupported""\}"$/);
  });

  it('reports the claims of each source, and the share of those that are unsupported', async () => {
    const { all, sources } = await api.ok('/v1/quality');
    assert.deepEqual(all.claims, {
      stated: 3,
      supported: 1,
      exaggerated: 0,
      unsupported: 1,
      unknown: 1,
      unsupported_share: 0.5,
    });
    const shareOf = (name: string) =>
      sources.find((one: any) => one.source === name).claims.unsupported_share;
    assert.deepEqual(['shop_a', 'shop_b', 'shop_c'].map(shareOf), [0, 1, null]);
  });
});

describe('the claims of a source', () => {
  const history = [50, 40, 30, 20, 10].map((day): [string, number] => ['90.00', day]);
  const api = useApi([
    record({
      sku: 'usual',
      name: 'Vortek kettle VK-910X',
      price: '90.00',
      list_price: '120.00',
      price_history: pastPrices(...history, ['95.00', 8], ['90.00', 5]),
      last_checked: daysAgo(0),
    }),
  ]);

  it('include judged reductions to a price that is usual at other owners, and so no discount', async () => {
    const id = String(await api.id('usual'));
    // As after the quality flags were computed with the prices of other owners.
    const internal = { declared_discount: null };
    await api.es.update({ index: api.products, id, doc: { internal }, refresh: true });
    const { all } = await api.ok('/v1/quality');
    const { stated, unsupported, unknown } = all.claims;
    assert.deepEqual({ stated, unsupported, unknown }, { stated: 1, unsupported: 1, unknown: 0 });
  });
});
