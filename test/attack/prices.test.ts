import { assert } from 'chai';
import { main as quality } from '../../scripts/quality.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { run, ends } from '../support/command.js';
import { groupListings, record, skus } from '../support/listings.js';

/** Tests whether the key of one source can affect the prices of other sources. */
describe('Prices of one source against those of others', function () {
  const api = useApi();

  const group = (...members: string[]) => groupListings(api, members);

  it('leaves three honest prices unflagged, whatever one source lists beside them', async () => {
    const kettle = { name: 'Delmora Electric Kettle DK-1700', brand: 'Delmora' };
    await api.load([
      record({ sku: 'h1', ...kettle, source: 'shop_a', price: '95.00' }),
      record({ sku: 'h2', ...kettle, source: 'shop_b', price: '100.00' }),
      record({ sku: 'h3', ...kettle, source: 'shop_c', price: '105.00' }),
      ...['e1', 'e2', 'e3', 'e4'].map((sku) =>
        record({ sku, name: `EVIL ${kettle.name}`, brand: 'Evil', source: 'shop_evil', price: '2500.00' }),
      ),
    ]);
    await group('h1', 'h2', 'h3', 'e1', 'e2', 'e3', 'e4');
    await ends(run(quality, [], { env: { INDEX_PREFIX: api.prefix } }), 0);
    assert.equal((await api.get('/v1/quality/price_placeholder')).body.total, 0);
    const outliers = (await api.get('/v1/quality/price_outlier')).body;
    assert.sameMembers(skus(outliers), ['e1', 'e2', 'e3', 'e4']);
    const best = await api.get('/v1/products/best-price?q=Delmora+DK-1700');
    assert.equal(best.body.sku, 'h1');
    const offers = (await api.get(`/v1/products/${await api.id('h2')}/offers`)).body;
    assert.deepEqual(skus({ items: offers.offers.slice(0, 3) }), ['h1', 'h2', 'h3']);
    assert.include(offers, kettle, 'nor does it name the product');
    assert.deepEqual(skus((await api.get('/v1/search?q=delmora&sort=price_asc')).body).slice(0, 3), [
      'h1',
      'h2',
      'h3',
    ]);
  });

  it('drops no live offer of a product or of a kind for the many dear listings of one source', async () => {
    const dear = (name: string, price: string) =>
      Array.from({ length: 12 }, (_, n) =>
        record({ sku: `${name}-${n}`, name, source: 'shop_evil', category: 'Tents', price }),
      );
    await api.load([
      record({ sku: 'phone', name: 'Kestrel Tarn 15 Pro Smartphone', source: 'shop_a', price: '900.00' }),
      ...dear('Kestrel Tarn 15 Pro Smartphone', '90000.00'),
      record({ sku: 'tent', name: 'Camping tent', source: 'shop_a', category: 'Tents', price: '80.00' }),
      ...dear('Camping tent', '9000.00'),
    ]);
    for (const [q, sku] of [
      ['Kestrel Tarn 15 Pro', 'phone'],
      ['camping tent', 'tent'],
    ] as const)
      assert.equal((await api.get(`/v1/products/best-price?q=${q}`)).body.sku, sku, q);
  });

  it('takes no history that a key sends for observed', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
    const issued = await api.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({
        developer_id: 'evil',
        name: 'evil',
        tier: 'free',
        admin_secret: ADMIN_SECRET,
        scopes: ['write:shop_evil'],
      }),
    });
    const write = async (...records: unknown[]) => {
      const headers = { authorization: `Bearer ${issued.body.raw_key}` };
      assert.equal(
        (await api.open('/v1/listings', { method: 'POST', headers, body: JSON.stringify(records) })).status,
        200,
      );
    };
    const lie = (sku: string, fields: Record<string, unknown>) =>
      record({ sku, name: `Lamp ${sku}`, source: 'shop_evil', price: '99.99', ...fields });
    const invented = [60, 40, 20, 10].map((ago) => ({ price: '1999.00', at: day(ago) }));
    await write(
      lie('told', { price_history: [...invented, { price: '1.00', at: day(5) }] }),
      lie('backdated', { price: '1999.00', last_checked: day(60) }),
      lie('backwards', {}),
    );
    await write(
      lie('backdated', { last_checked: day(0) }),
      lie('backwards', { price: '1999.00', last_checked: day(30) }),
    );
    await api.es.indices.refresh({ index: api.products });
    assert.deepEqual((await api.get('/v1/deals?source=shop_evil&min_discount_pct=0')).body.items, []);
    for (const sku of ['told', 'backdated', 'backwards']) {
      const { body } = await api.get(`/v1/products/${await api.id(sku)}/price-history`);
      const figures = { lowest_30d: '99.99', lowest_90d: '99.99', lowest_ever: '99.99', changes: 0 };
      assert.include(body.statistics, figures, sku);
      assert.deepInclude(body, { deal: null, points: [{ at: body.points[0].at, price: '99.99' }] }, sku);
      assert.isAbove(Date.parse(body.coverage.first_observed_at), Date.parse(day(1)), sku);
    }
  });
});
