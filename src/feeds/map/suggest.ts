import { stringify } from 'yaml';
import { gtinOf } from '../../listing/gtin.js';
import { COLUMN_NAMES } from './column-names.js';
import type { FeedMap, Rule, Target } from './feed-map.js';
import { readMoney } from './money.js';
import { foldName, Row, textOf } from './row.js';

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
  price: isMoney, list_price: isMoney, buy_url: isUrl, affiliate_url: isUrl, image_url: isUrl,
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
  for (const [target, names] of Object.entries(COLUMN_NAMES) as [Target, string[]][]) {
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
  const prices = samples.get(columnOf(fields.price)) ?? [];
  const [commas, points] = [prices.filter(isCommaMoney).length, prices.filter(isPointMoney).length];
  const decimal = commas > points ? { decimal: ',' as const } : {};
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
    ...(commas > 0 && points > 0
      ? [
          `# Prices have decimals behind a comma (${commas}) and behind a point (${points}): the others are rejected.`,
        ]
      : []),
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
  const ways = [
    (column: string, name: string) => bare(column) === bare(name),
    (column: string, name: string) =>
      target !== 'source' && endOf(column) === name && foldName(column) !== name,
    (column: string, name: string) => target === 'price' && foldName(column).startsWith(`${name}_`),
  ];
  return ways.flatMap((fits) => names.flatMap((name) => columns.filter((column) => fits(column, name))));
}

const bare = (name: string): string => foldName(name).replaceAll('_', '');

const ALL_NAMES = Object.values(COLUMN_NAMES).flat();

/** The longest name that a column ends with: `Product image URL` is an `image_url` rather than a `url`. */
function endOf(column: string): string | undefined {
  const folded = `_${foldName(column)}`;
  return ALL_NAMES.filter((name) => folded.endsWith(`_${name}`)).sort((a, b) => b.length - a.length)[0];
}

const missing = (fields: FeedMap['fields']): string[] =>
  (['sku', 'name'] as const)
    .filter((target) => fields[target] === undefined)
    .map((target) => `# fields.${target} is needed, and no column was taken for it.`)
    .concat(
      fields.price !== undefined && fields.currency === undefined
        ? ['# No column names a currency: say --currency CODE, or no price is comparable to those of others.']
        : [],
    );

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
const isPointMoney = (text: string): boolean =>
  readMoney(text, '.') !== null && readMoney(text, ',') === null;
function isMoney(text: string): boolean {
  return readMoney(text, '.') !== null || readMoney(text, ',') !== null;
}
function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
const currencyOf = (text: string): string | null =>
  (readMoney(text, '.') ?? readMoney(text, ','))?.currency ?? null;
