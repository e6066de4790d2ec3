import { checkDigit } from '../../../src/listing/gtin.js';
import type { PlatformFormat } from '../../../src/feeds/map/feed-map.js';

/** A product of which feeds in all formats are written. Amounts are in cents. */
interface Product {
  sku: string;
  name: string;
  paragraphs: string[];
  brand: string | null;
  path: string[];
  url: string;
  /** The pictures; the first one is the main picture. */
  pictures: string[];
  price: number | null;
  /** A lower price, and whether it applies now. */
  sale: { price: number; isActive: boolean; window: [start: string, end: string] | null } | null;
  available: boolean | null;
  gtins: string[];
  mpn: string | null;
  color: string | null;
  size: string | null;
  details: [name: string, value: string][];
  rating: string | null;
  group: string | null;
}

/** The fields of a record that a test compares; a field that is absent is null. */
export type Expected = Record<string, unknown>;

export interface GeneratedFeed {
  format: PlatformFormat;
  /** A name for the test: the format and the kind of file. */
  name: string;
  text: string;
  /** The expected records in the order of the feed. */
  expected: Expected[];
}

export type Random = () => number;

export const CURRENCY = 'EUR';
export const SHOP_URL = 'https://shop.example';
export const NOW = new Date('2026-11-22T12:00:00Z');

/** Periods of sales, at `NOW` and whenever a command loads the feeds: they are far from both. */
const WINDOWS: { isActive: boolean; window: [string, string] }[] = [
  { isActive: true, window: ['2026-11-01', '2098-12-31'] },
  { isActive: false, window: ['2026-01-01', '2026-02-01'] },
  { isActive: false, window: ['2099-12-01', '2099-12-24'] },
];

class Draw {
  constructor(private readonly random: Random) {}
  chance = (share: number): boolean => this.random() < share;
  upTo = (count: number): number => Math.floor(this.random() * count);
  one = <T>(values: readonly T[]): T => values[this.upTo(values.length)] as T;
  some = <T>(values: readonly T[], most: number): T[] => {
    const count = this.upTo(most + 1);
    return [...values]
      .map((value) => ({ value, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ value }) => value);
  };
}

const NOUNS = [
  'Küchenwaage',
  'Žehlička',
  'Écharpe',
  'Kettle',
  'Ölkanne',
  'Straßenschuh',
  '電気ケトル',
  'Crème brûlée set',
];
const MAKERS = ['Präzisa', 'Weiß & Söhne', "L'Atelier", 'Norden "Nord"', 'Škoda', 'Ax, Berg', 'Ωmega'];
const EXTRAS = [
  '15" wide',
  '2,5 kg',
  '1.5 l',
  '6 x 330 ml',
  'red/blue',
  "for 'him' & her",
  '(new)',
  '100 % wool; soft',
];
const LEVELS = [
  'Küche & Haushalt',
  'Electronics',
  'Bílé zboží',
  'Möbel, Deko',
  'Mode',
  'Audio/Video',
  'Kids',
];
const SENTENCES = [
  'Misst auf 1 g genau.',
  'Über 30 % leichter, sagt "Test".',
  'Weight < 3 kg & quiet.',
  "It's soft; it's warm.",
  'Größe: 10 x 20 cm.',
];
const DETAILS: [string, string][] = [
  ['Höhe', '42,5 cm'],
  ['Material', 'Wool & silk'],
  ['Barva', 'modrá'],
  ['Power', '3000 W'],
  ['Ratio', '16:9'],
];

/** Returns a price in cents: some with thousands, some without decimals. */
const priceOf = (draw: Draw): number =>
  draw.chance(0.2) ? 100 * (1 + draw.upTo(5_000)) : 1 + draw.upTo(draw.chance(0.3) ? 300_000 : 9_999);

const withCheckDigit = (digits: string): string => digits + checkDigit(digits);
const digitsOf = (draw: Draw, count: number): string =>
  Array.from({ length: count }, () => String(draw.upTo(10))).join('');

function gtinsOf(draw: Draw): string[] {
  const kinds = draw.some(
    [
      () => withCheckDigit(`4${digitsOf(draw, 11)}`),
      () => withCheckDigit(`978${digitsOf(draw, 9)}`),
      () => withCheckDigit(`0${1 + draw.upTo(9)}${digitsOf(draw, 9)}`),
    ],
    3,
  );
  return kinds.map((make) => make());
}

