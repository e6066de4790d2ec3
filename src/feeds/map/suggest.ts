import { parse, stringify } from 'yaml';
import { gtinOf } from '../../listing/gtin.js';
import { shippedText } from '../../platform/shipped-files.js';
import type { FeedMap, Rule, RecordField } from './feed-map.js';
import { readMoney } from './money.js';
import { foldName, FeedRow, textOf } from './row.js';

const NAMES = parse(shippedText('mappings/column-names.yaml')) as {
  columns: Partial<Record<RecordField, string>>;
  metadata: string;
  stock: [yes: string, no: string][];
};
const COLUMNS = Object.entries(NAMES.columns).map(
  ([target, names]) => [target as RecordField, names.split(' ')] as const,
);
const METADATA = NAMES.metadata.split(' ');
const IS_URL = /^https?:\/\//i;

/**
 * For each field, a function that checks whether a value fits it. A column is suggested for a field only if
 * most of its values fit.
 */
const FITS: Partial<Record<RecordField, (text: string) => boolean>> = {
  price: (text) => isMoney(text),
  list_price: (text) => isMoney(text),
  buy_url: (text) => IS_URL.test(text),
  affiliate_url: (text) => IS_URL.test(text),
  image_url: (text) => IS_URL.test(text),
  gtin: (text) => gtinOf(text) !== null,
  rating: (text) => /^[0-5](?:\.\d+)?$/.test(text),
  currency: (text) => /^[A-Za-z]{3}$/.test(text),
};

/**
 * Suggests a map file for a feed, which a person who knows the feed should review.
 * @param rows the first rows of the feed.
 * @returns YAML. Comments in it list the columns that the map does not use.
 */
export function suggestMap(rows: readonly Record<string, unknown>[], source: string | null): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== '');
  const samples = new Map(columns.map((name) => [name, samplesOf(rows, name)]));
  const fields: FeedMap['fields'] = {};
  const used = new Set<string>();
  for (const [target, names] of COLUMNS) {
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
  const map: FeedMap = { ...decimal, fields, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) };
  const open = columns.filter((name) => !used.has(name));
  return [
    `# A suggestion, based on the first ${rows.length} rows. Review it, then try it: npm run ingest -- --dry-run --map FILE FEED`,
    stringify(map, { flowCollectionPadding: true }).trimEnd(),
    ...missing(fields),
    ...(commas > 0 && points > 0
      ? [
          `# Prices have decimals behind a comma (${commas}) and behind a point (${points}); those that do not match \`decimal\` are rejected.`,
        ]
      : []),
    ...(open.length === 0 ? [] : ['# These columns are not used; `rest: metadata` would store all of them:']),
    ...open.map(
      (name) => `#   ${JSON.stringify(name)}: ${JSON.stringify(samples.get(name)?.[0] ?? '').slice(0, 80)}`,
    ),
    '',
  ].join('\n');
}

/** Whether most values of a column fit a field. Some may not, such as the price `on request`. */
function mostly(texts: readonly string[], fits: (text: string) => boolean = () => true): boolean {
  return texts.length === 0 || texts.filter(fits).length > texts.length / 2;
}

/**
 * The columns that may fill a field, the likeliest first: those that have a name of the field, then those
 * whose names end with one, and for a price those whose names begin with one.
 */
function likely(columns: readonly string[], names: readonly string[], target: RecordField): string[] {
  const ways = [
    (column: string, name: string) => bare(column) === bare(name),
    (column: string, name: string) =>
      target !== 'source' && endOf(column) === name && foldName(column) !== name,
    (column: string, name: string) => target === 'price' && foldName(column).startsWith(`${name}_`),
  ];
  return ways.flatMap((fits) => names.flatMap((name) => columns.filter((column) => fits(column, name))));
}

const bare = (name: string): string => foldName(name).replaceAll('_', '');

const ALL_NAMES = COLUMNS.flatMap(([, names]) => names);

/** The longest known name with which a column ends: `Product image URL` is an `image_url`. */
function endOf(column: string): string | undefined {
  const folded = `_${foldName(column)}`;
  return ALL_NAMES.filter((name) => folded.endsWith(`_${name}`)).sort((a, b) => b.length - a.length)[0];
}

const missing = (fields: FeedMap['fields']): string[] =>
  (['sku', 'name'] as const)
    .filter((target) => fields[target] === undefined)
    .map((target) => `# fields.${target} is required, but no column was found for it.`)
    .concat(
      fields.price !== undefined && fields.currency === undefined
        ? ['# No column contains a currency: say --currency CODE, or prices cannot be compared with others.']
        : [],
    );

function ruleFor(target: RecordField, column: string, texts: readonly string[]): Rule {
  if (target === 'price' || target === 'list_price') return { from: column, money: 'amount' };
  if (target === 'description') return { from: column, html: true };
  if (target === 'category_path') return { from: column, split: separatorOf(texts) };
  if (target === 'last_checked') return { from: column, time: true };
  if (target !== 'is_available') return column;
  if (texts.some((text) => /^\d+$/.test(text) && Number(text) > 1)) return { from: column, stock: true };
  const words = [...new Set(texts.map((text) => text.toLowerCase().replace(/[\s_-]+/g, ' ')))].slice(0, 20);
  const pairs = NAMES.stock.filter((pair) => pair.some((word) => words.includes(word)));
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
  return rows.flatMap((cells) => textOf(new FeedRow(cells).get(name)) ?? []).slice(0, 1_000);
}

const isMoney = (text: string, decimals: ('.' | ',')[] = ['.', ',']): boolean =>
  decimals.some((decimal) => readMoney(text, decimal) !== null);
const isCommaMoney = (text: string): boolean => !isMoney(text, ['.']) && isMoney(text, [',']);
const isPointMoney = (text: string): boolean => isMoney(text, ['.']) && !isMoney(text, [',']);
const currencyOf = (text: string): string | null =>
  (readMoney(text, '.') ?? readMoney(text, ','))?.currency ?? null;
