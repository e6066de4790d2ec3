import { assert } from 'chai';
import { forCurrency, MapError, platformMap } from '../../../src/feeds/map/feed-map.js';
import { FeedError } from '../../../src/feeds/read/item.js';
import { loadText, outcomesOf } from './fixtures.js';

const csv = (...rows: string[]) => rows.join('\n');

describe('prices that may be a thousand times higher', () => {
  const MAP = { sku: 'sku', name: 'sku', currency: 'cur', price: { from: 'price', money: 'amount' } };
  const load = (decimal: '.' | ',' | 'either', isDecimalCertain: boolean, ...prices: string[]) =>
    outcomesOf(
      csv('sku;price;cur', ...prices.map((price, at) => `${at};${price}`)),
      { decimal, fields: MAP },
      { isDecimalCertain },
    );

  it('ask for the separator, also if the currency is unknown', async () => {
    const ask = 'three decimals or a separator of thousands; specify --decimal';
    const kinds: [text: string, decimal: '.' | 'either'][] = [
      ['2.499 Kč;', '.'],
      ['18.750 Kč;', '.'],
      ['R2,499;', 'either'],
      ['$2,499;', 'either'],
      ['2.499;JPY', 'either'],
      ['2.499;', '.'],
      ['2.499 EUR;', '.'],
      ['2.499;XYZ', '.'],
    ];
    for (const [text, decimal] of kinds) {
      const [outcome] = await load(decimal, false, text);
      assert.include(String(outcome), ask, text);
    }
  });

  it('are read if the currency has three decimals or the operator states the separator', async () => {
    assert.deepEqual(await load('.', false, '2.499 KWD;KWD', '2.499;TND', '0.499;', '2499.5 Kč;'), [
      '2.499',
      '2.499',
      '0.499',
      '2499.5',
    ]);
    assert.deepEqual(await load(',', true, '2.499 Kč;', '18.750;'), ['2499', '18750']);
    assert.deepEqual(await load('.', true, '2.499 Kč;'), ['2.499']);
  });

  it('ask as well if a separator of thousands may be that of three decimals', async () => {
    const ask = 'three decimals or a separator of thousands; specify --decimal';
    const kinds: [text: string, decimal: '.' | ','][] = [
      ['7,250 OMR;', '.'],
      ['7,250;tnd', '.'],
      ['JOD 18,900;', '.'],
      ['7.250;BHD', ','],
    ];
    for (const [text, decimal] of kinds) {
      const [outcome] = await load(decimal, false, text);
      assert.include(String(outcome), ask, text);
    }
    const clear = ['7,250.500;OMR', '17,250,000;IQD', '1 250;KWD', '7,250;EUR', '7250;BHD'];
    assert.deepEqual(await load('.', false, ...clear), ['7250.500', '17250000', '1250', '7250', '7250']);
    assert.deepEqual(await load('either', false, '7,250;OMR', '7.250;OMR'), ['7.250', '7.250']);
    assert.deepEqual(await load('.', true, '7,250;OMR'), ['7250']);
    assert.deepEqual(await load(',', true, '7,250;OMR'), ['7.250']);
  });

  it('are read beside a mark of their market if nobody stated the separator', async () => {
    const rows = ['Rp 15.999;', '2.499 Kč;', '฿1,290;', '15.999 IDR;', '1.299 €;'];
    const text = csv('sku;price;cur', ...rows.map((price, at) => `${at};${price}`));
    const outcomes = await outcomesOf(text, { fields: MAP });
    assert.deepEqual(outcomes.slice(0, 3), ['15999', '2499', '1290']);
    for (const outcome of outcomes.slice(3)) assert.include(String(outcome), 'specify --decimal');
  });

  it('no group of thousands begins with 0', async () => {
    for (const price of ['0.018', '0.129', '00.500', '012.500', '0 018']) {
      const [outcome] = await load(',', true, `${price} EUR;`);
      assert.match(String(outcome), /^price: .* is not an amount of money/, price);
    }
    const [hint] = await load(',', true, '0.018 EUR;');
    assert.include(String(hint), '--decimal point');
  });

  it('a JSON number has a decimal point, whatever the texts of the feed have', async () => {
    const fields = { ...MAP, price: { from: 'price', match: '.*', money: 'amount' } };
    const rows = [
      { sku: 'A', price: 2.499 },
      { sku: 'B', price: 12.5 },
      { sku: 'C', price: '12,5' },
    ];
    const text = rows.map((row) => JSON.stringify({ ...row, cur: 'EUR' })).join('\n');
    assert.deepEqual(await outcomesOf(text, { decimal: ',', fields }, { isDecimalCertain: true }), [
      '2.499',
      '12.5',
      '12.5',
    ]);
  });
});

