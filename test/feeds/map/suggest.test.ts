import { assert } from 'chai';
import { parse } from 'yaml';
import type { FeedMap } from '../../../src/feeds/map/feed-map.js';
import { suggestMap } from '../../../src/feeds/map/suggest.js';
import { checkDigit } from '../../../src/listing/gtin.js';

/** Rows of a feed with twelve listings; the function returns the cells of the listing with an index. */
const rowsOf = (cells: (index: number) => Record<string, unknown>) =>
  Array.from({ length: 12 }, (_, index) => cells(index));

const fieldsOf = (rows: Record<string, unknown>[]) => {
  const { yaml: text } = suggestMap(rows, 'shop');
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
      ['รหัส ชื่อสินค้า price currency brand state link image_link', ['มีสินค้า', 'สินค้าหมด']],
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
    const { fields, delivery } = parse(suggestMap(rows, 'shop').yaml) as FeedMap;
    assert.deepEqual([fields.price, delivery], [undefined, { price: 'delivery_cost' }]);
    const others = rows.map((row) => ({ ...row, delivery_cost: '2-3 days' }));
    assert.notProperty(parse(suggestMap(others, 'shop').yaml), 'delivery');
  });

  it('knows column names of many languages', () => {
    // SKU, name, price, currency, brand, category, GTIN, picture
    const languages: Record<string, string> = {
      Croatian: 'šifra|naziv|cijena|valuta|marka|kategorija|barkod|slika',
      Slovenian: 'šifra|ime izdelka|cena|valuta|znamka|kategorija|črtna koda|slika',
      Czech: 'kód|název|cena s DPH|měna|výrobce|kategorie|čárový kód|obrázek',
      Slovak: 'kód produktu|názov|cena|mena|značka|kategória|čiarový kód|obrázok',
      Polish: 'kod|nazwa|cena brutto|waluta|producent|kategoria|kod kreskowy|zdjęcie',
      Hungarian: 'cikkszám|megnevezés|bruttó ár|pénznem|márka|kategória|vonalkód|kép',
      Romanian: 'cod produs|denumire|preț|moneda|producător|categorie|cod de bare|imagine',
      Bulgarian: 'код|наименование|цена|валута|марка|категория|баркод|изображение',
      Russian: 'артикул|название товара|цена|валюта|производитель|категория|штрихкод|фото',
      Greek: 'κωδικός|ονομασία|τιμή|νόμισμα|μάρκα|κατηγορία|barcode|εικόνα',
      Swedish: 'artikelnr|namn|pris|valuta|varumärke|kategori|streckkod|bild',
      Finnish: 'tuotekoodi|tuotenimi|hinta|valuutta|merkki|tuoteryhmä|viivakoodi|kuva',
      Turkish: 'stok kodu|ürün adı|fiyat|para birimi|marka|kategori|barkod|görsel',
      Portuguese: 'referência|nome do produto|preço|moeda|marca|categoria|código de barras|imagem',
      Indonesian: 'kode produk|nama produk|harga|mata uang|merek|kategori|barcode|gambar',
      Vietnamese: 'mã sản phẩm|tên sản phẩm|giá bán|tiền tệ|thương hiệu|danh mục|mã vạch|hình ảnh',
      Japanese: '商品番号|商品名|販売価格|通貨|ブランド|カテゴリ|JANコード|画像',
    };
    for (const [language, header] of Object.entries(languages)) {
      const names = header.split('|');
      const values = (i: number) => [
        `S${i}`,
        nameOf(i),
        `${i + 9}.90`,
        'EUR',
        'Acme',
        'Home > Kitchen',
        gtin(i),
        `https://shop.example/i?id=${i}`,
      ];
      const { fields } = fieldsOf(
        rowsOf((i) => Object.fromEntries(names.map((name, at) => [name, values(i)[at]]))),
      );
      const found = [
        fields.sku,
        fields.name,
        fields.price,
        fields.currency,
        fields.brand,
        fields.category_path,
        fields.gtin,
        fields.image_url,
      ];
      assert.deepEqual(
        found.map((rule) => (typeof rule === 'object' ? (rule as { from: string }).from : rule)),
        names,
        language,
      );
    }
  });

  it('finds members of objects, and never the price of something else', () => {
    const { fields, text } = fieldsOf(
      rowsOf((i) => ({
        id: `S${i}`,
        product: { title: nameOf(i), brand: { name: 'Acme', id: `B${i}` } },
        shipping: { price: '4.90' },
        list_price: { amount: 3_095 + i, currency: 'EUR' },
        price: { currency: 'EUR', amount: 2_095 + i },
        images: [{ src: `https://shop.example/i?id=${i}` }],
        availability: { available: true, status: 'in_stock' },
      })),
    );
    assert.deepEqual(
      [fields.sku, fields.name, fields.brand, fields.image_url, fields.currency],
      ['id', 'product.title', 'product.brand.name', 'images.src', 'price.currency'],
    );
    assert.deepEqual(fields.price, { from: 'price.amount', money: 'minor' });
    assert.deepEqual(fields.list_price, { from: 'list_price.amount', money: 'minor' });
    assert.include(text, '# fields.price is read as whole minor units');
    assert.deepEqual((fields.is_available as { from: string }).from, 'availability.available');
  });

  it('takes the name of a brand or a shop within an object for what it names, and what delivery costs for no price', () => {
    const { fields } = fieldsOf(
      rowsOf((i) => ({
        item: { code: `S${i}`, title: nameOf(i), maker: { name: 'Acme' } },
        delivery: { shipping: { price: { value: '4.90' } } },
        stock: { state: i % 2 === 0 ? 'IN_STOCK' : 'OUT_OF_STOCK' },
        offer: { price: { value: `${20 + i}.95`, currency: 'EUR' } },
      })),
    );
    assert.deepEqual(
      [fields.sku, fields.name, fields.brand, fields.currency],
      ['item.code', 'item.title', 'item.maker.name', 'offer.price.currency'],
    );
    assert.deepEqual(fields.price, { from: 'offer.price.value', money: 'amount' });
    assert.deepEqual((fields.is_available as { from: string }).from, 'stock.state');
  });

  it('takes amounts for minor units only if the feed says so or their form does', () => {
    const priceOf = (price: (i: number) => Record<string, unknown>) =>
      fieldsOf(rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), ...price(i) }))).fields.price;
    assert.deepEqual(
      priceOf((i) => ({ price_cents: 1_995 + i })),
      { from: 'price_cents', money: 'minor' },
    );
    assert.deepEqual(
      priceOf((i) => ({ price: { centAmount: 1_995 + i, currencyCode: 'EUR' } })),
      { from: 'price.centAmount', money: 'minor' },
    );
    assert.deepEqual(
      priceOf((i) => ({ price: { amount: 19.95 + i, currency: 'EUR' } })),
      { from: 'price.amount', money: 'amount' },
    );
    assert.deepEqual(
      priceOf((i) => ({ price: { amount: 12 + i, currency: 'EUR' } })),
      { from: 'price.amount', money: 'amount' },
    );
    assert.deepEqual(
      priceOf((i) => ({ price: 1_995 + i })),
      { from: 'price', money: 'amount' },
    );
    for (const [decimals, money] of [
      [2, 'minor'],
      [0, 'amount'],
    ] as const) {
      const prices = (i: number) => ({ price: `${1_995 + i}`, currency_minor_unit: decimals });
      assert.deepEqual(
        priceOf((i) => ({ prices: { ...prices(i), currency_code: 'EUR' } })),
        { from: 'prices.price', money },
      );
      assert.deepEqual(
        priceOf((i) => ({ price: 1_995 + i, minor_unit: decimals })),
        { from: 'price', money },
      );
    }
    assert.isUndefined(
      priceOf((i) => ({ price: { amountMicros: `${1_995 + i}0000`, currencyCode: 'EUR' } })),
    );
  });

  it('never takes the whole units of an amount for the price, without its decimals in nanos', () => {
    const rows = [19, 24, 7].map((units, at) => ({
      id: `K-${at}`,
      title: NAMES[at],
      price: { currencyCode: 'USD', units: String(units), nanos: 990_000_000 },
    }));
    assert.deepEqual(suggestMap(rows, 'shop').missing, ['price']);
  });

  it('reads the prices of Medusa 1 as minor units, whatever further columns the export has', () => {
    const further: Record<string, unknown>[] = [
      { 'Variant Inventory Quantity': 3 },
      { 'Variant Id': 'v' },
      { 'variant sku ': 'V' },
    ];
    for (const cells of further) {
      const { fields, text } = fieldsOf(
        rowsOf((i) => ({
          'Product Handle': `h-${i}`,
          'Product Title': nameOf(i),
          Code: `C-${i}`,
          'Price EUR': i === 0 ? '420000' : `${2_450 + i}`,
          ...cells,
        })),
      );
      assert.deepEqual(fields.price, { from: 'Price EUR', money: 'minor' });
      assert.include(text, '--as medusa --currency CODE');
    }
    const second = fieldsOf(
      rowsOf((i) => ({
        'Product Handle': `h-${i}`,
        'Variant SKU': `S${i}`,
        'Product Title': nameOf(i),
        'Variant Price EUR': `${24 + i}`,
      })),
    );
    assert.notDeepEqual(second.fields.price, { from: 'Variant Price EUR', money: 'minor' });
    assert.include(second.text, '--as medusa --currency CODE');
  });

  it('states the doubt if some amounts among whole ones have decimals', () => {
    const suggested = (amount: (i: number) => unknown) =>
      fieldsOf(
        rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), price: { amount: amount(i), currency: 'EUR' } })),
      );
    const mixed = suggested((i) => (i === 4 ? 24.5 : 2_450 + i));
    assert.deepEqual(mixed.fields.price, { from: 'price.amount', money: 'amount' });
    assert.include(mixed.text, '# fields.price is read as amounts, because some have decimals ("24.5")');
    const cents = fieldsOf(
      rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), price_cents: i === 4 ? '24.5' : 2_450 + i })),
    );
    assert.include(cents.text, '# fields.price is read as amounts');
    assert.notInclude(suggested((i) => 24.5 + i).text, 'is read as amounts');
    assert.notInclude(suggested((i) => (i === 4 ? 24.5 : 20 + i)).text, 'is read as amounts');
  });

  it('finds the list of a product whose elements are the listings', () => {
    const products = rowsOf((i) => ({
      id: `P${i}`,
      title: nameOf(i),
      tags: ['a'],
      variants: [0, 1].map((at) => ({ sku: `S${i}-${at}`, price: `${i + 9}.90`, currency: 'EUR' })),
    }));
    const { fields, text } = fieldsOf(products);
    assert.strictEqual((parse(text) as FeedMap).each, 'variants');
    assert.deepEqual([fields.sku, fields.name, fields.currency], ['sku', '@parent.title', 'currency']);
    assert.deepEqual(fields.price, { from: 'price', money: 'amount' });
  });

  it('chooses among the prices of several currencies', () => {
    const medusa = rowsOf((i) => ({
      'Product Handle': `p-${i}`,
      'Variant Id': `variant_${i}`,
      'Product Title': nameOf(i),
      'Variant SKU': `S${i}`,
      'Variant Inventory Quantity': 5,
      'Price EUR': 1_995 + i,
      'Price North America [USD]': 2_495 + i,
    }));
    const shop = medusa.map(({ 'Product Handle': _, ...row }) => row);
    const chosen = (rows: typeof shop, currency?: string) => {
      const { fields } = parse(suggestMap(rows, 'shop', currency).yaml) as FeedMap;
      return [fields.price, fields.currency];
    };
    assert.deepEqual(chosen(medusa), [{ from: 'Price EUR', money: 'minor' }, { const: 'EUR' }]);
    assert.deepEqual(chosen(medusa, 'USD'), [
      { from: 'Price North America [USD]', money: 'minor' },
      { const: 'USD' },
    ]);
    assert.deepEqual(chosen(shop), [{ from: 'Price EUR', money: 'amount' }, { const: 'EUR' }]);
    assert.include(suggestMap(shop, 'shop').yaml, '--currency CODE selects one');
    const words = rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), price_all: '9.90', price_de: '9.90' }));
    assert.isUndefined((parse(suggestMap(words, 'shop').yaml) as FeedMap).fields.currency);
  });

  it('takes the usual price for rows without a sale price', () => {
    const money = 'amount';
    for (const usual of ['Price', 'Regular price']) {
      const rows = rowsOf((i) => ({
        sku: `S${i}`,
        name: nameOf(i),
        'Sale price': i < 4 ? `${10 + i}.00 EUR` : '',
        [usual]: `${20 + i}.00 EUR`,
      }));
      const { fields } = fieldsOf(rows);
      assert.deepEqual(fields.currency, { from: ['Sale price', usual], money: 'currency' });
      assert.deepEqual(fields.price, [
        { from: 'Sale price', below: usual, money },
        { from: usual, money },
      ]);
      assert.deepEqual(fields.list_price, { from: usual, money });
    }
  });

  it('takes prices with tax rather than those without', () => {
    for (const [net, gross] of [
      ['Price (tax excl.)', 'Price (tax incl.)'],
      ['net_price', 'gross_price'],
      ['Preis netto', 'Preis brutto'],
    ] as const) {
      const rows = rowsOf((i) => ({
        sku: `S${i}`,
        name: nameOf(i),
        [net]: `${10 + i}.00`,
        [gross]: `${12 + i}.00`,
      }));
      assert.deepEqual(fieldsOf(rows).fields.price, { from: gross, money: 'amount' }, net);
    }
  });

  it('takes numbers with decimals of zero for a number in stock', () => {
    const { fields } = fieldsOf(rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), qty: `${i}.0000` })));
    assert.deepEqual(fields.is_available, { from: 'qty', stock: true });
  });

  it('takes no grams for a number in stock', () => {
    const stockOf = (cells: Record<string, unknown>) =>
      fieldsOf(rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), ...cells }))).fields.is_available;
    for (const cells of [
      { quantity: '250 g' },
      { quantity: 250, unit: 'g' },
      { 'Net quantity': 250 },
      { 'Quantity (g)': 250 },
      { 'Stock grams': 500 },
      { quantity: '0.25' },
    ])
      assert.isUndefined(stockOf(cells), JSON.stringify(cells));
    assert.deepEqual(stockOf({ quantity: 250 }), { from: 'quantity', stock: true });
    assert.deepEqual(stockOf({ quantity: 250, unit: 'piece' }), { from: 'quantity', stock: true });
  });

  it('names the fields for which it found no column', () => {
    const rows = rowsOf((i) => ({ colour: 'red', note: `note ${i % 2}` }));
    assert.deepEqual(suggestMap(rows, 'shop').missing, ['sku', 'name', 'price']);
    assert.deepEqual(
      suggestMap(
        rowsOf((i) => ({ sku: `S${i}`, name: nameOf(i), price: '9.90' })),
        'shop',
      ).missing,
      [],
    );
  });
});
