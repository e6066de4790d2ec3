import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer, pluck, record } from '../support/listings.js';

const earbuds = { name: 'Wireless Earbuds', currency: 'SGD', is_available: true };

describe('GET /v1/search?interpret=true', () => {
  const api = useApi([
    record({ ...earbuds, sku: 'a', source: 'shopee_sg', price: '40.00' }),
    record({ ...earbuds, sku: 'b', source: 'shopee_my', price: '50.00', currency: 'MYR' }),
    record({ ...earbuds, sku: 'c', source: 'shopee_sg', price: '50.01' }),
    record({ ...earbuds, sku: 'd', source: 'shopee_sg', price: '30.00', is_available: false }),
    record({ ...earbuds, sku: 'e', source: 'lazada_sg', price: '20.00' }),
    record({ ...earbuds, sku: 'f', source: 'lazada_sg', price: '10.00', name: 'Desk Lamp' }),
  ]);

  const ask = async (parameters: Record<string, string>, path = '/v1/search') => {
    const query = new URLSearchParams({ interpret: 'true', ...parameters }).toString();
    const body = await api.ok(`${path}?${query}`);
    return {
      body,
      found: (body.items as { sku: string }[]).map(({ sku }) => sku).join(''),
      read: (body.interpreted as { parameter: string; value: string }[] | undefined)
        ?.map(({ parameter, value }) => `${parameter}=${value}`)
        .join('&'),
    };
  };
  const sorted = (text: string) => [...text].sort().join('');

  it('narrows by what the words say, and tells what it read and where', async () => {
    const q = 'wireless earbuds under $50 in stock from shopee';
    for (const path of ['/v1/search', '/v1/products']) {
      const { found, body } = await ask({ q }, path);
      assert.equal(sorted(found), 'ab');
      assert.deepEqual(body.interpreted, [
        { parameter: 'max_price', value: '50', from: 17, to: 26 },
        { parameter: 'in_stock', value: 'true', from: 27, to: 35 },
        { parameter: 'source', value: 'shopee_my|shopee_sg', from: 36, to: 47 },
      ]);
    }
    const plain = await ask({ q, interpret: 'false' });
    assert.isUndefined(plain.read, 'off unless asked for');
    assert.include(plain.found, 'c');
  });

  it('lets parameters win over words, which are then neither applied nor searched for', async () => {
    const limit = await ask({ q: 'wireless earbuds under 20', max_price: '45', match: 'all' });
    assert.deepEqual([sorted(limit.found), limit.read], ['ade', '']);
    const source = await ask({ q: 'earbuds from shopee under 45', platform: 'lazada_sg' });
    assert.deepEqual([source.found, source.read], ['e', 'max_price=45']);
    const crossing = await ask({ q: 'earbuds under 20', min_price: '50' });
    assert.deepEqual([sorted(crossing.found), crossing.read], ['bc', '']);
    const both = await ask({ q: 'earbuds under S$45', min_price: '25', match: 'all' });
    assert.deepEqual([sorted(both.found), both.read], ['ad', 'max_price=45&price_currency=SGD']);
    const currency = await ask({ q: 'earbuds under RM45', currency: 'sgd', match: 'all' });
    assert.deepEqual([sorted(currency.found), currency.read], ['', 'max_price=45&price_currency=MYR']);
    const order = await ask({ q: 'cheapest earbuds', sort: 'price_desc', currency: 'SGD' });
    assert.deepEqual([order.found, order.read], ['cade', '']);
  });

  it('compares limits in money with prices in every currency, as the parameters do', async () => {
    for (const [q, text, parameters] of [
      ['earbuds under US$35', 'earbuds', { max_price: '35', price_currency: 'USD' }],
      ['earbuds under RM50', 'earbuds', { max_price: '50', price_currency: 'MYR' }],
      [
        'earbuds under S$45 only in MYR',
        'earbuds',
        { max_price: '45', price_currency: 'SGD', currency: 'MYR' },
      ],
      ['earbuds under 60 only in MYR', 'earbuds', { max_price: '60', currency: 'MYR' }],
    ] as const) {
      const asked = await api.ok(`/v1/search?${new URLSearchParams({ q, interpret: 'true', limit: '100' })}`);
      const said = await api.ok(
        `/v1/search?${new URLSearchParams({ q: text, ...parameters, limit: '100' })}`,
      );
      const { interpreted, ...page } = asked;
      assert.deepEqual(page, said, q);
      assert.deepEqual(
        Object.fromEntries(interpreted.map(({ parameter, value }: any) => [parameter, value])),
        parameters,
      );
      assert.isNotEmpty(page.items, q);
    }
    const both = await ask({ q: 'earbuds under US$35', match: 'all' });
    assert.equal(sorted(both.found), 'abde', 'a price of 50 ringgit is below 35 dollars');
    const other = await ask({ q: 'earbuds under RM45', price_currency: 'SGD', match: 'all' });
    assert.deepEqual(other.read, '', 'a limit in another currency than the request states');
  });

  it('lists what the words leave where they leave nothing to search for', async () => {
    const { found, read } = await ask({ q: 'cheapest under S$45', sort: 'relevance' });
    assert.deepEqual([sorted(found), read], ['abdef', 'max_price=45&price_currency=SGD']);
    const cheapest = await ask({ q: '最便宜 有货', currency: 'SGD' });
    assert.deepEqual([cheapest.found, cheapest.read], ['feac', 'sort=price_asc&in_stock=true']);
  });

  it('lists the thing that the words name where they order, with as many of the words as there are', async () => {
    await api.load([
      offer('x', 'Case for Wireless Earbuds', '2.00', { source: 's', currency: 'SGD' }),
      offer('y', 'Desk', '1.00', { source: 's', description: 'For wireless earbuds.' }),
      offer('z', 'Sonvara Quill', '3.00', { source: 's', brand: 'Sonvara', currency: 'SGD' }),
      offer('w', 'Sonvara Charger', '1.00', { source: 's', brand: 'Sonvara', currency: 'SGD' }),
    ]);
    const cheapest = async (q: string, more: Record<string, string> = {}) =>
      (await ask({ q: `cheapest ${q}`, source: 'shopee_sg|lazada_sg|s', ...more })).found;
    assert.equal(await cheapest('earbuds'), 'edac');
    for (const q of ['earbuds for my daughter', 'zzqx wireless earbuds', 'wireless earbubs'])
      assert.equal(await cheapest(q), 'edac', q);
    assert.equal(await cheapest('case for wireless earbuds'), 'x');
    assert.equal(await cheapest('wireless lamp'), 'f', 'as many of the words as a lamp has');
    assert.equal(await cheapest('sonvara'), 'z', 'of a brand what goes with nothing');
    assert.equal(await cheapest('wireless lamp', { match: 'all' }), '');
    assert.equal(await cheapest('qwrtzp'), '');
    assert.equal(await cheapest('wireless lamp', { match: 'any' }), 'yxfedac', 'unless told otherwise');
  });

  it('counts, explains and walks the same listings', async () => {
    const asked = { q: 'cheapest earbuds', source: 'shopee_sg|lazada_sg|s' };
    const { body, found } = await ask({ ...asked, facets: 'source', explain: 'true', limit: '3' });
    assert.equal(found, 'eda');
    assert.equal(body.total, 4);
    assert.deepEqual(pluck(body.facets[0].values as { value: string; count: number }[], 'value', 'count'), [
      ['shopee_sg', 3],
      ['lazada_sg', 1],
      ['shopee_my', 1],
      ['s', 0],
    ]);
    assert.equal(body.explanation.found_any, 6, 'also the case and the desk');
    assert.deepEqual(body.matched, { mode: 'all', all_words: 7, kind: 'earbuds' });
    assert.deepEqual(body.items[0].why.missing, []);
    const first = await ask({ ...asked, cursor: '', limit: '3' });
    const next = await ask({ ...asked, cursor: first.body.next_cursor, limit: '3' });
    assert.equal(first.found + next.found, 'edac');
    assert.isNull(next.body.next_cursor);
  });

  it('goes on with what was read through pages, facets and products', async () => {
    const q = 'earbuds from shopee';
    const first = await ask({ q, cursor: '', limit: '2', facets: 'source' });
    assert.equal(first.body.total, 4);
    const counts = first.body.facets[0].values as { value: string; count: number }[];
    assert.deepEqual(pluck(counts, 'value', 'count'), [
      ['shopee_sg', 3],
      ['s', 2],
      ['lazada_sg', 1],
      ['shopee_my', 1],
    ]);
    const next = await ask({ q, cursor: first.body.next_cursor, limit: '2', facets: 'source' });
    assert.equal(sorted(first.found + next.found), 'abcd');
    assert.equal(next.read, 'source=shopee_my|shopee_sg');
  });

  it('reads a source as soon as there is one', async () => {
    assert.equal((await ask({ q: 'lamp from newshop' })).read, '');
    await api.load([record({ ...earbuds, sku: 'g', source: 'newshop', name: 'Lamp' })]);
    const { found, read } = await ask({ q: 'lamp from newshop' });
    assert.deepEqual([found, read], ['g', 'source=newshop']);
  });
});