describe('amounts in minor units', () => {
  const fields = {
    sku: 'sku',
    name: 'sku',
    currency: 'cur',
    price: { from: 'price', money: 'minor' },
    list_price: { from: 'before', money: 'minor' },
  };
  const load = (rows: string[], currency?: string) =>
    outcomesOf(
      csv('sku,price,cur,before', ...rows.map((row, at) => `${at},${row}`)),
      { fields },
      { currency },
    );

  it('have the decimals of their currency by ISO 4217', async () => {
    const rows = ['2495,USD,2995', '2495,jpy,', '2495,KRW,', '2495,BHD,', '2495,TND,', '5,EUR,', '2495,CLF,'];
    assert.deepEqual(await load(rows), [
      '24.95 of 29.95',
      '2495',
      '2495',
      '2.495',
      '2.495',
      '0.05',
      '0.2495',
    ]);
    assert.deepEqual(await load(['2495,,'], 'CLP'), ['2495']);
  });

  it('are rejected if they are not whole, or if their currency is unknown', async () => {
    assert.deepEqual(await load(['24.95,USD,', '2495,,', '0,USD,']), [
      'price: "24.95" is not a whole number of minor units (column price)',
      'price: "2495" is in minor units of an unknown currency; specify --currency CODE (column price)',
      null,
    ]);
  });

  it('Medusa: the columns of version 1 have minor units, those of version 2 have not', async () => {
    const columns = 'Product Handle;Product Title;Variant Id;Variant Title;Variant SKU';
    const first = csv(
      `${columns};Price EUR;Price JPY`,
      'cup;Cup;v1;red;C-1;1450;2300',
      'cup;Cup;v2;blue;;1450.5;',
    );
    const second = csv(`${columns};Variant Price EUR;Variant Price JPY`, 'cup;Cup;v1;red;C-1;14.5;2300');
    const load = (text: string, currency: string) =>
      outcomesOf(text, forCurrency(platformMap('medusa'), currency), { currency });
    assert.deepEqual(await load(first, 'EUR'), [
      '14.50',
      'price: "1450.5" is not a whole number of minor units (column Price EUR)',
    ]);
    assert.deepEqual(await load(first, 'JPY'), ['2300', undefined]);
    assert.deepEqual(await load(second, 'EUR'), ['14.5']);
    assert.deepEqual(await load(second, 'JPY'), ['2300']);
    assert.throws(() => forCurrency(platformMap('medusa'), undefined), MapError, 'specify --currency CODE');
  });

  it('Medusa: a feed without a column of prices in the currency is refused', async () => {
    const load = (currency: string, column: string, patch = false) =>
      outcomesOf(
        csv(`Product Handle;Product Title;Variant Id;Variant SKU;${column}`, 'cup;Cup;v1;C-1;1450'),
        forCurrency(platformMap('medusa'), currency),
        { currency, patch },
      );
    for (const column of ['Price EUR', 'Variant Price EUR', 'Price Nordics [EUR]', 'Price Nordics [DKK]']) {
      const refused = await load('USD', column).catch((error: unknown) => error);
      assert.instanceOf(refused, FeedError, column);
      assert.include(refused.message, `"Variant Price USD", "Price USD", which the feed does not have`);
      assert.include(refused.message, `columns of prices are "${column}": specify`);
    }
    const region = await load('EUR', 'Price Nordics [EUR]').catch(String);
    assert.include(String(region), 'or name one in a map');
    assert.deepEqual(await load('EUR', 'Shipping Price EUR'), [undefined]);
    assert.deepEqual(await load('USD', 'Price EUR', true), [undefined]);
    assert.deepEqual(await load('USD', 'Product Material'), [undefined]);
  });

  it('OpenAI: the variants of a product are listings, with what they inherit', async () => {
    const product = {
      id: 'P',
      title: 'Field cup',
      url: 'https://cups.example/p',
      description: { plain: 'Enamelled' },
      variants: [
        {
          id: 'P-1',
          title: 'Field cup red',
          price: { amount: 1450, currency: 'EUR' },
          list_price: { amount: 1900, currency: 'EUR' },
          availability: { available: true, status: 'limited_stock' },
          barcodes: [
            { type: 'SKU', value: 'none' },
            { type: 'EAN', value: '4006381333931' },
          ],
          variant_options: [{ name: 'Colour', value: 'red' }],
          media: [{ type: 'image', url: 'https://cups.example/1.jpg' }],
          categories: [{ value: 'Kitchen > Cups', taxonomy: 'merchant' }],
          seller: { name: 'Cups' },
        },
        { id: 'P-2', price: { amount: 1450, currency: 'OMR' }, availability: { status: 'out_of_stock' } },
        { id: 'P-3', title: 'Field cup blue', price: { amount: 14.5, currency: 'EUR' } },
      ],
    };
    const plain = {
      id: 'Q',
      title: 'Jug',
      price: '24.50 EUR',
      availability: 'in_stock',
      url: 'https://cups.example/q',
    };
    const { items, skipped } = await loadText(
      [product, { ...product, variants: [] }, plain].map((one) => JSON.stringify(one)).join('\n'),
      'openai',
    );
    const [first, second, third, fourth] = items.map(({ value }) => value as Record<string, unknown>);
    assert.deepInclude(first, {
      sku: 'P-1',
      merchant_id: 'Cups',
      name: 'Field cup red',
      description: 'Enamelled',
      price: '14.50',
      list_price: '19.00',
      currency: 'EUR',
      buy_url: 'https://cups.example/p',
      image_url: 'https://cups.example/1.jpg',
      category_path: ['Kitchen', 'Cups'],
      is_available: true,
      gtin: '4006381333931',
      metadata: { Colour: 'red', item_group_id: 'P' },
    });
    assert.deepInclude(second, { name: 'Field cup', price: '1.450', currency: 'OMR', is_available: false });
    assert.strictEqual(third?.['price'], undefined);
    assert.deepEqual(items[2]?.reasons, [
      'price: "14.5" is not a whole number of minor units (column price.amount)',
    ]);
    assert.include(fourth, { sku: 'Q', price: '24.50', currency: 'EUR', is_available: true });
    assert.deepEqual(items[0]?.raw, {
      ...product.variants[0],
      '@parent': { id: 'P', title: 'Field cup', url: product.url, description: product.description },
    });
    assert.strictEqual(skipped, 1);
  });
});

