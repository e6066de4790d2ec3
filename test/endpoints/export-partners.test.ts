import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readRecords } from '../../src/feeds/map/records.js';
import { platformMap } from '../../src/feeds/map/feed-map.js';
import { useApi } from '../support/api.js';
import { pluck, record } from '../support/listings.js';

const fine = {
  description: 'Of steel',
  buy_url: 'https://shop.example/k',
  image_url: 'https://shop.example/k.jpg',
  is_available: true,
  brand: 'Bolt',
  category_path: ['Home', 'Kettles'],
  merchant_id: 'bolt-store',
  metadata: { mpn: 'K-1', ean: '4006381333931', color: 'red' },
};

const detailed = {
  list_price: '12.50',
  gtin: ['0036000291452'],
  metadata: {
    Condition: 'New',
    additional_image_link: 'https://shop.example/2.jpg, https://shop.example/3,4.jpg',
    attributes: { colour: 'Red', wattage: '1500 W', range: '1:2', series: 3 },
  },
};

describe('GET /v1/products/export as a partner feed', () => {
  const api = useApi([
    record({ sku: 'K1', name: '=Kettle\tred', ...fine }),
    record({ sku: 'K2', name: 'Kettle', ...fine, image_url: null, price: null, currency: null }),
    record({ sku: 'K3', name: 'K'.repeat(151), ...fine, is_available: null }),
    record({ sku: 'K4', name: 'Pot', ...fine, is_available: false, brand: null, metadata: null }),
    record({ sku: 'D1', name: '"Best" kettle', source: 'shop_d', ...fine, ...detailed }),
    record({
      sku: 'D2',
      name: 'Kettle',
      source: 'shop_d',
      ...fine,
      list_price: '8.00',
      gtin: '2000000000008',
    }),
  ]);

  it('google: exports what Merchant Center accepts, can be loaded again, and reports the other listings with reasons', async () => {
    const { headers, text } = await api.get('/v1/products/export?format=google&source=shop_a');
    assert.match(headers.get('content-type') ?? '', /^text\/tab-separated-values/);
    assert.match(headers.get('content-disposition') ?? '', /products\.tsv/);
    const map = platformMap('google');
    const options = { map, source: 'again', currency: undefined, shopUrl: undefined, timezone: undefined };
    const rows = [];
    for await (const { value } of readRecords(
      Readable.from([Buffer.from(text)]),
      { ...options, feed: { anyColumns: true } },
      new Date(),
    ))
      rows.push(value as Record<string, unknown>);
    const ids = { k1: String(await api.id('K1')), k4: String(await api.id('K4')) };
    assert.sameDeepMembers(
      rows.map(({ sku, name, price, currency, is_available, gtin }) => ({
        sku,
        name,
        price,
        currency,
        is_available,
        gtin,
      })),
      [
        {
          sku: ids.k1,
          name: '=Kettle red',
          price: '10.00',
          currency: 'SGD',
          is_available: true,
          gtin: '4006381333931',
        },
        { sku: ids.k4, name: 'Pot', price: '10.00', currency: 'SGD', is_available: false, gtin: null },
      ],
    );
    const report = (await api.get('/v1/products/export?format=google&source=shop_a&report=true')).text
      .trim()
      .split('\n');
    const told = report.map((line) => JSON.parse(line) as { sku: string; reasons: string[] });
    assert.sameDeepMembers(pluck(told, 'sku', 'reasons'), [
      ['K2', ['image_url: is required', 'price: is required', 'currency: is required']],
      ['K3', ['is_available: is required', 'name: is longer than 150 characters']],
    ]);
  });

  it('both: exports the declared GTIN, real sale prices, images and details', async () => {
    const rows = async (format: string) => {
      const { text } = await api.get(`/v1/products/export?format=${format}&source=shop_d`);
      return text.trimEnd().split('\n');
    };
    const [header = '', ...google] = await rows('google');
    const columns = header.split('\t');
    const cells = google.map((line) =>
      Object.fromEntries(line.split('\t').map((cell, index) => [columns[index], cell])),
    );
    const [d1, d2] = [await api.id('D1'), await api.id('D2')].map((id) =>
      cells.find((row) => row['id'] === String(id)),
    );
    assert.deepInclude(d1, {
      title: '"""Best"" kettle"',
      price: '12.50 SGD',
      sale_price: '10.00 SGD',
      gtin: '036000291452',
      condition: 'new',
      color: 'Red',
      additional_image_link: 'https://shop.example/2.jpg,https://shop.example/3%2C4.jpg',
      product_detail: 'General:wattage:1500 W,General:series:3',
    });
    assert.deepInclude(d2, { price: '10.00 SGD', sale_price: '', gtin: '4006381333931' });
    const openai = (await rows('openai')).map((line) => JSON.parse(line) as Record<string, unknown>);
    const id = String(await api.id('D1'));
    assert.deepInclude(
      openai.find((row) => row['item_id'] === id),
      {
        gtin: '036000291452',
        price: '12.50 SGD',
        sale_price: '10.00 SGD',
        color: 'Red',
        additional_image_urls: ['https://shop.example/2.jpg', 'https://shop.example/3,4.jpg'],
      },
    );
  });

  it('openai: exports one object per line, and reports the other listings with reasons', async () => {
    const { text } = await api.get('/v1/products/export?format=openai&platform=shop_a');
    const [row, more] = text.trim().split('\n');
    assert.isUndefined(more);
    assert.deepEqual(JSON.parse(row ?? ''), {
      is_eligible_search: true,
      is_eligible_checkout: false,
      item_id: String(await api.id('K1')),
      title: '=Kettle\tred',
      description: 'Of steel',
      url: 'https://shop.example/k',
      condition: 'new',
      brand: 'Bolt',
      image_url: 'https://shop.example/k.jpg',
      price: '10.00 SGD',
      availability: 'in_stock',
      product_category: 'Home > Kettles',
      seller_name: 'bolt-store',
      gtin: '4006381333931',
      mpn: 'K-1',
      color: 'red',
    });
    const report = (await api.get('/v1/products/export?format=openai&report=true')).text;
    assert.match(report, /"sku":"K4","reasons":\["brand: is required"\]/);
    const wrong = await api.get('/v1/products/export?format=csv&report=true');
    assert.deepEqual([wrong.status, wrong.body.detail], [400, 'report needs format=google or format=openai']);
  });
});