function productOf(draw: Draw, number: number): Product {
  const price = draw.chance(0.08) ? null : priceOf(draw);
  const isOnSale = price !== null && price > 100 && draw.chance(0.35);
  const sale = isOnSale
    ? {
        price: Math.max(1, Math.floor(price * (0.4 + draw.upTo(50) / 100))),
        ...(draw.chance(0.4) ? { isActive: true, window: null } : draw.one(WINDOWS)),
      }
    : null;
  const sku = `${draw.one(['A', 'ä-', 'SKU_', '00', 'x/'])}${number}`;
  return {
    sku,
    name: [draw.one(MAKERS), draw.one(NOUNS), String(number), ...draw.some(EXTRAS, 2)].join(' '),
    paragraphs: draw.some(SENTENCES, 3),
    brand: draw.chance(0.85) ? draw.one(MAKERS) : null,
    path: draw.some(LEVELS, 4),
    url: `https://shop.example/p/${number}?a=1&b=2${draw.chance(0.3) ? '#top' : ''}`,
    pictures: Array.from(
      { length: draw.upTo(4) },
      (_, at) => `https://cdn.example/${number}-${at}.jpg?w=9&h=9`,
    ),
    price,
    sale,
    available: draw.one([true, true, false, null]),
    gtins: gtinsOf(draw),
    mpn: draw.chance(0.6) ? `MP-${number}/B` : null,
    color: draw.chance(0.5) ? draw.one(['weiß', 'noir', 'red & blue']) : null,
    size: draw.chance(0.4) ? draw.one(['M', '42', '10", flat']) : null,
    details: draw.some(DETAILS, 3),
    rating: draw.chance(0.3) ? draw.one(['4.5', '5', '3.75']) : null,
    group: draw.chance(0.3) ? `G${number % 7}` : null,
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const umlauts = (text: string): string =>
  text.replaceAll('ü', '&uuml;').replaceAll('ß', '&szlig;').replaceAll('é', '&#233;');
/** Writes a plain text as feeds do: as it is, or with its entities encoded, once or twice. */
const encodedName = (draw: Draw, text: string): string => {
  const times = draw.upTo(3);
  if (times === 0) return text;
  const once = umlauts(escapeHtml(text));
  return times === 1 ? once : once.replaceAll('&', '&amp;');
};

const html = (paragraphs: readonly string[]): string =>
  paragraphs.map((one) => `<p class="t">${umlauts(escapeHtml(one))}</p>`).join('\n');

/** Writes a description in one of the notations of feeds. @returns the text, and what it means. */
function descriptionOf(draw: Draw, { paragraphs }: Product): { text: string; means: string | null } {
  if (paragraphs.length === 0) return { text: '', means: null };
  const means = paragraphs.join('\n');
  const [first = ''] = paragraphs;
  return draw.one([
    { text: html(paragraphs), means },
    { text: paragraphs.map(escapeHtml).join('<br />'), means },
    { text: escapeHtml(html(paragraphs)), means },
    { text: first, means: first },
    { text: escapeHtml(escapeHtml(first)), means: first },
  ]);
}

const decimal = (cents: number): string => (cents / 100).toFixed(2);
const grouped = (whole: string, separator: string): string => whole.replace(/\B(?=(\d{3})+$)/g, separator);
function notation(cents: number, thousands: string, point: string): string {
  const [whole = '', fraction = ''] = decimal(cents).split('.');
  return `${grouped(whole, thousands)}${point}${fraction}`;
}
/** Writes an amount with a decimal point or a decimal comma. */
const anyDecimal = (draw: Draw, cents: number): string =>
  draw.one([decimal(cents), notation(cents, '', ','), notation(cents, '.', ','), notation(cents, ',', '.')]);

/**
 * Quotes a cell of a table as RFC 4180 says, and some cells that need no quotes. In tables with tabs, quotes within a cell
 * are often not escaped.
 */
const cellOf = (draw: Draw, cell: string, delimiter: string): string =>
  (/["\r\n]/.test(cell) && !(delimiter === '\t' && /^[^"\r\n][^\r\n]*$/.test(cell) && draw.chance(0.5))) ||
  cell.includes(delimiter) ||
  draw.chance(0.1)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;

type Row = Record<string, string | number | null | undefined>;

function table(draw: Draw, columns: readonly string[], rows: readonly Row[], delimiter: string): string {
  const lines = rows.map((row) => columns.map((name) => cellOf(draw, String(row[name] ?? ''), delimiter)));
  const lineEnd = draw.one(['\n', '\r\n']);
  return [columns.map((name) => cellOf(draw, name, delimiter)), ...lines]
    .map((cells) => cells.join(delimiter) + lineEnd)
    .join('');
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const element = (draw: Draw, name: string, text: string | null | undefined): string =>
  text === null || text === undefined || text === ''
    ? draw.one(['', `<${name}/>`])
    : `<${name}>${draw.chance(0.4) ? `<![CDATA[${text}]]>` : xml(text)}</${name}>\n`;

/** What every format states of a product, unless a writer says otherwise. */
function expectedOf(
  product: Product,
  description: string | null,
  metadata: Record<string, unknown>,
): Expected {
  const [picture = null, ...others] = product.pictures;
  const { price, sale } = product;
  const isReduced = sale?.isActive === true;
  return {
    sku: product.sku,
    name: product.name,
    description,
    price: isReduced ? sale.price : price,
    list_price: isReduced ? price : null,
    currency: price === null ? null : CURRENCY,
    buy_url: product.url,
    image_url: picture,
    brand: product.brand,
    category_path: product.path,
    is_available: product.available,
    gtin: product.gtins,
    metadata: {
      mpn: product.mpn,
      color: product.color,
      size: product.size,
      additional_image_link: others.length === 0 ? null : others,
      ...metadata,
    },
  };
}

const stockWord = (available: boolean | null, yes: string, no: string): string =>
  available === null ? '' : available ? yes : no;
const inWindow = ({ sale }: Product): string =>
  sale?.window ? `${sale.window[0]}T00:00Z/${sale.window[1]}T23:59Z` : '';

type Writer = (draw: Draw, products: readonly Product[]) => Omit<GeneratedFeed, 'format' | 'name'>;

/** What shops state as the sale price of a product that is not on sale. */
const saleOfNone = (draw: Draw, { price }: Product): string =>
  price === null ? '' : draw.one(['', '', `0.00 ${CURRENCY}`, `${decimal(price)} ${CURRENCY}`]);

const googleRow = (draw: Draw, product: Product, description: string): Row => ({
  id: product.sku,
  description,
  link: product.url,
  'image link': product.pictures[0],
  availability: stockWord(product.available, draw.one(['in stock', 'in_stock']), 'out of stock'),
  price: product.price === null ? '' : `${decimal(product.price)} ${CURRENCY}`,
  'sale price':
    product.sale === null ? saleOfNone(draw, product) : `${decimal(product.sale.price)} ${CURRENCY}`,
  'sale price effective date': inWindow(product),
  mpn: product.mpn,
  color: product.color,
  size: product.size,
  'item group id': product.group,
});

const detailCell = (value: string): string =>
  /[,:"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

const googleTable: Writer = (draw, products) => {
  const columns =
    'id|title|description|link|image link|additional image link|availability|price|sale price|sale price effective date|brand|gtin|mpn|product type|color|size|item group id|product detail|shipping'.split(
      '|',
    );
  const rows = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const row = {
      ...googleRow(draw, product, text),
      title: encodedName(draw, product.name),
      brand: encodedName(draw, product.brand ?? ''),
      'additional image link': product.pictures.slice(1).join(','),
      gtin: product.gtins.join(','),
      'product type': product.path
        .map((level) => encodedName(draw, level))
        .join(draw.one([' > ', '>', ' &gt; '])),
      'product detail': product.details
        .map(([name, value]) => `:${detailCell(name)}:${detailCell(value)}`)
        .join(','),
      shipping: 'DE:::4.95 EUR',
    };
    const details = { item_group_id: product.group, ...Object.fromEntries(product.details) };
    return { row, expected: expectedOf(product, means, details) };
  });
  return {
    text: table(
      draw,
      columns,
      rows.map(({ row }) => row),
      '\t',
    ),
    expected: rows.map(({ expected }) => expected),
  };
};

const googleXml: Writer = (draw, products) => {
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const row = googleRow(draw, product, text);
    const lines = [
      ...Object.entries({ ...row, title: product.name, brand: product.brand ?? '' }).map(([name, value]) =>
        element(draw, `g:${name.replaceAll(' ', '_')}`, value === null ? null : String(value ?? '')),
      ),
      ...product.gtins.map((gtin) => element(draw, 'g:gtin', gtin)),
      ...product.pictures.slice(1).map((url) => element(draw, 'g:additional_image_link', url)),
      element(draw, 'g:product_type', product.path.join(' > ')),
      ...product.details.map(
        ([name, value]) =>
          `<g:product_detail>${element(draw, 'g:section_name', 'General')}${element(draw, 'g:attribute_name', name)}${element(draw, 'g:attribute_value', value)}</g:product_detail>`,
      ),
      '<g:shipping><g:country>DE</g:country><g:price>4.95 EUR</g:price></g:shipping>',
    ];
    const details = { item_group_id: product.group, ...Object.fromEntries(product.details) };
    return { text: `<item>\n${lines.join('')}</item>\n`, expected: expectedOf(product, means, details) };
  });
  return {
    text: `<?xml version="1.0"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>\n${items.map(({ text }) => text).join('')}</channel></rss>\n`,
    expected: items.map(({ expected }) => expected),
  };
};

