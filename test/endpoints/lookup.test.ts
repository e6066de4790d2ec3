import { assert } from 'chai';
import { startApi, useApi } from '../support/api.js';
import { moveToSchema } from '../support/earlier-schema.js';
import { pluck, record, skus } from '../support/listings.js';

const UPC = '036000291452';

describe('GET and POST /v1/lookup', () => {
  const api = useApi([
    record({
      sku: 'upc',
      price: '5.00',
      gtin: UPC,
      buy_url: 'https://www.shop.example/p?id=7&utm_source=feed',
    }),
    record({ sku: 'ean', price: '4.00', metadata: { ean: `0${UPC}` }, source: 'shop_b' }),
    record({ sku: 'gone', price: '1.00', gtin: `00${UPC}`, is_available: false, source: 'shop_c' }),
    record({ sku: 'dollars', price: '3.50', currency: 'USD', gtin: UPC, source: 'shop_d' }),
    record({ sku: 'unpriced', price: null, currency: null, gtin: UPC, source: 'shop_e' }),
    record({ sku: 'unlabelled', price: '0.01', currency: null, gtin: UPC, source: 'shop_f' }),
    record({ sku: 'rateless', price: '0.02', currency: 'BND', gtin: UPC, source: 'shop_g' }),
    record({ sku: 'toner', metadata: { oem_code: 'QF-283 X' } }),
    record({ sku: 'book', metadata: { isbn: '0-8044-2957-X' } }),
    record({ sku: 'S 1', source: 'shop_a', brand: 'Sony', metadata: { model: 'WH-1000XM5' } }),
    record({ sku: 'S 1', source: 'shop_b', brand: 'Sonique', metadata: { mpn: ['wh 1000 xm5'] } }),
  ]);

  it('finds the code of another manufacturer, which is not a model number of the listing', async () => {
    assert.deepEqual(await found({ model: 'qf-283 x' }), ['toner']);
    assert.equal((await get({ model: 'QF-283' })).status, 404);
  });

  const get = (parameters: Record<string, string>) =>
    api.get(`/v1/lookup?${new URLSearchParams(parameters)}`);
  const found = async (parameters: Record<string, string>) => {
    const { status, body, text } = await get(parameters);
    assert.equal(status, 200, text);
    return skus(body);
  };
  const ALL = ['ean', 'dollars', 'upc', 'rateless', 'unlabelled', 'unpriced', 'gone'];

  it('finds all listings with a GTIN in any notation, sorted by availability, converted price and id', async () => {
    const link = `https://id.example/01/00${UPC}/21/7`;
    for (const gtin of [UPC, `0${UPC}`, `00${UPC}`, '0 36000 29145 2', '0-36000-29145-2', link]) {
      assert.deepEqual(await found({ gtin }), ALL, gtin);
    }
    assert.deepEqual(await found({ gtin: '9780804429573' }), ['book']);
    assert.deepEqual(await found({ gtin: '080442957X' }), ['book']);
  });

  it('returns a page that states how the listings were found', async () => {
    const { body } = await get({ gtin: UPC, limit: '2', offset: '1' });
    assert.hasAllKeys(body, ['total', 'limit', 'offset', 'has_more', 'match', 'items']);
    assert.include(body, { total: 7, limit: 2, offset: 1, has_more: true, match: 'exact' });
    assert.deepEqual(skus(body), ALL.slice(1, 3));
    const { id } = body.items[0];
    assert.deepEqual((await api.get(`/v1/products/${id}`)).body, body.items[0]);
    assert.deepEqual((await get({ gtin: UPC, offset: '50' })).body.items, []);
  });

  it('finds listings by SKU, by model number and by URL', async () => {
    assert.lengthOf(await found({ sku: 'S 1' }), 2);
    for (const source of ['shop_b', 'Shop_B'])
      assert.equal((await get({ sku: 'S 1', source })).body.items[0].brand, 'Sonique', source);
    assert.lengthOf(await found({ model: 'wh1000xm5' }), 2);
    const accented = await get({ model: 'WH 1000-XM5', brand: ' sóny ' });
    assert.equal(accented.body.items[0].brand, 'Sony');
    const { body } = await get({ model: 'WH 1000-XM5', brand: 'SONY' });
    assert.deepEqual([body.total, body.items[0].source], [1, 'shop_a']);
    for (const url of ['https://shop.example/p?id=7', 'HTTP://www.shop.example:80/p?gclid=1&id=7#a']) {
      assert.deepEqual(await found({ url }), ['upc'], url);
    }
    assert.deepEqual(await found({ url: `https://id.gs1.org/01/00${UPC}` }), ALL);
  });

  it('answers 404 if no listing has the identifier', async () => {
    for (const parameters of [
      { gtin: '4006381333931' },
      { sku: 's 1' },
      { sku: 'S 1', source: 'shop_z' },
      { model: 'nothing' },
      { url: 'https://shop.example/p?id=8' },
    ] as Record<string, string>[]) {
      assert.deepInclude(
        await get(parameters),
        { status: 404, body: { detail: 'No listing has this identifier' } },
        JSON.stringify(parameters),
      );
    }
  });

  it('requires exactly one valid identifier', async () => {
    const findings = async (parameters: Record<string, string>) => {
      const { status, body } = await get(parameters);
      assert.equal(status, 422, JSON.stringify(parameters));
      return body.detail.map(({ loc, msg, type }: any) => `${loc.join('.')} ${type}: ${msg}`);
    };
    assert.deepEqual(await findings({}), [
      'query.gtin missing: Field required: exactly one of gtin, sku, model, url',
    ]);
    assert.lengthOf(await findings({ source: 'shop_a' }), 1);
    assert.deepEqual(await findings({ gtin: UPC, sku: 'a', model: 'b' }), [
      'query.sku value_error: Value error, give exactly one of gtin, sku, model, url',
      'query.model value_error: Value error, give exactly one of gtin, sku, model, url',
    ]);
    assert.deepEqual(await findings({ gtin: '036000291453' }), [
      'query.gtin value_error: check digit of gtin is wrong',
    ]);
    assert.deepEqual(await findings({ gtin: 'https://id.example/01/00036000291453' }), [
      'query.gtin value_error: check digit of gtin is wrong',
    ]);
    assert.match((await findings({ gtin: '12345' }))[0], /8, 12, 13 or 14 digits/);
    assert.match((await findings({ url: 'shop.example/p' }))[0], /http or https URL/);
    assert.match((await findings({ model: '--' }))[0], /letter or digit/);
    assert.match((await findings({ sku: ' ' }))[0], /not be blank/);
    assert.deepEqual(await findings({ gtin: UPC, source: 'a', brand: 'b' }), [
      'query.source value_error: Value error, only allowed with sku',
      'query.brand value_error: Value error, only allowed with model',
    ]);
    assert.lengthOf(await findings({ gtin: UPC, limit: '101' }), 1);
    assert.lengthOf(await findings({ gtin: '' }), 1);
    assert.sameMembers(await findings({ gtin: '036000291453', limit: 'x', brand: 'b' }), [
      'query.limit int_parsing: Input should be a valid integer, unable to parse string as an integer',
      'query.gtin value_error: check digit of gtin is wrong',
      'query.brand value_error: Value error, only allowed with model',
    ]);
    assert.equal((await get({ gtin: UPC, offset: '1000001' })).status, 400);
  });

  it('looks up several identifiers, in request order', async () => {
    const id = await api.id('upc');
    const identifiers = [
      { type: 'gtin', value: Number(`1${UPC}`.slice(1)) },
      { type: 'gtin', value: '036000291453' },
      { type: 'sku', value: 'S 1', source: 'shop_b' },
      { type: 'model', value: 'WH-1000XM5', brand: 'sony' },
      { type: 'url', value: 'http://shop.example/p?id=7' },
      { type: 'id', value: id },
      { type: 'id', value: `00${id}` },
      { type: 'id', value: '12' },
      { type: 'url', value: 'nonsense' },
      { type: 'sku', value: ' ' },
    ];
    const { status, body } = await api.post('/v1/lookup', { identifiers, limit: 2 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.hasAllKeys(body, ['results', 'found', 'missing']);
    const inputs = identifiers.map((one) => ({ ...one, value: String(one.value) }));
    assert.deepEqual(
      pluck(body.results, 'input'),
      // Identifiers may be given as integers.
      inputs,
    );
    const seen = body.results.map(({ match, normalised, total, items }: any) => [
      match,
      normalised,
      total,
      items.length,
    ]);
    assert.deepEqual(seen, [
      ['none', null, 0, 0],
      ['none', null, 0, 0],
      ['exact', 'S 1', 1, 1],
      ['exact', 'wh1000xm5', 1, 1],
      ['exact', 'shop.example/p?id=7', 1, 1],
      ['exact', String(id), 1, 1],
      ['exact', String(id), 1, 1],
      ['none', '12', 0, 0],
      ['none', null, 0, 0],
      ['none', null, 0, 0],
    ]);
    assert.equal(body.results[1].reason, 'check digit of gtin is wrong');
    assert.notProperty(body.results[2], 'reason');
    assert.deepEqual([body.found, body.missing], [5, 5]);
    assert.deepEqual(body.results[5].items[0], (await api.get(`/v1/products/${id}`)).body);
    const five = await api.post('/v1/lookup', { identifiers: [{ type: 'gtin', value: UPC }] });
    assert.deepEqual(skus(five.body.results[0]), ALL.slice(0, 5));
    assert.deepEqual([five.body.results[0].total, five.body.results[0].normalised], [7, `00${UPC}`]);
  });

  it('rejects an invalid body', async () => {
    const sku = { type: 'sku', value: 'a' };
    const types = async (body: object) =>
      (await api.post('/v1/lookup', body)).body.detail.map(
        ({ loc, type }: any) => `${loc.join('.')} ${type}`,
      );
    assert.deepEqual(await types({}), ['body.identifiers missing']);
    assert.deepEqual(await types({ identifiers: [] }), ['body.identifiers too_short']);
    assert.deepEqual(await types({ identifiers: Array(51).fill(sku) }), ['body.identifiers too_long']);
    assert.deepEqual(
      await types({
        identifiers: [
          { type: 'isbn', value: null },
          { ...sku, source: 5 },
        ],
      }),
      [
        'body.identifiers.0.type literal_error',
        'body.identifiers.0.value string_type',
        'body.identifiers.1.source string_type',
      ],
    );
    assert.deepEqual(await types({ identifiers: [sku], limit: 21 }), ['body.limit less_than_equal']);
  });

  it('counts as one request', async () => {
    const authorization = `Bearer ${await api.key('free')}`;
    const identifiers = Array(50).fill({ type: 'sku', value: 'a' });
    const { headers } = await api.post('/v1/lookup', { identifiers }, { headers: { authorization } });
    assert.equal(headers.get('x-ratelimit-remaining'), '99');
  });
});

describe('look-up in an index of an earlier schema', () => {
  it('answers what the schema allows, and 503 with instructions otherwise', async () => {
    const api = await startApi();
    await moveToSchema(api, 2);
    await api.load([record({ sku: 'old', gtin: UPC, buy_url: 'https://shop.example/old' })]);
    assert.deepEqual(skus((await api.get(`/v1/lookup?gtin=${UPC}`)).body), ['old']);
    assert.deepEqual(skus((await api.get('/v1/search?q=old')).body), ['old']);
    assert.equal((await api.get('/v1/lookup?sku=none')).status, 404);
    const url = 'https://shop.example/old';
    for (const reply of [
      await api.get(`/v1/lookup?url=${encodeURIComponent(url)}`),
      await api.post('/v1/lookup', {
        identifiers: [
          { type: 'sku', value: 'old' },
          { type: 'url', value: url },
        ],
      }),
    ]) {
      assert.equal(reply.status, 503);
      assert.include(reply.body.detail, 'npm run reindex');
      assert.isTrue(reply.headers.has('retry-after'));
    }
    await api.stop();
  });
});