describe('an amount of 0 in an object', () => {
  const priced = (price: unknown, strict = false) =>
    loadText(JSON.stringify({ variants: [{ id: 'A', title: 'Cup', price }] }), 'openai', { strict });

  it('OpenAI: is no price', async () => {
    for (const amount of [0, '0', '0.00']) {
      const { items } = await priced({ amount, currency: 'EUR' });
      assert.isUndefined(items[0]?.reasons);
      assert.deepEqual(items[0]?.dropped, ['price']);
      assert.deepInclude(items[0]?.value, { sku: 'A', price: null, currency: 'EUR' });
    }
    const { items } = await priced({ amount: 0, currency: 'EUR' }, true);
    assert.deepInclude(items[0]?.value, { price: '0.00' });
  });

  it('is not what is read from an object without an amount', async () => {
    const { items } = await priced({ value: 5, currency: 'EUR' });
    assert.match(String(items[0]?.reasons), /^price: /);
  });
});

describe('sale prices', () => {
  const google = (...rows: string[]) =>
    outcomesOf(
      csv(
        'id\ttitle\tprice\tsale_price\tsale_price_effective_date',
        ...rows.map((row, at) => `${at}\tScarf\t${row.replaceAll('|', '\t')}`),
      ),
      'google',
    );

  it('that are not below the price are no reductions', async () => {
    assert.deepEqual(
      await google(
        '80.00 EUR|95.00 EUR|',
        '80.00 EUR|80.00 EUR|',
        '80.00 EUR|0.00 EUR|',
        '80.00 EUR|64.00 EUR|',
      ),
      ['80.00', '80.00', '80.00', '64.00 of 80.00'],
    );
    const others: [format: 'cj' | 'openai' | 'rakuten' | 'woocommerce' | 'amazon', string][] = [
      ['cj', 'ID,NAME,PRICE,SALE_PRICE\nA,Scarf,80.00,95.00'],
      ['cj', 'ID,NAME,PRICE,SALEPRICE\nA,Scarf,80.00,95.00'],
      ['openai', 'id,title,price,sale_price\nA,Scarf,80.00 EUR,95.00 EUR'],
      ['woocommerce', 'ID,Type,SKU,Name,Regular price,Sale price\n1,simple,A,Scarf,80.00,95.00'],
      ['amazon', 'item_sku\titem_name\tstandard_price\tsale_price\nA\tScarf\t80.00\t95.00'],
    ];
    for (const [format, text] of others) assert.deepEqual(await outcomesOf(text, format), ['80.00'], text);
  });

  it('are no reduction of a price before that is not above them', async () => {
    const price = (from: string) => ({ from, money: 'amount' });
    const map = { fields: { sku: 'sku', name: 'sku', price: price('now'), list_price: price('before') } };
    const feed = csv('sku,now,before', 'A,80,100', 'B,80,80.00', 'C,80,79.99', 'D,9.5,10');
    assert.deepEqual(await outcomesOf(feed, map), ['80 of 100', '80', '80', '9.5 of 10']);
  });

  it('may end at 24:00 of a day', async () => {
    const ends = ['2026-11-22T24:00', '2026-11-21T24:00:00', '2026-11-22 24:00+1200', '2026-11-22T24:00:00Z'];
    const windows = [...ends, '2026-11-21T24:00:00.0-1300', '2026-11-22T24:30'];
    const sale = '64.00 of 80.00';
    const found = await google(...windows.map((end) => `80.00 EUR|64.00 EUR|2026-11-01/${end}`));
    assert.deepEqual(found.slice(0, 5), [sale, '80.00', sale, sale, sale]);
    assert.match(String(found[5]), /is not an interval/);
  });

  it('hold during their interval: offsets without a colon, durations, open ends, and placeholders', async () => {
    // The clock of the tests is 2026-11-22T12:00:00Z.
    const windows: [window: string, price: string][] = [
      ['2026-11-01T13:00-0800/2026-12-31T15:30-0800', '64.00 of 80.00'],
      ['2026-11-22T13:30+0200/2026-11-22T13:59+0200', '80.00'],
      ['2026-11-22T13:30+0200/2026-11-22T14:01+0200', '64.00 of 80.00'],
      ['1970-01-01T00:00+00:00/2038-01-19T03:14+00:00', '64.00 of 80.00'],
      ['2026-11-20/P3D', '64.00 of 80.00'],
      ['2026-11-20T12:00Z/P2D', '64.00 of 80.00'],
      ['2026-11-20T11:00Z/P2D', '80.00'],
      ['2026-10-22/P1M', '80.00'],
      ['P1W/2026-11-25', '64.00 of 80.00'],
      ['2026-11-01/', '64.00 of 80.00'],
      ['/2026-11-21', '80.00'],
      ['2026-12-01/2026-12-31', '80.00'],
    ];
    const outcomes = await google(...windows.map(([window]) => `80.00 EUR|64.00 EUR|${window}`));
    assert.deepEqual(
      outcomes.map((outcome, at) => [windows[at]?.[0], outcome]),
      windows,
    );
  });

  it('are rejected with a reason if their interval cannot be read', async () => {
    for (const window of [
      'soon',
      '/',
      '2026-11-01',
      'P1W/P1W',
      '2026-02-30/2026-12-01',
      '2026-11-01/P',
      '1/2/3',
      '2026-11-01/PT',
    ]) {
      const [outcome] = await google(`80.00 EUR|64.00 EUR|${window}`);
      assert.match(
        String(outcome),
        /^price: "[^"]*" is not an interval START\/END, and the sale may be over \(column [\w ]+\)$/,
        window,
      );
    }
  });
});