const NO_RULE = { color: null, size: null, additional_image_link: null };

const shopify: Writer = (draw, products) => {
  const columns =
    'Handle|Title|Body (HTML)|Vendor|Product Category|Type|Published|Option1 Name|Option1 Value|Option2 Name|Option2 Value|Variant SKU|Variant Inventory Tracker|Variant Inventory Qty|Variant Inventory Policy|Variant Price|Variant Compare At Price|Variant Barcode|Image Src|Image Position|Variant Image|Google Shopping / MPN|Status'.split(
      '|',
    );
  const rows: Row[] = [];
  const expected: Expected[] = [];
  for (const product of products) {
    const { text, means } = descriptionOf(draw, product);
    const handle = `handle-${product.sku.replace(/\W/g, '')}-${rows.length}`;
    const colours = draw.chance(0.4) ? ['Rot', 'Blau & Weiß', 'Grün'].slice(0, 1 + draw.upTo(3)) : [null];
    const variantPictures = colours.map(() =>
      draw.chance(0.3) ? `https://cdn.example/v${rows.length}.jpg` : null,
    );
    const lines = Math.max(colours.length, product.pictures.length);
    for (let at = 0; at < lines; at += 1) {
      const colour = colours[at];
      const isVariant = at < colours.length;
      const price = product.price ?? 0;
      const isReduced = product.sale?.window === null;
      rows.push({
        Handle: handle,
        'Image Src': product.pictures[at],
        'Image Position': product.pictures[at] === undefined ? '' : at + 1,
        ...(at === 0 && {
          Title: encodedName(draw, product.name),
          'Body (HTML)': text,
          Vendor: encodedName(draw, product.brand ?? ''),
          'Product Category': product.path.map((level) => encodedName(draw, level)).join(' > '),
          Published: 'true',
          'Option1 Name': colour === null ? 'Title' : 'Farbe',
          'Google Shopping / MPN': product.mpn,
          Status: 'active',
        }),
        ...(isVariant && {
          'Option1 Value': colour ?? 'Default Title',
          'Variant SKU': `${product.sku}-${at}`,
          'Variant Inventory Tracker': product.available === null ? '' : 'shopify',
          'Variant Inventory Qty': product.available === false ? draw.one(['0', '-2']) : '7',
          'Variant Inventory Policy': 'deny',
          'Variant Price': decimal(isReduced ? (product.sale?.price ?? 0) : price),
          'Variant Compare At Price': isReduced ? decimal(price) : draw.one(['', '0.00']),
          'Variant Barcode':
            product.gtins[0] === undefined ? '' : `${draw.one(['', "'"])}${product.gtins[0]}`,
          'Variant Image': variantPictures[at],
        }),
      });
      if (!isVariant) continue;
      expected.push({
        ...expectedOf(product, means, {}),
        sku: `${product.sku}-${at}`,
        name: colour === null ? product.name : `${product.name} - ${colour}`,
        price: product.price === null ? null : isReduced ? (product.sale?.price ?? null) : price,
        list_price: isReduced ? price : null,
        buy_url: `${SHOP_URL}/products/${handle}`,
        image_url: variantPictures[at] ?? product.pictures[0] ?? null,
        // A product whose stock is not tracked can always be bought.
        is_available: product.available ?? true,
        gtin: product.gtins.slice(0, 1),
        metadata: {
          ...NO_RULE,
          gtin: product.gtins[0] ?? null,
          mpn: at === 0 ? product.mpn : null,
          handle,
          ...(colour !== null && { Farbe: colour }),
        },
      });
    }
  }
  return { text: table(draw, columns, rows, ','), expected };
};

const wooName = (level: string): string => level.replaceAll(',', '\\,');

