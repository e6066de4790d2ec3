import { expect } from 'chai';
import { changeSettings } from '../../src/published/brand-dictionary.js';
import { type Api, startApi, useApi } from '../support/api.js';
import { record } from '../support/listings.js';

/** Tests how the API returns inferred brands. `npm run brands` is tested in test/scripts/brands.test.ts. */
describe('include=brand_inferred', () => {
  let api: Api;
  let id: number;
  let stated: number;
  before(async () => {
    api = await startApi();
    await changeSettings(api.es, api.prefix, () => ({ added: { vortek: 'Vortek' } }));
    const offer = { name: 'Vortek kettle VK-900X', metadata: { model: 'VK-900X' } };
    await api.load([
      record({ sku: 'inferred', list_price: '40.00', brand_inferred: 'Forged', ...offer }),
      record({ sku: 'stated', source: 'shop_b', brand: 'Vortek', price: '20.00', ...offer }),
      record({ sku: 'unknown', name: 'Toaster', source: 'shop_b' }),
    ]);
    id = await api.id('inferred');
    stated = await api.id('stated');
  });
  after(() => api.stop());

  const inferredIn = (items: any[]) =>
    Object.fromEntries(items.map(({ sku, brand_inferred }) => [sku, brand_inferred]));
  const ALL = { inferred: 'Vortek', stated: null, unknown: null };
  const OFFERS = { inferred: 'Vortek', stated: null };
  const INCLUDE = 'include=brand_inferred';

  const pages: [path: string, expected: object, items?: (body: any) => any[]][] = [
    ['/v1/search?include=brand_inferred', ALL],
    ['/v1/search?include=brand_inferred&include=brand_inferred&q=kettle&explain=true', OFFERS],
    ['/v1/search?include=brand_inferred&fields=sku', ALL],
    ['/v1/search?include=brand_inferred&cursor=', ALL],
    ['/v1/search?include=brand_inferred&group=product', ALL],
    ['/v1/products?include=brand_inferred', ALL],
    ['/v1/products/ID?include=brand_inferred', { inferred: 'Vortek' }, (body) => [body]],
    ['/v1/products/ID?include=brand_inferred&explain=true', { inferred: 'Vortek' }, (body) => [body]],
    ['/v1/products/ID/offers?include=brand_inferred', OFFERS, ({ offers }) => offers],
    ['/v1/products/best-price?q=VK-900X&limit=5&include=brand_inferred', OFFERS],
    ['/v1/products/best-price?q=VK-900X&include=brand_inferred', { inferred: 'Vortek' }, (body) => [body]],
    ['/v1/deals?include=brand_inferred', { inferred: 'Vortek' }],
    ['/v1/products/trending?include=brand_inferred', ALL],
    ['/v1/products/trending?basis=movement&include=brand_inferred', ALL],
    ['/v1/lookup?model=VK-900X&include=brand_inferred', OFFERS],
    ['/v1/quality/no_brand?include=brand_inferred', { inferred: 'Vortek', unknown: null }],
    [
      '/v1/products/compare?product_id=STATED&include=brand_inferred',
      { inferred: 'Vortek' },
      ({ matches }) => matches,
    ],
    ['/v1/products/export?include=brand_inferred', ALL, (body) => body],
    ['/v1/products/export?include=stated,brand_inferred', ALL, (body) => body],
  ];
  for (const [path, expected, items = (body: any) => body.items] of pages)
    it(`adds the inferred brand, or null: ${path}`, async () => {
      const { status, body } = await api.get(
        path.replace('ID', String(id)).replace('STATED', String(stated)),
      );
      expect(status).to.equal(200);
      expect(inferredIn(items(body))).to.deep.equal(expected);
    });

  const bodies: [path: string, body: object, expected: object, items: (body: any) => any[]][] = [
    [
      '/v1/lookup',
      { identifiers: [{ type: 'model', value: 'VK-900X' }] },
      OFFERS,
      ({ results }) => results[0].items,
    ],
    ['/v1/products/compare/diff', {}, OFFERS, ({ products }) => products],
    ['/v1/products/compare', {}, OFFERS, ({ comparisons }) => comparisons.flatMap((one: any) => one.matches)],
  ];
  for (const [path, given, expected, items] of bodies)
    it(`adds the inferred brand with the member include of the body: POST ${path}`, async () => {
      const body = { product_ids: [id, stated], ...given };
      const plain = await api.post(path, body);
      expect(plain.text).to.not.include('brand_inferred');
      const included = await api.post(path, { ...body, include: ['brand_inferred'] });
      expect(included.status, included.text).to.equal(200);
      expect(inferredIn(items(included.body))).to.deep.equal(expected);
      expect((await api.post(path, { ...body, include: ['brand'] })).status).to.equal(422);
    });

  it('returns every field of the listing besides', async () => {
    const [{ body: plain }, { body: included }] = [
      await api.get('/v1/search'),
      await api.get(`/v1/search?${INCLUDE}`),
    ];
    expect(included.items.map(({ brand_inferred: _, ...item }: any) => item)).to.deep.equal(plain.items);
    const { text } = await api.get(`/v1/products/export?format=csv&${INCLUDE}`);
    const [header, ...rows] = text.split('\r\n');
    expect(header?.endsWith('"updated_at","brand_inferred"')).to.equal(true);
    expect(rows.filter((row) => row.endsWith('"Vortek"'))).to.have.length(1);
    expect((await api.get(`/v1/products/export?format=ndjson&${INCLUDE}`)).text.split('\n')).to.have.length(
      4,
    );
  });

  for (const path of [
    '/v1/search',
    '/v1/products',
    '/v1/deals',
    '/v1/products/1',
    '/v1/products/1/offers',
    '/v1/products/best-price?q=vortek',
    '/v1/products/export',
    '/v1/products/trending',
    '/v1/lookup?model=VK-900X',
    '/v1/quality/no_brand',
    '/v1/products/compare?product_id=1',
  ])
    it(`is absent unless it is asked for, and refuses other values: ${path}`, async () => {
      const separator = path.includes('?') ? '&' : '?';
      expect((await api.get(path)).text).to.not.include('brand_inferred');
      const { status, body } = await api.get(`${path}${separator}include=brand_inferred,brand`);
      expect(status).to.equal(422);
      expect(body.detail[0]).to.deep.include({ loc: ['query', 'include', 1], type: 'literal_error' });
    });

  it('reads an empty list as not given', async () => {
    expect((await api.get('/v1/search?include=')).text).to.not.include('brand_inferred');
  });
});