describe('the zero date of databases', () => {
  it('is no limit of a sale', async () => {
    const period = (value: string) =>
      outcomesOf(
        csv(
          'id\ttitle\tprice\tsale_price\tsale_price_effective_date',
          `A\tScarf\t80.00 EUR\t64.00 EUR\t${value}`,
        ),
        'google',
      );
    const never = '0000-00-00 00:00:00';
    assert.deepEqual(await period(`${never}/${never}`), ['64.00 of 80.00']);
    assert.deepEqual(await period(`0000-00-00/2026-11-01`), ['80.00']);
    assert.deepEqual(await period(`2099-01-01/${never}`), ['80.00']);
    const when = { start: 'from', end: 'to' };
    const fields = {
      sku: 'sku',
      name: 'sku',
      price: [
        { from: 'sale', when, below: 'price', money: 'amount' },
        { from: 'price', money: 'amount' },
      ],
    };
    const rows = [`A,80.00,64.00,${never},${never}`, `B,80.00,64.00,${never},2026-11-01`];
    assert.deepEqual(await outcomesOf(csv('sku,price,sale,from,to', ...rows), { fields }), [
      '64.00',
      '80.00',
    ]);
  });
});

describe('amounts in another currency than the price', () => {
  it('are no sale price', async () => {
    const google = (...rows: string[]) =>
      outcomesOf(
        csv('id\ttitle\tprice\tsale_price', ...rows.map((row, at) => `${at}\tLamp\t${row}`)),
        'google',
        { currency: 'EUR' },
      );
    const rows = ['60 EUR\t45 USD', '60 EUR\t45 EUR', '60\t45 USD', '60 USD\t45', '60 eur\t45 €'];
    assert.deepEqual(await google(...rows), ['60', '45 of 60', '60', '45 of 60', '45 of 60']);
    const cj = csv('ID,TITLE,PRICE,SALE_PRICE,LINK', 'A,Lamp,60 EUR,45 USD,https://lamps.example/a');
    assert.deepEqual(await outcomesOf(cj, 'cj'), ['60']);
  });

  it('are no list price', async () => {
    const awin = (before: string) =>
      outcomesOf(
        csv(
          'merchant_product_id,product_name,search_price,currency,product_price_old',
          `A,Lamp,45.00,EUR,${before}`,
        ),
        'awin',
      );
    assert.deepEqual(await awin('60.00 USD'), ['45.00']);
    assert.deepEqual(await awin('60.00 EUR'), ['45.00 of 60.00']);
    assert.deepEqual(await awin('60.00'), ['45.00 of 60.00']);
    const openai = (currency: string) =>
      outcomesOf(
        JSON.stringify([
          {
            id: 'P',
            title: 'Lamp',
            variants: [
              {
                id: 'P-1',
                title: 'Lamp',
                price: { amount: 4500, currency: 'EUR' },
                list_price: { amount: 6000, currency },
              },
            ],
          },
        ]),
        'openai',
      );
    assert.deepEqual(await openai('USD'), ['45.00']);
    assert.deepEqual(await openai('EUR'), ['45.00 of 60.00']);
  });
});