const woocommerce: Writer = (draw, products) => {
  const columns =
    'ID|Type|SKU|GTIN, UPC, EAN, or ISBN|Name|Published|Short description|Description|Date sale price starts|Date sale price ends|In stock?|Stock|Sale price|Regular price|Categories|Images|Parent|Brands|Attribute 1 name|Attribute 1 value(s)|Attribute 2 name|Attribute 2 value(s)'.split(
      '|',
    );
  const rows: Row[] = [];
  const expected: Expected[] = [];
  for (const [at, product] of products.entries()) {
    const { text, means } = descriptionOf(draw, product);
    const id = 1_000 + at * 10;
    const path = product.path.map(wooName).join(' > ');
    const shared: Row = {
      Name: encodedName(draw, product.name),
      Published: 1,
      Description: text.replaceAll('\n', '\\n'),
      Categories: product.path.length > 1 && draw.chance(0.4) ? `Sale, ${path}` : path,
      Images: product.pictures.join(', '),
      Brands: encodedName(draw, product.brand ?? ''),
    };
    const [start, end] = product.sale?.window ?? [];
    const offer: Row = {
      'GTIN, UPC, EAN, or ISBN': product.gtins[0],
      'Date sale price starts': start,
      'Date sale price ends': end,
      'In stock?': stockWord(product.available, '1', draw.one(['0', 'backorder'])),
      'Sale price': product.sale === null ? '' : decimal(product.sale.price),
      'Regular price': product.price === null ? '' : decimal(product.price),
    };
    const { mpn: _, ...images } = expectedOf(product, means, {})['metadata'] as Record<string, unknown>;
    const base = {
      ...expectedOf(product, means, {}),
      gtin: product.gtins.slice(0, 1),
      buy_url: `${SHOP_URL}/?p=${id}`,
    };
    if (draw.chance(0.3)) {
      rows.push({
        ID: id,
        Type: 'variable',
        SKU: product.sku,
        ...shared,
        'Attribute 1 name': 'Farbe',
        'Attribute 1 value(s)': 'Rot, Blau',
      });
      for (const [step, colour] of ['Rot', 'Blau'].entries()) {
        rows.push({
          ID: id + step + 1,
          Type: 'variation',
          SKU: `${product.sku}-${step}`,
          Parent: product.sku,
          'Attribute 1 name': draw.one(['Farbe', '']),
          'Attribute 1 value(s)': colour,
          ...offer,
        });
        expected.push({
          ...base,
          sku: `${product.sku}-${step}`,
          name: `${product.name} - ${colour}`,
          buy_url: `${SHOP_URL}/?p=${id + step + 1}`,
          metadata: { ...images, ...{ color: null, size: null }, Farbe: colour, parent: product.sku },
        });
      }
    } else {
      const attributes = Object.fromEntries(
        product.details.slice(0, 2).flatMap(([name, value], index) => [
          [`Attribute ${index + 1} name`, name],
          [`Attribute ${index + 1} value(s)`, value],
        ]),
      ) as Row;
      rows.push({ ID: id, Type: 'simple', SKU: product.sku, ...shared, ...offer, ...attributes });
      expected.push({
        ...base,
        metadata: { ...images, color: null, size: null, ...Object.fromEntries(product.details.slice(0, 2)) },
      });
    }
  }
  return { text: table(draw, columns, rows, ','), expected };
};

function openaiItem(draw: Draw, product: Product) {
  const { text, means } = descriptionOf(draw, product);
  const [start, end] = product.sale?.window ?? [];
  const item = {
    item_id: product.sku,
    title: encodedName(draw, product.name),
    description: text,
    url: product.url,
    brand: product.brand,
    image_url: product.pictures[0],
    price: product.price === null ? null : `${decimal(product.price)} ${CURRENCY}`,
    sale_price: product.sale === null ? null : `${decimal(product.sale.price)} ${CURRENCY}`,
    sale_price_start_date: start,
    sale_price_end_date: end,
    availability: stockWord(product.available, 'in_stock', 'out_of_stock') || 'unknown',
    product_category: product.path.join(' > '),
    gtin: product.gtins[0],
    mpn: product.mpn,
    color: product.color,
    size: product.size,
    group_id: product.group,
    star_rating: product.rating,
  };
  const { additional_image_link: pictures, ...metadata } = expectedOf(product, means, {})[
    'metadata'
  ] as Record<string, unknown>;
  const expected = {
    ...expectedOf(product, means, {}),
    gtin: product.gtins.slice(0, 1),
    rating: product.rating,
    metadata: { ...metadata, additional_image_urls: pictures, item_group_id: product.group },
  };
  return { item, expected };
}

const openaiJson: Writer = (draw, products) => {
  const items = products.map((product) => {
    const { item, expected } = openaiItem(draw, product);
    const details = Object.fromEntries(product.details);
    const whole = { ...item, additional_image_urls: product.pictures.slice(1), variant_dict: details };
    return {
      text: JSON.stringify(whole),
      expected: { ...expected, metadata: { ...details, ...expected.metadata } },
    };
  });
  return {
    text: items.map(({ text }) => `${text}\n`).join(''),
    expected: items.map(({ expected }) => expected),
  };
};

const openaiTable: Writer = (draw, products) => {
  const items = products.map((product) => {
    const { item, expected } = openaiItem(draw, product);
    return { row: { ...item, additional_image_urls: product.pictures.slice(1).join(',') } as Row, expected };
  });
  const columns = [...new Set(items.flatMap(({ row }) => Object.keys(row)))];
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      ',',
    ),
    expected: items.map(({ expected }) => expected),
  };
};

