import { assert } from 'chai';
import { checkItem } from '../../../src/usecases/ingest/check.js';
import { SECONDARY_FIELDS } from '../../../src/feeds/map/feed-map.js';
import { loadText, now } from './fixtures.js';

const FIELDS = { sku: 'sku', name: 'sku', gtin: 'ean', is_available: 'available', price_history: 'history' };

/** The records of a feed after their validation, with the fields that were left out. */
async function load(text: string, fields: object = FIELDS, options = {}) {
  const { items } = await loadText(text, { fields, metadata: { mpn: 'mpn' } }, options);
  return items.map((item) => {
    const checked = checkItem(item, [], { onBad: new Set(SECONDARY_FIELDS) }, now);
    if ('reasons' in checked) return { reasons: checked.reasons };
    return { ...checked.record, dropped: [...(item.dropped ?? []), ...checked.dropped] };
  }) as Record<string, any>[];
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('identifiers that went through a spreadsheet', () => {
  const skusOf = async (...skus: string[]) =>
    (await load(['sku,ean', ...skus.map((sku) => `${cell(sku)},`)].join('\n'))).map(({ sku }) => sku);

  it('errors of a spreadsheet are no values', async () => {
    const rows = await load(
      'sku,name,brand,mpn,price\n#N/A,Pot,,,5.00\nB,#REF!,,,5.00\nC,Pan,#NAME?,#VALUE!,5.00\nD,Lid,,,#N/A\n#12,Box,,,5.00\n',
      { sku: 'sku', name: 'name', brand: 'brand', price: { from: 'price', money: 'amount' } },
    );
    assert.deepEqual(rows[0]?.['reasons'], ['sku: "#N/A" is an error of a spreadsheet']);
    assert.deepEqual(rows[1]?.['reasons'], ['name: "#REF!" is an error of a spreadsheet']);
    assert.deepEqual(
      rows.slice(2).map(({ sku, brand, price, metadata, dropped }) => [sku, brand, price, metadata, dropped]),
      [
        ['C', null, '5.00', null, ['brand']],
        ['D', null, null, null, ['price']],
        ['#12', null, '5.00', null, []],
      ],
    );
  });

  it('GTINs get their digits back if all of them are there', async () => {
    const written: [text: string, gtin: string | null][] = [
      ['4,006,381,333,931', '04006381333931'],
      ['4.006.381.333.931', '04006381333931'],
      ['4.006381333931E+12', '04006381333931'],
      ['4,006381333931e12', '04006381333931'],
      ['4.00638E+12', null],
      ['4.006381333931E+13', null],
      ['4,006,381,333,930', null],
      ['4006,381,333,931', null],
    ];
    const rows = await load(
      ['sku,ean', ...written.map(([text], index) => `${index},${cell(text)}`)].join('\n'),
    );
    const found = rows.map(({ gtin }) =>
      gtin === null || gtin === undefined ? null : String(gtin).padStart(14, '0'),
    );
    assert.deepEqual(
      found,
      written.map(([, gtin]) => gtin),
    );
  });

  it('SKUs lose a spreadsheet mark and are otherwise as the feed writes them', async () => {
    const marked = ["'007", '="007"', '="0,07"', '="a""b"', '=T("007")', "'+49-7", '’007', '=" 007"'];
    assert.deepEqual(await skusOf(...marked), ['007', '007', '0,07', 'a"b', '007', '+49-7', '007', '007']);
    const plain = [
      '007',
      '7',
      '7E3',
      '7000',
      '58311587E59',
      '58311587E60',
      '8.85E+12',
      '+49-7',
      '=SUM',
      "O'Neil-1",
      '1.10',
    ];
    assert.deepEqual(await skusOf(...plain), plain);
  });

  it('GTINs lose a mark and superfluous zeros, and those in exponent form are left out and counted', async () => {
    const right = [
      "'4006381333931",
      '="4006381333931"',
      '=T("4006381333931")',
      '`4006381333931',
      '4006381333931.0',
      '4006381333931,00',
      ' 4006381333931\t',
      '4006-3813-33931',
      "'36000291452",
    ];
    const wrong = [
      '4.01E+12',
      '4,00638E+12',
      '4.00638133393E12',
      '4006381333930',
      '4006380000000',
      '8850000000000',
      "'4006381333930",
      '400638133393.1',
      '4e12',
    ];
    const rows = await load(
      ['sku,ean', ...[...right, ...wrong].map((ean, at) => `${at},${cell(ean)}`)].join('\n'),
    );
    assert.deepEqual(
      rows.slice(0, right.length).map(({ gtin }) => gtin),
      [...right.slice(1).map(() => ['4006381333931']), ['036000291452']],
    );
    for (const [at, ean] of wrong.entries())
      assert.deepEqual(
        [rows[right.length + at]?.['gtin'], rows[right.length + at]?.['dropped']],
        [undefined, ['gtin']],
        ean,
      );
  });

  it('JSON numbers that parsing has changed are no identifiers', async () => {
    const [sku, large, gtin, fine] = await load(
      '{"sku": 58311587E59}\n{"sku": 12345678901234567890}\n{"sku": "A", "ean": 8.85E+12}\n{"sku": 100000, "ean": 4006381333931}',
    );
    assert.match(String(sku?.['reasons']), /^sku: .* is not exact as a JSON number: write it as a string/);
    assert.match(String(large?.['reasons']), /^sku: .* is not exact as a JSON number/);
    assert.deepEqual([gtin?.['gtin'], gtin?.['dropped']], [undefined, ['gtin']]);
    assert.deepInclude(fine, { sku: '100000', gtin: ['4006381333931'] });
  });

  it('model numbers in the metadata lose a mark, and Shopify counts a barcode that a spreadsheet has changed', async () => {
    const [record] = await load(`sku,mpn\nA,"=""0012-X"""`);
    assert.deepEqual(record?.['metadata'], { mpn: '0012-X' });
    const rows = ["'4006381333931", '="4006381333931"', '4.01E+12', 'shelf 7'].map(
      (code, at) => `m${at},Mug,m${at},9.00,${cell(code)}`,
    );
    const { items } = await loadText(
      ['Handle,Title,Variant SKU,Variant Price,Variant Barcode', ...rows].join('\n'),
      'shopify',
    );
    assert.deepEqual(
      items.map(({ value }) => (value as any).gtin),
      ['4006381333931', '4006381333931', '4.01E+12', null],
    );
  });
});

describe('fields of a map', () => {
  it('is_available understands true and false as texts', async () => {
    const words = ['true', 'FALSE', 'yes', '0', 'perhaps'];
    const rows = await load(['sku,available', ...words.map((word, at) => `${at},${word}`)].join('\n'));
    assert.deepEqual(
      rows.map(({ is_available }) => is_available),
      [true, false, true, false, null],
    );
    assert.deepEqual(rows[4]?.['dropped'], ['is_available']);
  });

  it('price_history is a list, or its JSON text, with names of its own', async () => {
    const history = [{ price: '19.90', at: '2026-05-01T00:00:00Z' }];
    const records = await load(
      [
        { sku: 'A', history },
        { sku: 'B', history: JSON.stringify(history) },
        { sku: 'C', history: 'none' },
      ]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    assert.deepEqual(
      records.map((record) => record['price_history']),
      [history, history, null],
    );
    assert.deepEqual(records[2]?.['dropped'], ['price_history']);
    const fields = {
      ...FIELDS,
      price_history: { from: 'prices', entries: { price: 'value.amount', at: 'day' } },
    };
    const own = (...prices: [unknown, string][]) =>
      load(
        JSON.stringify({ sku: 'A', prices: prices.map(([amount, day]) => ({ value: { amount }, day })) }),
        fields,
        { timezone: 'Asia/Tokyo', currency: 'EUR' },
      );
    const [read] = await own(['24,5 kg', '2026-05-01'], [23.5, '2026-06-01 12:00']);
    assert.deepEqual(read?.['price_history'], null);
    const [points] = await own(['24,50 €', '2026-05-01'], [23.5, '2026-06-01 12:00']);
    assert.deepEqual(points?.['price_history'], [
      { price: '24.50', at: '2026-04-30T15:00:00Z' },
      { price: '23.50', at: '2026-06-01T03:00:00Z' },
    ]);
    for (const price of ['2.499', '24.50 USD'])
      assert.deepEqual((await own([price, '2026-05-01']))[0]?.['dropped'], ['price_history'], price);
  });
});
