import { assert } from 'chai';
import { parse } from 'yaml';
import {
  type FeedMap,
  type PlatformFormat,
  platformMap,
  readFeedMap,
} from '../../../src/feeds/map/feed-map.js';
import { Mapper } from '../../../src/feeds/map/mapper.js';
import { loadFixture } from './fixtures.js';
import { validateRecord } from '../../../src/listing/validate.js';

const now = new Date('2026-11-22T12:00:00Z');

interface Options {
  strict?: boolean;
  isDecimalCertain?: boolean;
  currency?: string;
}

/** Returns the record of a row, its delivery after validation, and the fields that were dropped. */
function mapped(map: FeedMap, cells: Record<string, unknown>, options: Options = {}) {
  const mapper = new Mapper(map, { now, timezone: 'UTC', ...options });
  const [item] = [
    ...mapper.records({ line: 1, bytes: 0, raw: cells, value: cells, header: Object.keys(cells) }),
  ];
  const record = item?.value as Record<string, unknown>;
  const validated = validateRecord({ sku: 'A', source: 'shop', name: 'A', ...record }, { now });
  assert.notProperty(validated, 'reasons');
  const { delivery = null } = 'record' in validated ? validated.record : {};
  return {
    delivery,
    dropped: item?.dropped ?? [],
    reasons: item?.reasons ?? [],
    leftover: item?.leftover ?? [],
  };
}

function of(format: PlatformFormat) {
  const map = platformMap(format);
  return (cells: Record<string, unknown>, options?: Options) => mapped(map, cells, options);
}
const google = of('google');
const delivery = (
  price: string | null,
  currency: string | null,
  to: string | null,
  free_from: string | null = null,
) => ({ price, currency, to, free_from });