function schemaProduct(draw: Draw, product: Product) {
  const { text, means } = descriptionOf(draw, product);
  const current = product.sale?.window === null ? product.sale.price : product.price;
  const isReduced = current !== product.price;
  const best = draw.one([5, 10, 100]);
  const gtin = product.gtins[0];
  const price = current === null ? null : draw.one([decimal(current), current / 100]);
  const former = {
    '@type': 'UnitPriceSpecification',
    priceType: 'https://schema.org/StrikethroughPrice',
    price: product.price === null ? null : decimal(product.price),
    priceCurrency: CURRENCY,
  };
  const node = {
    '@context': 'https://schema.org',
    '@type': draw.one(['Product', ['Product', 'Thing']]),
    sku: product.sku,
    name: encodedName(draw, product.name),
    description: text === '' ? undefined : text,
    image: draw.one([
      product.pictures,
      product.pictures.map((url) => ({ '@type': 'ImageObject', [draw.one(['url', 'contentUrl'])]: url })),
    ]),
    brand:
      product.brand === null
        ? undefined
        : draw.one([product.brand, { '@type': 'Brand', name: product.brand }]),
    category: product.path.length === 0 ? undefined : product.path.join(' > '),
    ...(gtin !== undefined && { [gtin.startsWith('978') ? 'isbn' : draw.one(['gtin', 'gtin13'])]: gtin }),
    mpn: product.mpn ?? undefined,
    color: product.color ?? undefined,
    size: product.size ?? undefined,
    additionalProperty: product.details.map(([name, value]) => ({ '@type': 'PropertyValue', name, value })),
    ...(product.rating !== null && {
      aggregateRating: { ratingValue: (Number(product.rating) * best) / 5, bestRating: best, reviewCount: 3 },
    }),
    offers: {
      '@type': 'Offer',
      url: product.url,
      ...(price !== null && { price, priceCurrency: CURRENCY }),
      ...(isReduced && { priceSpecification: former }),
      ...(product.available !== null && {
        availability: `${draw.one(['https://schema.org/', 'http://schema.org/', ''])}${product.available ? 'InStock' : 'OutOfStock'}`,
      }),
      shippingDetails: { '@type': 'OfferShippingDetails', shippingRate: { value: 4.95, currency: CURRENCY } },
    },
  };
  const expected = {
    ...expectedOf(product, means, Object.fromEntries(product.details)),
    price: current,
    list_price: isReduced ? product.price : null,
    gtin: product.gtins.slice(0, 1),
    rating: product.rating,
  };
  return { node, expected };
}

const schemaLines: Writer = (draw, products) => {
  const nodes = products.map((product) => schemaProduct(draw, product));
  return {
    text: nodes
      .map(
        ({ node }) => `${JSON.stringify(draw.one([node, { '@graph': [{ '@type': 'WebPage' }, node] }]))}\n`,
      )
      .join(''),
    expected: nodes.map(({ expected }) => expected),
  };
};

const schemaPage: Writer = (draw, products) => {
  const nodes = products.map((product) => schemaProduct(draw, product));
  const scripts = nodes.map(
    ({ node }) =>
      `<p>Text</p><script type="application/ld+json">\n${JSON.stringify(node, null, 1)}\n</script>\n`,
  );
  return {
    text: `<!doctype html>\n<html><head><title>Shop &amp; more</title></head><body>${scripts.join('')}</body></html>\n`,
    expected: nodes.map(({ expected }) => expected),
  };
};

/** A UPC without its leading zero, as spreadsheets write it; other GTINs stay as they are. */
const asSpreadsheet = (gtin: string): string => gtin.replace(/^0(?=\d{11}$)/, '');

const awin: Writer = (draw, products) => {
  const columns =
    'aw_deep_link|product_name|aw_product_id|merchant_product_id|merchant_image_url|description|merchant_category|search_price|merchant_name|merchant_id|currency|delivery_cost|merchant_deep_link|brand_name|colour|product_price_old|in_stock|ean|upc|isbn|mpn|parent_product_id|average_rating|alternate_image|alternate_image_two|Fashion:size|base_price'.split(
      '|',
    );
  const delimiter = draw.one([',', '|', ';']);
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const price = product.sale?.window === null ? product.sale.price : product.price;
    const isReduced = price !== product.price;
    const [first, ...others] = product.gtins;
    const row: Row = {
      aw_deep_link: `https://www.awin1.com/pclick.php?p=${product.sku}&a=1`,
      product_name: encodedName(draw, product.name),
      aw_product_id: product.sku,
      merchant_product_id: `M${product.sku}`,
      merchant_image_url: product.pictures[0],
      description: text,
      merchant_category: product.path
        .map((level) => encodedName(draw, level))
        .join(draw.one([' > ', ' &gt; '])),
      search_price: price === null ? draw.one(['', '0.00']) : anyDecimal(draw, price),
      merchant_name: 'Haus & Söhne',
      merchant_id: 2114,
      currency: price === null ? '' : CURRENCY,
      delivery_cost: '4,95',
      merchant_deep_link: draw.one([product.url, product.url.replaceAll('&', '&amp;')]),
      brand_name: encodedName(draw, product.brand ?? ''),
      colour: product.color,
      product_price_old: isReduced && product.price !== null ? anyDecimal(draw, product.price) : '',
      in_stock: stockWord(product.available, draw.one(['1', 'yes']), draw.one(['0', 'no'])),
      ean: first === undefined ? '' : asSpreadsheet(first),
      upc: others[0] === undefined ? '' : asSpreadsheet(others[0]),
      isbn: others[1],
      mpn: product.mpn,
      parent_product_id: product.group,
      average_rating: product.rating,
      alternate_image: product.pictures[1],
      alternate_image_two: product.pictures[2],
      'Fashion:size': product.size,
    };
    const expected = {
      ...expectedOf(product, means, { item_group_id: product.group, merchant_product_id: `M${product.sku}` }),
      price,
      list_price: isReduced ? product.price : null,
      affiliate_url: row['aw_deep_link'],
      merchant_id: 'Haus & Söhne',
      rating: product.rating,
    };
    return { row, expected };
  });
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      delimiter,
    ),
    expected: items.map(({ expected }) => expected),
  };
};

