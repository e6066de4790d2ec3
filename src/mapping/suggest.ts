import { stringify } from 'yaml';
import { gtinOf } from '../listing/gtin.js';
import type { FeedMap, Rule, Target } from './feed-map.js';
import { readMoney } from './money.js';
import { foldName, Row, textOf } from './row.js';

/** What shops call each field, the likeliest first. */
const NAMES: Partial<Record<Target, string[]>> = {
  sku: [
    'sku',
    'id',
    'item_id',
    'product_id',
    'variant_sku',
    'article_number',
    'artikelnummer',
    'offer_id',
    'code',
    'ref',
    'asin',
    'product_code',
  ],
  source: ['source', 'platform', 'shop', 'store'],
  merchant_id: [
    'merchant_id',
    'merchant',
    'seller_id',
    'seller',
    'seller_name',
    'vendor_id',
    'merchant_name',
  ],
  name: [
    'name',
    'title',
    'product_name',
    'product_title',
    'item_name',
    'product',
    'titel',
    'produktname',
    'artikelname',
    'bezeichnung',
    'artikelbezeichnung',
    'nom',
    'nombre',
    'heading',
  ],
  description: [
    'description',
    'long_description',
    'body_html',
    'body',
    'short_description',
    'product_description',
    'beschreibung',
    'details',
    'desc',
  ],
  price: [
    'sale_price',
    'current_price',
    'search_price',
    'final_price',
    'price',
    'selling_price',
    'unit_price',
    'preis',
    'amount',
    'cost',
    'retail_price',
  ],
  list_price: [
    'list_price',
    'regular_price',
    'rrp',
    'rrp_price',
    'msrp',
    'original_price',
    'was_price',
    'compare_at_price',
    'old_price',
    'product_price_old',
  ],
  currency: ['currency', 'currency_code', 'price_currency', 'waehrung', 'währung'],
  buy_url: [
    'buy_url',
    'link',
    'url',
    'product_url',
    'deep_link',
    'deeplink',
    'merchant_deep_link',
    'product_link',
    'page_url',
  ],
  affiliate_url: ['affiliate_url', 'affiliate_link', 'aw_deep_link', 'tracking_url', 'click_url'],
  image_url: [
    'image_url',
    'image_link',
    'image',
    'picture',
    'merchant_image_url',
    'img',
    'img_url',
    'photo',
    'main_image',
    'image_src',
    'thumbnail',
    'large_image',
    'bild',
    'bild_url',
  ],
  brand: ['brand', 'brand_name', 'manufacturer', 'vendor', 'marke', 'make'],
  category_path: [
    'category_path',
    'product_type',
    'categories',
    'category',
    'merchant_category',
    'category_name',
    'category_text',
    'google_product_category',
    'kategorie',
    'breadcrumb',
  ],
  rating: ['rating', 'average_rating', 'stars', 'star_rating', 'rating_value'],
  is_available: [
    'is_available',
    'availability',
    'in_stock',
    'available',
    'stock_status',
    'stock',
    'quantity',
    'qty',
    'stock_quantity',
    'inventory',
    'lagerbestand',
    'bestand',
    'verfügbarkeit',
  ],
  last_checked: ['last_checked', 'last_updated', 'updated_at', 'modified'],
  gtin: ['gtin', 'ean', 'upc', 'barcode', 'gtin13', 'ean13', 'isbn', 'product_gtin'],
};

/** Metadata that search and matching make use of. */
const METADATA = [
  'model',
  'mpn',
  'color',
  'colour',
  'size',
  'material',
  'condition',
  'gender',
  'item_group_id',
];

/** Words for what is in stock and what is not: where a feed's beginning has one, its end may have the other. */
const WORDS: readonly (readonly [yes: string, no: string])[] = [
  ...([
    ['yes', 'no'],
    ['true', 'false'],
    ['1', '0'],
    ['y', 'n'],
    ['in stock', 'out of stock'],
  ] as const),
  ...([
    ['instock', 'outofstock'],
    ['available', 'unavailable'],
    ['ja', 'nein'],
    ['oui', 'non'],
  ] as const),
];

/** Fields whose values tell whether a column fits. */
const FITS: Partial<Record<Target, (text: string) => boolean>> = {
  ...{ price: isMoney, list_price: isMoney, buy_url: isUrl, affiliate_url: isUrl, image_url: isUrl },
  gtin: (text) => gtinOf(text) !== null,
  rating: (text) => /^[0-5](?:\.\d+)?$/.test(text),
  currency: (text) => /^[A-Za-z]{3}$/.test(text),
};

/**
 * A first map for a feed, to be read and mended by whoever knows it.
 * @param rows its first ones.
 * @param source null where nobody said it.
 * @returns YAML, with what it could not place as comments.
 */
