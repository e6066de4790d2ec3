import { assert } from 'chai';
import { parse } from 'yaml';
import type { FeedMap } from '../../../src/feeds/map/feed-map.js';
import { suggestMap } from '../../../src/feeds/map/suggest.js';
import { checkDigit } from '../../../src/listing/gtin.js';

/** Rows of a feed with twelve listings; the function returns the cells of the listing with an index. */
const rowsOf = (cells: (index: number) => Record<string, unknown>) =>
  Array.from({ length: 12 }, (_, index) => cells(index));

const fieldsOf = (rows: Record<string, unknown>[]) => {
  const text = suggestMap(rows, 'shop');
  return { text, fields: (parse(text) as FeedMap).fields };
};

const gtin = (index: number): string => {
  const digits = `40063813${String(1_000 + index)}`;
  return digits + checkDigit(digits);
};
const NAMES = 'Copper kettle,Steel pan with lid,Bread knife,Glass bowl,Tea towel,Oven glove'.split(',');
const nameOf = (index: number) => `${NAMES[index % NAMES.length]} number ${index}`;

describe('suggestMap', () => {
  it('never takes a column as SKU that is not unique or not filled in each row', () => {
    const { fields } = fieldsOf(
      rowsOf((i) => ({ id: `C${i % 3}`, sku: i === 0 ? '' : `S${i}`, ref: `R-${i}`, name: nameOf(i) })),
    );
    assert.strictEqual(fields.sku, 'ref');
    const none = fieldsOf(rowsOf((i) => ({ id: `C${i % 3}`, name: nameOf(i) })));
    assert.isUndefined(none.fields.sku);
    assert.include(none.text, '# fields.sku is required, but no column was found for it');
  });

  it('places no column that less than a tenth of the rows fill, and shows how many do', () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      sku: `S${i}`,
      name: nameOf(i),
      // Such a column of a few computers would make all other listings unavailable.
      'Execute bit available': i < 2 ? 'No' : '',
      rating: i < 5 ? '4.5' : '',
    }));
    const { fields, text } = fieldsOf(rows);
    assert.isUndefined(fields.is_available);
    assert.strictEqual(fields.rating, 'rating');
    assert.include(text, '#   rating: "rating": "4.5" (10 %)');
    assert.include(text, '#   "Execute bit available": "No" (4 %)');
    assert.include(text, '#   sku: "sku": "S0", "S1", "S2" (100 %)');
    assert.include(text, 'because less than 10 % of the rows have a value');
  });

  it('finds columns by their values if their names say nothing', () => {
    const { fields } = fieldsOf(
      rowsOf((i) => ({
        A: nameOf(i),
        B: `https://shop.example/p/${i}`,
        C: `https://shop.example/img/${i}.jpg?w=600`,
        D: gtin(i),
        E: `${10 + i}.90 EUR`,
        F: i % 2 === 0 ? 'In stock' : 'out of stock',
        G: `K${i}`,
        H: i % 2 === 0 ? 'yes' : 'no',
      })),
    );
    assert.deepEqual(
      { ...fields, is_available: (fields.is_available as { from: string }).from, source: undefined },
      {
        sku: 'G',
        name: 'A',
        buy_url: 'B',
        image_url: 'C',
        gtin: 'D',
        price: { from: 'E', money: 'amount' },
        currency: { from: 'E', money: 'currency' },
        is_available: 'F',
        source: undefined,
      } as unknown as typeof fields,
    );
  });

  it('does not take codes such as FAM12 for prices with a currency', () => {
    const { text, fields } = fieldsOf(
      rowsOf((i) => ({ Family: `FAM${i % 3}`, nr: `N-${i}`, A: nameOf(i), B: `${i + 3},99 €` })),
    );
    assert.deepEqual(fields.price, { from: 'B', money: 'amount' });
    assert.deepEqual(fields.currency, { from: 'B', money: 'currency' });
    assert.strictEqual((parse(text) as FeedMap).decimal, ',');
  });

  it('does not trust a name of which the values do not fit', () => {
    const { fields } = fieldsOf(
      rowsOf((i) => ({
        sku: `S${i}`,
        name: nameOf(i),
        ean: `12${i}`,
        price: 'ask us',
        image: 'none',
        title: i,
      })),
    );
    assert.hasAllKeys(fields, ['sku', 'name', 'source']);
  });

  it('knows column names and words for availability of several languages, with and without accents', () => {
    const feeds: [columns: string, stock: [string, string]][] = [
      [
        'Artikelnummer Produktbezeichnung Preis Währung Hersteller Verfügbarkeit Produktlink Bildlink',
        ['auf Lager', 'ausverkauft'],
      ],
      [
        'Référence Désignation Prix Devise Marque Disponibilité Lien_produit Lien_image',
        ['En stock', 'Rupture de stock'],
      ],
      [
        'Reference Designation Prix Devise Marque Disponibilite Lien_produit Lien_image',
        ['En stock', 'Rupture de stock'],
      ],
    ];
    for (const [names, stock] of feeds) {
      const [sku, name, price, currency, brand, available, link, image] = names.split(' ');
      const values = (i: number) => [
        `S${i}`,
        nameOf(i),
        '9,90',
        'EUR',
        'Acme',
        stock[i % 2],
        `https://shop.example/${i}`,
      ];
      const row = (i: number) => {
        const cells = [...values(i), `https://shop.example/image?id=${i}`];
        return Object.fromEntries(names.split(' ').map((column, at) => [column, cells[at]]));
      };
      const { fields } = fieldsOf(rowsOf(row));
      const { is_available: stockRule, price: priceRule, ...others } = fields as Record<string, any>;
      assert.deepInclude(others, { sku, name, currency, brand, buy_url: link, image_url: image });
      assert.equal(priceRule.from, price);
      assert.equal(stockRule.from, available);
      const [yes, no] = stock.map((word) => stockRule.enum[word.toLowerCase()]);
      assert.deepEqual([yes, no], [true, false], names);
    }
  });

  it('places what delivery costs, and never as the price', () => {
    const rows = ['4,99', '0,00', 'gratis'].map((cost, at) => ({
      sku: `A-${at}`,
      name: `Kettle ${at}`,
      delivery_cost: cost,
    }));
    const { fields, delivery } = parse(suggestMap(rows, 'shop')) as FeedMap;
    assert.deepEqual([fields.price, delivery], [undefined, { price: 'delivery_cost' }]);
    const others = rows.map((row) => ({ ...row, delivery_cost: '2-3 days' }));
    assert.notProperty(parse(suggestMap(others, 'shop')), 'delivery');
  });
});