describe('include=seen_at', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it('is the later of the last check and the last time at which a feed contained the listing', async () => {
    const seen = async () => (await api.get(`/v1/products/${await api.id('lamp')}?include=seen_at`)).body;
    const listing = { sku: 'lamp', name: 'Lamp' };
    await api.load([record({ ...listing, last_checked: '2026-01-02T03:04:05Z' })]);
    const checked = await seen();
    expect(checked.seen_at).to.equal('2026-01-02T03:04:05Z');
    const before = new Date().toISOString();
    await api.load([record({ ...listing, last_checked: null })]);
    const { seen_at, last_checked, updated_at } = await seen();
    expect(seen_at >= before).to.equal(true);
    expect([last_checked, updated_at]).to.deep.equal([checked.last_checked, checked.updated_at]);
  });
});

describe('include=flags', () => {
  const api = useApi([
    record({
      sku: 'plain',
      name: 'Vortek kettle VK-900X',
      brand: 'Vortek',
      category: 'Kettles',
      image_url: 'https://a.example/b.jpg',
    }),
    record({ sku: 'poor', name: 'Kettle', price: null, currency: null }),
  ]);

  it('adds the quality flags that the listing has', async () => {
    const { items } = await api.ok('/v1/search?include=flags');
    const flags = Object.fromEntries(items.map((item: any) => [item.sku, item.flags]));
    expect(flags).to.deep.equal({
      plain: [],
      poor: ['no_brand', 'no_category', 'no_image', 'no_price', 'short_name'],
    });
    for (const flag of flags.poor) {
      const { items: flagged } = await api.ok(`/v1/quality/${flag}`);
      expect(flagged.map(({ sku }: any) => sku)).to.include('poor');
    }
    const poor = await api.ok(`/v1/products/${await api.id('poor')}?include=flags`);
    expect(poor.flags).to.deep.equal(flags.poor);
    expect(await api.ok(`/v1/products/${poor.id}`)).not.to.have.property('flags');
  });
});