export function suggestMap(rows: readonly Record<string, unknown>[], source: string | null): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== '');
  const samples = new Map(columns.map((name) => [name, samplesOf(rows, name)]));
  const fields: FeedMap['fields'] = {};
  const used = new Set<string>();
  for (const [target, names] of Object.entries(NAMES) as [Target, string[]][]) {
    if (target === 'source' && source !== null) continue;
    const column = likely(columns, names, target).find(
      (one) => !used.has(one) && mostly(samples.get(one) ?? [], FITS[target]),
    );
    if (column === undefined) continue;
    used.add(column);
    fields[target] = ruleFor(target, column, samples.get(column) ?? []);
    const money = target === 'price' && fields.currency === undefined ? samples.get(column) : [];
    if (money?.some((text) => currencyOf(text) !== null))
      fields.currency = { from: column, money: 'currency' };
  }
  if (fields.source === undefined) fields.source = { const: source ?? 'NAME_OF_THE_SHOP' };
  const metadata: Record<string, Rule> = {};
  for (const column of columns) {
    if (used.has(column) || !METADATA.includes(foldName(column))) continue;
    used.add(column);
    metadata[foldName(column)] = column;
  }
  const decimal = (samples.get(columnOf(fields.price)) ?? []).some(isCommaMoney)
    ? { decimal: ',' as const }
    : {};
  const map: FeedMap = {
    ...decimal,
    fields,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  const open = columns.filter((name) => !used.has(name));
  return [
    `# A first map, from the first ${rows.length} rows. Read it, mend it, try it: npm run ingest -- --dry-run --map FILE FEED`,
    stringify(map, { flowCollectionPadding: true }).trimEnd(),
    ...missing(fields),
    ...(open.length === 0 ? [] : ['# Not placed; `rest: metadata` keeps them all:']),
    ...open.map(
      (name) => `#   ${JSON.stringify(name)}: ${JSON.stringify(samples.get(name)?.[0] ?? '').slice(0, 80)}`,
    ),
    '',
  ].join('\n');
}

/** A feed has cells such as a price `on request`, or a GTIN with a wrong digit: they do not make it another column. */
function mostly(texts: readonly string[], fits: (text: string) => boolean = () => true): boolean {
  return texts.length === 0 || texts.filter(fits).length > texts.length / 2;
}

/** The columns that are named so, then those whose name ends so (`merchant_product_id`), then those as `price_vat`. */
function likely(columns: readonly string[], names: readonly string[], target: Target): string[] {
  const bare = (name: string) => foldName(name).replaceAll('_', '');
  const ways = [
    (column: string, name: string) => bare(column) === bare(name),
    (column: string, name: string) => target !== 'source' && foldName(column).endsWith(`_${name}`),
    (column: string, name: string) => target === 'price' && foldName(column).startsWith(`${name}_`),
  ];
  return ways.flatMap((fits) => names.flatMap((name) => columns.filter((column) => fits(column, name))));
}

const missing = (fields: FeedMap['fields']): string[] =>
  (['sku', 'name'] as const)
    .filter((target) => fields[target] === undefined)
    .map((target) => `# fields.${target} is needed, and no column was taken for it.`);

function ruleFor(target: Target, column: string, texts: readonly string[]): Rule {
  if (target === 'price' || target === 'list_price') return { from: column, money: 'amount' };
  if (target === 'description') return { from: column, html: true };
  if (target === 'category_path') return { from: column, split: separatorOf(texts) };
  if (target === 'last_checked') return { from: column, time: true };
  if (target !== 'is_available') return column;
  if (texts.some((text) => /^\d+$/.test(text) && Number(text) > 1)) return { from: column, stock: true };
  const words = [...new Set(texts.map((text) => text.toLowerCase().replace(/[\s_-]+/g, ' ')))].slice(0, 20);
  const pairs = WORDS.filter((pair) => pair.some((word) => words.includes(word)));
  const known = new Map<string, boolean | null>(
    pairs.flatMap(([yes, no]) => [
      [yes, true],
      [no, false],
    ]),
  );
  for (const word of words) if (!known.has(word)) known.set(word, null);
  return { from: column, enum: Object.fromEntries(known) };
}

function separatorOf(texts: readonly string[]): string {
  const marks = ['>', '/', '|', ';'];
  return marks.find((mark) => texts.some((text) => text.includes(mark))) ?? '>';
}

const columnOf = (rule: Rule | undefined): string =>
  typeof rule === 'object' && !Array.isArray(rule) && typeof rule.from === 'string' ? rule.from : '';

function samplesOf(rows: readonly Record<string, unknown>[], name: string): string[] {
  return rows.flatMap((cells) => textOf(new Row(cells).get(name)) ?? []).slice(0, 1_000);
}

const isCommaMoney = (text: string): boolean =>
  readMoney(text, '.') === null && readMoney(text, ',') !== null;
function isMoney(text: string): boolean {
  return readMoney(text, '.') !== null || isCommaMoney(text);
}
function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
const currencyOf = (text: string): string | null =>
  (readMoney(text, '.') ?? readMoney(text, ','))?.currency ?? null;