describe('GET /v1/search?interpret=true, with words of two languages', () => {
  const names = {
    a: ['Die cast car Tavi 1:18', 'EUR'],
    b: ['Gift card holder Mila', 'EUR'],
    c: ['Ab wheel roller Dorn', 'EUR'],
    d: ['Not Oat Drink 1 l, case of 6', 'EUR'],
    e: ['Wasserkocher Orbit 1,7 l', 'EUR'],
    f: ['Kettle Orbit 1.7 l, used', 'EUR'],
    g: ['กาต้มน้ำไฟฟ้า Orbit', 'THB'],
    h: ['电热水壶 Orbit', 'CNY'],
    i: ['Cerek elektrik Orbit', 'MYR'],
  } as const;
  const api = useApi(
    Object.entries(names).map(([sku, [name, currency]]) =>
      record({ sku, name, currency, price: '25.00', source: 'tarn', is_available: sku !== 'f' }),
    ),
  );

  for (const [q, found, read] of [
    ['die cast car', 'a', ''],
    ['die cast car under 30', 'a', 'max_price=30'],
    ['gift card holder', 'b', ''],
    ['gift card holder under €30', 'b', 'max_price=30&price_currency=EUR'],
    ['ab wheel roller', 'c', ''],
    ['ab wheel roller in stock', 'c', 'in_stock=true'],
    ['not oat drink', 'd', ''],
    ['not oat drink under 20', '', 'max_price=20'],
    ['wasserkocher ab 20 €', 'e', 'min_price=20&price_currency=EUR'],
    ['wasserkocher ab 30 €', '', 'min_price=30&price_currency=EUR'],
    ['wasserkocher nicht über 30 €', 'e', 'max_price=30&price_currency=EUR'],
    ['die günstigsten wasserkocher', 'e', 'sort=price_asc'],
    ['wasserkocher sofort lieferbar', 'e', 'in_stock=true'],
    ['kettle sold out', 'f', 'in_stock=false'],
    ['wasserkocher vergriffen', '', 'in_stock=false'],
    ['กาต้มน้ำ สินค้าพร้อมส่ง ไม่เกิน 500 บาท', 'g', 'in_stock=true&max_price=500&price_currency=THB'],
    ['กาต้มน้ำ ของหมด', '', 'in_stock=false'],
    ['水壶 有现货 200元以下', 'h', 'in_stock=true&max_price=200'],
    ['水壶 缺货', '', 'in_stock=false'],
    ['cerek stok sedia ada bawah RM50', 'i', 'in_stock=true&max_price=50&price_currency=MYR'],
    ['cerek stok habis', 'f', 'in_stock=false'],
  ] as const)
    it(q, async () => {
      const { items, interpreted = [] } = await api.ok(
        `/v1/search?${new URLSearchParams({ q, interpret: 'true', match: 'all' })}`,
      );
      const parameters = interpreted as { parameter: string; value: string }[];
      assert.equal(pluck(items, 'sku').join(''), found);
      assert.equal(parameters.map(({ parameter, value }) => `${parameter}=${value}`).join('&'), read);
    });
});