describe('delivery in feeds of Merchant Center', () => {
  const row = { id: 'A', title: 'A', price: '20.00 EUR' };
  const texts: [shipping: string, expected: ReturnType<typeof delivery> | null][] = [
    ['DE:::4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['DE::Standard:0.00 EUR', delivery('0.00', 'EUR', 'DE')],
    ['DE::DHL:4.99 EUR:1:2:3:4', delivery('4.99', 'EUR', 'DE')],
    [':::4.99', delivery('4.99', null, null)],
    ['DE:4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['4.99 EUR', delivery('4.99', 'EUR', null)],
    ['DE::Express:9.99 EUR,DE::Standard:4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['AT::A, insured:9.99 EUR; DE::B:1.00 EUR', delivery('9.99', 'EUR', 'AT')],
    ['CH::Post:3.00 CHF,DE::DHL:4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['CH::Post:3.00 CHF', delivery('3.00', 'CHF', 'CH')],
    ['US:CA:Ground:1.00 EUR,US::Ground:5.00 EUR', delivery('5.00', 'EUR', 'US')],
    ['US:CA:Ground:1.00 EUR', null],
    ['DE::Pick-up in store:0.00 EUR,DE::DHL:4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['DE::Click & Collect:0.00 EUR', null],
    ['DE::A:call us,DE::B:4.99 EUR', delivery('4.99', 'EUR', 'DE')],
    ['Germany:::4.99 EUR', delivery('4.99', 'EUR', null)],
    ['DE:::free', delivery('0.00', null, 'DE')],
  ];
  for (const [shipping, expected] of texts)
    it(`reads ${JSON.stringify(shipping)}`, () => {
      assert.deepEqual(google({ ...row, shipping }), {
        delivery: expected,
        dropped: [],
        reasons: [],
        leftover: [],
      });
    });

  it('takes the names of the parts from the column', () => {
    const read = (column: string, cell: string) => google({ ...row, [column]: cell });
    assert.deepEqual(read('shipping(country:price)', 'DE:4.99 EUR,AT:9.99 EUR'), {
      delivery: delivery('4.99', 'EUR', 'DE'),
      dropped: [],
      reasons: [],
      leftover: [],
    });
    assert.isNull(read('shipping(country:postal_code:price)', 'US:900-919:4.99 EUR').delivery);
    assert.deepEqual(
      read('shipping(country:price:service)', 'DE:4.99 EUR:DHL').delivery,
      delivery('4.99', 'EUR', 'DE'),
    );
  });

  it('reads groups of an XML feed, and thresholds of the same country', () => {
    const shipping = [
      { 'g:country': 'DE', 'g:service': 'Express', 'g:price': '12.90 EUR' },
      { 'g:country': 'DE', 'g:service': 'Standard', 'g:price': '4.90 EUR' },
    ];
    const threshold = { 'g:country': 'DE', 'g:price_threshold': '50.00 EUR' };
    assert.deepEqual(google({ ...row, 'g:shipping': shipping }).delivery, delivery('4.90', 'EUR', 'DE'));
    const both = { ...row, 'g:shipping': shipping, 'g:free_shipping_threshold': threshold };
    assert.deepEqual(google(both).delivery, delivery('4.90', 'EUR', 'DE', '50.00'));
    const other = { ...both, 'g:free_shipping_threshold': { ...threshold, 'g:country': 'AT' } };
    assert.deepEqual(google(other).delivery, delivery('4.90', 'EUR', 'DE'));
    const inPounds = { ...both, 'g:free_shipping_threshold': 'DE:50.00 GBP' };
    assert.deepEqual(google(inPounds).delivery, delivery('4.90', 'EUR', 'DE'));
    const alone = google({ ...row, free_shipping_threshold: 'DE:50.00 EUR' });
    assert.deepEqual(alone.delivery, delivery(null, 'EUR', 'DE', '50.00'));
  });

  it('with a country in the map, reads only its options and those without a country', () => {
    const map = { ...platformMap('google'), delivery: { options: 'shipping', to: { const: 'de' } } };
    const read = (shipping: string) => mapped(map, { ...row, shipping }).delivery;
    assert.deepEqual(read('AT:::1.00 EUR,DE:::4.99 EUR'), delivery('4.99', 'EUR', 'DE'));
    assert.deepEqual(read(':::4.99 EUR'), delivery('4.99', 'EUR', null));
    assert.isNull(read('AT:::1.00 EUR'));
  });

  for (const [what, shipping] of [
    ['is negative', 'DE:::-1.00 EUR'],
    ['is not an amount', 'DE:::call us'],
    ['has too many decimals', 'DE:::0.00001 EUR'],
    ['may have a separator of thousands', 'DE:::1.299 EUR'],
    ['may have three decimals', 'DE:::1,500 KWD'],
    ['has more than 500 options', Array.from({ length: 501 }, () => 'DE:::1.00 EUR').join(',')],
  ] as const)
    it(`drops and counts a delivery price that ${what}; --strict rejects the record`, () => {
      const { delivery: found, dropped, reasons } = google({ ...row, shipping });
      assert.deepEqual([found, dropped, reasons], [null, ['delivery'], []]);
      const strict = google({ ...row, shipping }, { strict: true });
      assert.match(strict.reasons.join(), /^delivery: /);
    });

  it('reads three decimals once the separator is certain', () => {
    const found = google({ ...row, shipping: 'DE:::1.299 EUR' }, { isDecimalCertain: true });
    assert.strictEqual(found.delivery?.price, '1.299');
  });
});

describe('delivery in other feeds', () => {
  it('OpenAI: options or a price', () => {
    const openai = of('openai');
    const row = { item_id: 'A', title: 'A', price: '20.00 USD' };
    assert.deepEqual(
      openai({ ...row, shipping: 'US::Ground:5.00 USD' }).delivery,
      delivery('5.00', 'USD', 'US'),
    );
    assert.deepEqual(openai({ ...row, shipping_price: '5.00 USD' }).delivery, delivery('5.00', 'USD', null));
  });

  const schemaorg = (shippingDetails: unknown) =>
    of('schemaorg')({
      '@type': 'Product',
      sku: 'A',
      name: 'A',
      offers: { '@type': 'Offer', price: 20, priceCurrency: 'EUR', shippingDetails },
    });
  const rate = (value: unknown, more: object = {}) => ({
    '@type': 'OfferShippingDetails',
    shippingRate: { '@type': 'MonetaryAmount', value, currency: 'EUR' },
    ...more,
  });
  const to = (addressCountry: unknown, more: object = {}) => ({
    shippingDestination: { '@type': 'DefinedRegion', addressCountry, ...more },
  });

  const documents: [what: string, details: unknown, expected: ReturnType<typeof delivery> | null][] = [
    ['one rate', rate('4.90', to('DE')), delivery('4.90', 'EUR', 'DE')],
    ['a number', rate(0, to('DE')), delivery('0.00', 'EUR', 'DE')],
    [
      'a country as an object',
      rate(4.9, to({ '@type': 'Country', name: 'DE' })),
      delivery('4.90', 'EUR', 'DE'),
    ],
    ['several countries', rate(4.9, to(['AT', 'DE'])), delivery('4.90', 'EUR', 'AT')],
    ['no destination', rate(4.9), delivery('4.90', 'EUR', null)],
    ['the cheaper of two', [rate(9, to('DE')), rate(4, to('DE'))], delivery('4.00', 'EUR', 'DE')],
    [
      'a part of a country',
      [rate(1, to('US', { addressRegion: ['AK'] })), rate(5, to('US'))],
      delivery('5.00', 'EUR', 'US'),
    ],
    ['no shipping', rate(1, { ...to('DE'), doesNotShip: true }), null],
    [
      'a highest rate',
      { shippingRate: { minValue: 1, maxValue: 7, currency: 'EUR' } },
      delivery('7.00', 'EUR', null),
    ],
    [
      'a threshold',
      {
        shippingRate: {
          shippingRate: { value: 4.9, currency: 'EUR' },
          freeShippingThreshold: { value: 30, currency: 'EUR' },
        },
      },
      delivery('4.90', 'EUR', null, '30.00'),
    ],
    ['nothing', { '@type': 'OfferShippingDetails' }, null],
    ['text', 'free', null],
  ];
  for (const [what, details, expected] of documents)
    it(`schema.org: ${what}`, () => {
      const { delivery: found, dropped, reasons } = schemaorg(details);
      assert.deepEqual([found, dropped, reasons], [expected, [], []]);
    });

  const marketplaces: [PlatformFormat, file: string, (ReturnType<typeof delivery> | null)[]][] = [
    ['awin', 'awin.csv', [delivery('4.95', null, null), null]],
    ['awin', 'awin-upload.csv', [delivery('0.00', null, null)]],
    ['cj', 'cj.csv', [delivery('0.00', 'EUR', 'DE'), null]],
    ['cj', 'cj-catalog.txt', [delivery('3.99', null, null), null]],
    ['idealo', 'idealo.csv', [delivery('3.99', null, null), delivery('49.00', null, null)]],
    ['heureka', 'heureka.xml', [delivery('79.50', null, null), null]],
    ['zbozi', 'zbozi.xml', [null, null]],
    ['impact', 'impact.txt', [delivery('0.00', null, null), null]],
    ['rakuten', 'rakuten.txt', [delivery('4.95', null, null), null]],
    ['google', 'google.xml', [delivery('4.90', 'SGD', 'SG'), null]],
  ];
  for (const [format, file, expected] of marketplaces)
    it(`${file}: as the feed states them`, async () => {
      const { items } = await loadFixture(format, file);
      const found = items.map(({ value }) => {
        const validated = validateRecord(value, { now });
        return 'record' in validated ? validated.record.delivery : validated.reasons;
      });
      assert.deepEqual(found, expected);
    });

  it('Heureka and Zboží.cz: the cheapest way, also to a parcel shop, but not to the shop itself', () => {
    const row = {
      ITEM_ID: 'A',
      PRODUCTNAME: 'A',
      PRICE_VAT: '200',
      DELIVERY: [
        { DELIVERY_ID: 'PPL', DELIVERY_PRICE: '99', DELIVERY_PRICE_COD: '1' },
        { DELIVERY_ID: 'DPD_PICKUP', DELIVERY_PRICE: '68,50' },
        { DELIVERY_ID: 'VLASTNI_VYDEJNI_MISTA', DELIVERY_PRICE: '0' },
      ],
    };
    for (const format of ['heureka', 'zbozi'] as const)
      assert.strictEqual(of(format)(row).delivery?.price, '68.50');
  });

  it('idealo: the cheapest of the columns of carriers', () => {
    const row = {
      sku: 'A',
      title: 'A',
      price: '20,00',
      deliveryCosts_dhl: '4,99',
      deliveryCosts_gls: '3,99',
    };
    assert.deepEqual(of('idealo')(row).delivery, delivery('3.99', null, null));
    assert.deepEqual(of('idealo')({ ...row, delivery: '2 Tage' }).dropped, []);
  });

  it('maps by hand: columns, constants, words and the decimal separator of the feed', () => {
    const map = readFeedMap(
      parse(`
        decimal: ','
        fields: { sku: id, price: { from: Preis, money: amount }, currency: { const: EUR } }
        delivery: { price: Versandkosten, to: { const: de }, free_from: { from: Frei ab, money: amount } }
      `),
    );
    const read = (cells: object, options?: Options) =>
      mapped(map, { id: 'A', Preis: '20,00', ...cells }, options);
    assert.deepEqual(
      read({ Versandkosten: '4,99 €', 'Frei ab': '50' }).delivery,
      delivery('4.99', 'EUR', 'DE', '50.00'),
    );
    assert.deepEqual(read({ Versandkosten: '0,00' }).delivery, delivery('0.00', null, 'DE'));
    assert.deepEqual(read({ Versandkosten: 'versandkostenfrei' }).delivery, delivery('0.00', null, 'DE'));
    assert.deepEqual(read({ Versandkosten: '' }), { delivery: null, dropped: [], reasons: [], leftover: [] });
    assert.deepEqual(read({ Versandkosten: '4.99 EUR' }).delivery, delivery('4.99', 'EUR', 'DE'));
    assert.deepEqual(read({ Versandkosten: '4.99 EUR' }, { isDecimalCertain: true }).dropped, ['delivery']);
    assert.deepEqual(read({ Versandkosten: '2 Tage' }).dropped, ['delivery']);
  });

  it('a map with another member of delivery is refused', () => {
    const map = { fields: { sku: 'id' }, delivery: { cost: 'Versand' } };
    assert.throws(() => readFeedMap(map), 'delivery: there is no "cost"');
  });
});