const cjShopping: Writer = (draw, products) => {
  const columns =
    'PROGRAM_NAME|ID|TITLE|DESCRIPTION|LINK|IMAGE_LINK|ADDITIONAL_IMAGE_LINK|AVAILABILITY|PRICE|SALE_PRICE|SALE_PRICE_EFFECTIVE_DATE|GOOGLE_PRODUCT_CATEGORY|GOOGLE_PRODUCT_CATEGORY_NAME|PRODUCT_TYPE|BRAND|GTIN|MPN|COLOR|SIZE|ITEM_GROUP_ID|SHIPPING(COUNTRY:REGION:SERVICE:PRICE)'.split(
      '|',
    );
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const path = product.path.join(' > ');
    const link = `https://www.anrdoezrs.net/click-1-2?url=${encodeURIComponent(product.url)}`;
    const row: Row = {
      PROGRAM_NAME: 'Maison',
      ID: product.sku,
      TITLE: encodedName(draw, product.name),
      DESCRIPTION: text,
      LINK: link,
      IMAGE_LINK: product.pictures[0],
      ADDITIONAL_IMAGE_LINK: product.pictures.slice(1).join(','),
      AVAILABILITY: stockWord(product.available, 'in stock', 'out of stock'),
      PRICE: product.price === null ? '' : `${decimal(product.price)} ${CURRENCY}`,
      SALE_PRICE:
        product.sale === null ? saleOfNone(draw, product) : `${decimal(product.sale.price)} ${CURRENCY}`,
      SALE_PRICE_EFFECTIVE_DATE: inWindow(product),
      GOOGLE_PRODUCT_CATEGORY: '1604',
      PRODUCT_TYPE: product.path.length > 1 && draw.chance(0.4) ? `${path},${product.path[0]} > Sale` : path,
      BRAND: product.brand,
      GTIN: product.gtins[0],
      MPN: product.mpn,
      COLOR: product.color,
      SIZE: product.size,
      ITEM_GROUP_ID: product.group,
      'SHIPPING(COUNTRY:REGION:SERVICE:PRICE)': 'DE:::0.00 EUR',
    };
    const expected = {
      ...expectedOf(product, means, { item_group_id: product.group }),
      gtin: product.gtins.slice(0, 1),
      buy_url: link,
      affiliate_url: link,
      merchant_id: 'Maison',
    };
    return { row, expected };
  });
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      ',',
    ),
    expected: items.map(({ expected }) => expected),
  };
};

const cjCatalog: Writer = (draw, products) => {
  const columns =
    'PROGRAMNAME|NAME|KEYWORDS|DESCRIPTION|SKU|MANUFACTURER|MANUFACTURERID|UPC|ISBN|CURRENCY|SALEPRICE|PRICE|BUYURL|IMAGEURL|ADVERTISERCATEGORY|STARTDATE|ENDDATE|INSTOCK|STANDARDSHIPPINGCOST'.split(
      '|',
    );
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const link = `https://www.jdoqocy.com/click-1-${encodeURIComponent(product.sku)}`;
    const [start, end] = product.sale?.window ?? [];
    const row: Row = {
      PROGRAMNAME: 'Bookshop',
      NAME: encodedName(draw, product.name),
      DESCRIPTION: text,
      SKU: product.sku,
      MANUFACTURER: product.brand,
      MANUFACTURERID: product.mpn,
      UPC: product.gtins[0] === undefined ? '' : asSpreadsheet(product.gtins[0]),
      ISBN: product.gtins[1],
      CURRENCY: product.price === null ? '' : CURRENCY,
      SALEPRICE: product.sale === null ? '' : decimal(product.sale.price),
      PRICE: product.price === null ? draw.one(['', 'call for price']) : decimal(product.price),
      BUYURL: link,
      IMAGEURL: product.pictures[0],
      ADVERTISERCATEGORY: product.path.join(' > '),
      STARTDATE: start,
      ENDDATE: end,
      INSTOCK: stockWord(product.available, 'yes', 'no'),
      STANDARDSHIPPINGCOST: '3.99',
    };
    const expected = {
      ...expectedOf(product, means, { color: null, size: null, additional_image_link: null }),
      gtin: product.gtins.slice(0, 2),
      buy_url: link,
      affiliate_url: link,
      merchant_id: 'Bookshop',
    };
    return { row, expected };
  });
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      draw.one(['\t', ',', '|']),
    ),
    expected: items.map(({ expected }) => expected),
  };
};

const impact: Writer = (draw, products) => {
  const columns =
    'Unique Merchant SKU|Product Name|Product URL|Image URL|Current Price|Original Price|Currency|Stock Availability|Condition|MPN|UPC or EAN|Shipping Rate|Brand|Product Description|Category|Parent SKU|Color|Size'.split(
      '|',
    );
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const price = product.sale?.window === null ? product.sale.price : product.price;
    const isReduced = price !== product.price;
    const row: Row = {
      'Unique Merchant SKU': product.sku,
      'Product Name': encodedName(draw, product.name),
      'Product URL': product.url,
      'Image URL': product.pictures[0],
      'Current Price': price === null ? '' : decimal(price),
      'Original Price':
        product.price !== null && (isReduced || draw.chance(0.5)) ? decimal(product.price) : '',
      Currency: price === null ? '' : CURRENCY,
      'Stock Availability': stockWord(
        product.available,
        draw.one(['InStock', 'LimitedAvailability']),
        draw.one(['OutofStock', 'BackOrder', 'PreOrder']),
      ),
      MPN: product.mpn,
      'UPC or EAN': product.gtins[0] === undefined ? '' : asSpreadsheet(product.gtins[0]),
      'Shipping Rate': '0.00',
      Brand: product.brand,
      'Product Description': text.replaceAll('\n', ' '),
      Category: product.path.join(' > '),
      'Parent SKU': product.group,
      Color: product.color,
      Size: product.size,
    };
    const expected = {
      ...expectedOf(product, means, { item_group_id: product.group, additional_image_link: null }),
      price,
      list_price: isReduced ? product.price : null,
      gtin: product.gtins.slice(0, 1),
    };
    return { row, expected };
  });
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      '\t',
    ),
    expected: items.map(({ expected }) => expected),
  };
};

const rakuten: Writer = (draw, products) => {
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const price = product.sale?.window === null ? product.sale.price : product.price;
    const isReduced = price !== product.price;
    const [top = '', ...below] = product.path;
    const link = `https://click.linksynergy.com/link?id=x&murl=${encodeURIComponent(product.url)}`;
    const cells: (string | null | undefined)[] = [
      product.sku,
      encodedName(draw, product.name),
      `S${product.sku}`,
      top,
      below.join('~~'),
      link,
      product.pictures[0],
      '',
      'Short',
      text.replaceAll('\n', ' '),
      '',
      '',
      isReduced && price !== null
        ? decimal(price)
        : draw.one(['', '0.00', product.price === null ? '' : decimal(product.price)]),
      product.price === null ? '' : decimal(product.price),
      '',
      '',
      product.brand,
      '4.95',
      '',
      product.mpn,
      '',
      '',
      stockWord(product.available, draw.one(['in-stock', 'Yes', 'Y']), draw.one(['out of stock', 'No'])),
      product.gtins[0],
      '60',
      price === null ? '' : CURRENCY,
      '',
      'https://ad.linksynergy.com/1',
      '',
      '',
      product.size,
      '',
      product.color,
      ...Array.from({ length: 5 }, () => ''),
    ];
    const expected = {
      ...expectedOf(product, means ?? 'Short', {
        merchant_sku: `S${product.sku}`,
        additional_image_link: null,
      }),
      price,
      list_price: isReduced ? product.price : null,
      gtin: product.gtins.slice(0, 1),
      buy_url: link,
      affiliate_url: link,
    };
    return { text: cells.map((cell) => cell ?? '').join('|'), expected };
  });
  const lines = [
    'HDR|1237|NORDEN, Inc.|09/03/2026 00:02:32',
    ...items.map(({ text }) => text),
    `TRL|${items.length}`,
  ];
  return {
    text: `${lines.join(draw.one(['\n', '\r\n']))}\n`,
    expected: items.map(({ expected }) => expected),
  };
};