describe('prices that are only a part of what a product costs', () => {
  it('Google: with a subscription, the price is what is due at once; an installment is an alternative', async () => {
    const rows = [
      '19.00 EUR|month:24:29.90 EUR|',
      '649.00 EUR||24:29.90 EUR:0 EUR',
      '29.90 EUR||24:29.90 EUR',
      '50.00 EUR||24:29.90 EUR:50.00 EUR:finance',
      '24.00 EUR||24:29.90 EUR',
    ];
    const outcomes = await outcomesOf(
      csv(
        'id\ttitle\tprice\tsubscription_cost\tinstallment',
        ...rows.map((row, at) => `${at}\tPhone\t${row.replaceAll('|', '\t')}`),
      ),
      'google',
    );
    const isPart = 'price: is a single installment or the down payment, not the price of the product';
    assert.deepEqual(outcomes, [
      'price: is only what is due at once, because subscription_cost states what is paid again and again',
      '649.00',
      isPart,
      isPart,
      '24.00',
    ]);
    const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>A</g:id><title>Phone</title><g:price>29.90 EUR</g:price>
<g:installment><g:months>24</g:months><g:amount>29.90 EUR</g:amount></g:installment></item></channel></rss>`;
    assert.deepEqual(await outcomesOf(xml, 'google'), [isPart]);
  });
});

describe('prices in another currency than that of the record', () => {
  const fields = {
    sku: 'sku',
    name: 'sku',
    currency: 'cur',
    price: { from: 'price', money: 'amount' },
    list_price: { from: 'was', money: 'amount' },
  };
  const load = (row: string, { currency }: { currency?: string } = {}) =>
    outcomesOf(csv('sku;price;cur;was', `A;${row}`), { decimal: 'either', fields }, { currency });

  it('are rejected, and both are named', async () => {
    const contradictions = [
      ['24,50 €;USD;', '"24,50 €" states €, but the currency is USD'],
      ['£24.50;EUR;', '"£24.50" states £, but the currency is EUR'],
      ['$24.50;EUR;', '"$24.50" states $, but the currency is EUR'],
      ['24.50 CHF;eur;', '"24.50 CHF" states CHF, but the currency is EUR'],
      ['499 Kč;PLN;', '"499 Kč" states Kč, but the currency is PLN'],
      ['Rs. 2450;USD;', '"Rs. 2450" states Rs, but the currency is USD'],
      ['A$24.50;USD;', '"A$24.50" states A$, but the currency is USD'],
    ];
    for (const [row = '', reason] of contradictions)
      assert.deepEqual(await load(row), [`price: ${reason} (column price)`], row);
    assert.deepEqual(await load('24,50 €;;', { currency: 'USD' }), [
      'price: "24,50 €" states €, but the currency is USD (column price)',
    ]);
    const page = JSON.stringify({
      '@type': 'Product',
      sku: 'A',
      name: 'A',
      offers: { price: '24.50 €', priceCurrency: 'SEK' },
    });
    assert.deepEqual(await outcomesOf(page, 'schemaorg'), [
      'price: "24.50 €" states €, but the currency is SEK (column offer.price)',
    ]);
  });

  it('are those whose mark cannot denote it', async () => {
    for (const row of [
      '$24.50;USD;',
      '$24.50;MXN;',
      '24.50 €;eur;',
      '£24.50;GIP;',
      '¥2450;CNY;',
      'Rs. 2450;PKR;',
      'kr 2450;NOK;',
      'R2450;USD;',
      '24.50 TTC;EUR;',
      '24.50 €;;',
      '24.50;USD;',
    ]) {
      const [price] = await load(row);
      assert.match(String(price), /^24\.?50$/, row);
    }
  });

  it('are those of a mark in place of a code, unless several are meant', async () => {
    const currencies = async (marks: string[], more = {}) => {
      const rows = marks.map((cur, at) => ({ sku: `A${at}`, price: '2450', cur }));
      const { items } = await loadText(JSON.stringify(rows), { fields }, more);
      return items.map(({ value }) => (value as { currency?: string }).currency ?? null);
    };
    assert.deepEqual(await currencies(['€', 'Kč', 'zł', 'RMB', 'Rs.', '₹', 'kr', '$', '¥', 'eur', 'XQX']), [
      ...['EUR', 'CZK', 'PLN', 'CNY', 'INR', 'INR', null, null, null, 'eur', 'XQX'],
    ]);
    // A usual currency that the mark excludes leaves the mark, which is no code, so that the record is rejected.
    assert.deepEqual(await currencies(['kr', '$'], { currency: 'SEK' }), ['SEK', '$']);
    const offers = [{ price: '24,50 €' }, { price: '2450', priceCurrency: 'Kč' }, { lowPrice: 'ab 24,50 €' }];
    for (const [at, offer] of offers.entries()) {
      const page = JSON.stringify({ '@type': 'Product', sku: 'A', name: 'A', offers: offer });
      const { items } = await loadText(page, 'schemaorg');
      assert.equal((items[0]?.value as { currency?: string }).currency, at === 1 ? 'CZK' : 'EUR');
    }
  });

  it('leave out a list price and reject a past price alike', async () => {
    assert.deepEqual(await load('Rs. 2450;PKR;Rs. 2900'), ['2450 of 2900']);
    assert.deepEqual(await load('24.50;EUR;$29.00'), ['24.50']);
    const past = async (price: string, currency = 'EUR') => {
      const rows = [{ sku: 'A', price: '24.50', currency, past: [{ price, at: '2026-01-01' }] }];
      const rules = { ...fields, currency: 'currency', price_history: 'past' };
      const { items } = await loadText(JSON.stringify(rows), { fields: rules });
      return items[0]?.dropped ?? [];
    };
    assert.deepEqual(await past('29.00 €'), []);
    assert.deepEqual(await past('29.500', 'KWD'), []);
    assert.deepEqual(await past('29,500', 'KWD'), ['price_history']);
    assert.deepEqual(await past('$29.00'), ['price_history']);
  });
});

describe('several amounts in the place of one', () => {
  const xml = (...prices: string[]) =>
    `<rss><channel><item><id>A</id><title>Kettle</title>${prices.map((price) => `<price>${price}</price>`).join('')}</item></channel></rss>`;

  it('are rejected if they differ, because any of them may be meant', async () => {
    const several = /^price: there are several amounts, "64.00 EUR", "80.00 EUR"/;
    assert.match(String((await outcomesOf(xml('64.00 EUR', '80.00 EUR'), 'google'))[0]), several);
    const fields = { sku: 'sku', name: 'sku', price: { from: 'price', money: 'amount' } };
    const json = JSON.stringify([{ sku: 'A', price: ['64.00 EUR', '80.00 EUR'] }]);
    assert.match(String((await outcomesOf(json, { fields }))[0]), several);
  });

  it('are read if they are the same', async () => {
    assert.deepEqual(await outcomesOf(xml('64.00 EUR', '64.00 EUR'), 'google'), ['64.00']);
  });
});