const idealo: Writer = (draw, products) => {
  const columns =
    'sku|brand|title|categoryPath|url|eans|hans|description|price|formerPrice|paymentCosts_paypal|deliveryCosts_dhl|deliveryTime|imageUrls|colour|size'.split(
      '|',
    );
  const items = products.map((product) => {
    const { text, means } = descriptionOf(draw, product);
    const price = product.sale?.window === null ? product.sale.price : product.price;
    const isReduced = price !== product.price;
    const row: Row = {
      sku: product.sku,
      brand: encodedName(draw, product.brand ?? ''),
      title: encodedName(draw, product.name),
      categoryPath: product.path.map((level) => encodedName(draw, level)).join(' > '),
      url: product.url,
      eans: product.gtins.map(asSpreadsheet).join(';'),
      hans: product.mpn,
      description: text,
      price: price === null ? '' : anyDecimal(draw, price),
      formerPrice: isReduced && product.price !== null ? anyDecimal(draw, product.price) : '',
      paymentCosts_paypal: '0.00',
      deliveryCosts_dhl: '4,90',
      deliveryTime:
        product.available === false ? draw.one(['nicht lieferbar', 'ausverkauft']) : '1-3 Werktage',
      imageUrls: product.pictures
        .map((url) => draw.one([url, url.replaceAll('&', '&amp;')]))
        .join(draw.one([';', '; '])),
      colour: product.color,
      size: product.size,
    };
    const metadata = { mpn: product.mpn === null ? null : [product.mpn] };
    const expected = {
      ...expectedOf(product, means, metadata),
      price,
      list_price: isReduced ? product.price : null,
      is_available: product.available !== false,
    };
    return { row, expected };
  });
  return {
    text: table(
      draw,
      columns,
      items.map(({ row }) => row),
      draw.one([';', ',', '\t', '|']),
    ),
    expected: items.map(({ expected }) => expected),
  };
};

/** Writes an amount as Heureka documents it: with two decimals at most, behind a comma or a point. */
const czechPrice = (draw: Draw, cents: number): string =>
  cents % 100 === 0 ? String(cents / 100) : draw.one([decimal(cents), notation(cents, '', ',')]);

const czech =
  (format: 'heureka' | 'zbozi'): Writer =>
  (draw, products) => {
    const items = products.map((product) => {
      const { text, means } = descriptionOf(draw, product);
      const isHeureka = format === 'heureka';
      const price = product.sale?.window === null ? product.sale.price : product.price;
      const isReduced = !isHeureka && price !== product.price;
      const [main, ...others] = product.pictures;
      const repeats = product.details.length > 0 && draw.chance(0.3);
      const details = [
        ...product.details,
        ...(repeats ? [[product.details[0]?.[0] ?? '', 'zweiter Wert']] : []),
      ];
      const hasUnits = !isHeureka && draw.chance(0.3);
      const tags = [
        element(draw, 'ITEM_ID', product.sku),
        element(draw, 'PRODUCTNAME', product.name),
        element(draw, 'PRODUCT', `${product.name} + dárek`),
        element(draw, 'DESCRIPTION', text),
        element(draw, 'URL', product.url),
        element(draw, 'IMGURL', main),
        ...others.map((url) => element(draw, isHeureka ? 'IMGURL_ALTERNATIVE' : 'IMGURL', url)),
        element(draw, 'PRICE_VAT', price === null ? null : czechPrice(draw, price)),
        isReduced && product.price !== null
          ? element(draw, 'PRICE_BEFORE_DISCOUNT', czechPrice(draw, product.price))
          : '',
        element(draw, 'MANUFACTURER', product.brand),
        element(
          draw,
          'CATEGORYTEXT',
          [
            ...(isHeureka && product.path.length > 0 && draw.chance(0.5) ? ['Heureka.cz'] : []),
            ...product.path,
          ].join(' | '),
        ),
        element(draw, 'EAN', product.gtins[0]),
        element(draw, 'PRODUCTNO', product.mpn),
        ...details.map(
          ([name = '', value = '']) =>
            `<PARAM>\n<PARAM_NAME>${xml(name)}</PARAM_NAME><VAL>${xml(value)}</VAL>${hasUnits ? '<UNIT>ks</UNIT>' : ''}</PARAM>\n`,
        ),
        element(
          draw,
          'DELIVERY_DATE',
          product.available === null ? '' : product.available ? draw.one(['0', '3', '14']) : '2026-12-24',
        ),
        '<DELIVERY><DELIVERY_ID>PPL</DELIVERY_ID><DELIVERY_PRICE>99</DELIVERY_PRICE></DELIVERY>\n',
        '<DELIVERY><DELIVERY_ID>DPD</DELIVERY_ID><DELIVERY_PRICE>79,5</DELIVERY_PRICE></DELIVERY>\n',
        element(draw, 'ITEMGROUP_ID', product.group),
      ];
      const unit = hasUnits ? ' ks' : '';
      const read = Object.fromEntries(
        product.details.map(([name, value]) => [name, `${value}${unit}`]),
      ) as Row;
      const first = product.details[0];
      const doubled =
        repeats && first !== undefined ? { [first[0]]: [`${first[1]}${unit}`, `zweiter Wert${unit}`] } : {};
      const base = expectedOf(product, means, {
        item_group_id: product.group,
        color: null,
        size: null,
        ...read,
        ...doubled,
      });
      const expected = {
        ...base,
        price,
        list_price: isReduced ? product.price : null,
        gtin: product.gtins.slice(0, 1),
        ...(isHeureka ? {} : { currency: 'CZK' }),
      };
      return { text: `<SHOPITEM>\n${tags.join('')}</SHOPITEM>\n`, expected };
    });
    const namespace = format === 'zbozi' ? ' xmlns="http://www.zbozi.cz/ns/offer/1.0"' : '';
    return {
      text: `<?xml version="1.0" encoding="utf-8"?>\n<SHOP${namespace}>\n${items.map(({ text }) => text).join('')}</SHOP>\n`,
      expected: items.map(({ expected }) => expected),
    };
  };

const amazon: Writer = (draw, products) => {
  const columns =
    'feed_product_type|item_sku|brand_name|item_name|external_product_id|external_product_id_type|part_number|product_description|item_type|standard_price|currency|quantity|sale_price|sale_from_date|sale_end_date|main_image_url|other_image_url1|other_image_url2|parent_child|parent_sku|color_name|size_name|unit_count|unit_count_type'.split(
      '|',
    );
  const rows: Row[] = [];
  const expected: Expected[] = [];
  for (const product of products) {
    const { text, means } = descriptionOf(draw, product);
    const [start, end] = product.sale?.window ?? [];
    if (product.group !== null && draw.chance(0.3))
      rows.push({
        item_sku: product.group,
        item_name: 'Parent',
        parent_child: draw.one(['parent', 'Parent']),
      });
    const [level] = product.path;
    rows.push({
      feed_product_type: 'thing',
      item_sku: product.sku,
      brand_name: encodedName(draw, product.brand ?? ''),
      item_name: encodedName(draw, product.name),
      external_product_id: product.gtins[0] === undefined ? '' : asSpreadsheet(product.gtins[0]),
      external_product_id_type: product.gtins[0] === undefined ? '' : draw.one(['EAN', 'UPC', 'ean']),
      part_number: product.mpn,
      product_description: text,
      item_type: level,
      standard_price: product.price === null ? '' : decimal(product.price),
      currency: product.price === null ? '' : CURRENCY,
      quantity: stockWord(product.available, '12', '0'),
      sale_price: product.sale === null ? '' : decimal(product.sale.price),
      sale_from_date: start,
      sale_end_date: end,
      main_image_url: product.pictures[0],
      other_image_url1: product.pictures[1],
      other_image_url2: product.pictures[2],
      parent_child: product.group === null ? '' : 'child',
      parent_sku: product.group,
      color_name: product.color,
      size_name: product.size,
    });
    expected.push({
      ...expectedOf(product, means, { item_group_id: product.group }),
      category_path: [level ?? 'thing'],
      gtin: product.gtins.slice(0, 1),
      buy_url: null,
    });
  }
  const body = table(draw, columns, rows, '\t');
  const preamble = [
    ['TemplateType=fptcustom', 'Version=2026.0101', 'The top 3 rows are for Amazon.com use only.'],
    ['Product Type', 'Seller SKU', 'Brand Name', 'Product Name'],
  ].map((cells) => [...cells, ...columns.slice(cells.length).map(() => '')].join('\t'));
  return {
    text: `${draw.chance(0.8) ? `${preamble.join('\n')}\n` : ''}${body.replaceAll('\r\n', '\n')}`,
    expected,
  };
};

const WRITERS: [format: PlatformFormat, kind: string, writer: Writer][] = [
  ['google', 'tab-separated', googleTable],
  ['google', 'XML', googleXml],
  ['shopify', 'CSV', shopify],
  ['woocommerce', 'CSV', woocommerce],
  ['openai', 'JSON lines', openaiJson],
  ['openai', 'CSV', openaiTable],
  ['schemaorg', 'JSON-LD', schemaLines],
  ['schemaorg', 'HTML', schemaPage],
  ['awin', 'CSV', awin],
  ['cj', 'shopping feed', cjShopping],
  ['cj', 'product catalog', cjCatalog],
  ['impact', 'tab-separated', impact],
  ['rakuten', 'text', rakuten],
  ['idealo', 'CSV', idealo],
  ['heureka', 'XML', czech('heureka')],
  ['zbozi', 'XML', czech('zbozi')],
  ['amazon', 'tab-separated', amazon],
];

/** The names of the generated feeds. */
export const GENERATED = WRITERS.map(([format, kind]) => `${format}, ${kind}`);

/** Writes a feed of random products in one of the formats, with the record that each of them must become. */
export function generatedFeed(name: string, random: Random, count: number): GeneratedFeed {
  const draw = new Draw(random);
  const [format, , writer] = WRITERS[GENERATED.indexOf(name)] as (typeof WRITERS)[number];
  const products = Array.from({ length: count }, (_, number) => productOf(draw, number));
  return { format, name, ...writer(draw, products) };
}

const FIELDS = [
  'sku',
  'name',
  'merchant_id',
  'description',
  'price',
  'currency',
  'list_price',
  'buy_url',
  'affiliate_url',
  'image_url',
  'brand',
  'category_path',
  'rating',
  'is_available',
  'last_checked',
];

/** The fields of a record in one form: amounts in cents, lists for single values, and nothing that is null. */
export function comparable(record: object): Expected {
  const given = record as Expected;
  const fields = Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? null]));
  const metadata = Object.entries((given['metadata'] ?? {}) as object).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return {
    ...fields,
    price: cents(given['price']),
    list_price: cents(given['list_price']),
    rating: given['rating'] === null || given['rating'] === undefined ? null : Number(given['rating']),
    // Without a price, the currency says nothing.
    currency: given['price'] === null ? null : given['currency'],
    gtin: [given['gtin'] ?? []].flat(),
    category_path: given['category_path'] ?? [],
    metadata: Object.fromEntries(metadata),
  };
}

const cents = (amount: unknown): number | null =>
  typeof amount === 'string' ? Math.round(Number(amount) * 100) : ((amount ?? null) as number | null);
