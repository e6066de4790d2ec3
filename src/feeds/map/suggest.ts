import { parse, stringify } from 'yaml';
import { shippedText } from '../../platform/shipped-files.js';
import {
  areMostly,
  areSkus,
  columnByValues,
  type ColumnValues,
  columnValuesOf,
  currencyOf,
  examplesOf,
  FITS,
  isMoney,
} from './column-values.js';
import { isDeliveryPrice } from './delivery.js';
import type { FeedMap, Rule, RecordField } from './feed-map.js';
import { foldValue } from '../../text/fold.js';
import { foldName } from './row.js';

/** Folds the name of a column, also its accents. */
const plainName = (name: string): string => foldValue(foldName(name));

const NAMES = parse(shippedText('mappings/column-names.yaml')) as {
  columns: Partial<Record<RecordField, string>>;
  delivery: string;
  metadata: string;
  stock: [yes: string, no: string][];
};
const COLUMNS = Object.entries(NAMES.columns).map(
  ([target, names]) => [target as RecordField, names.split(' ').map(plainName)] as const,
);
const METADATA = NAMES.metadata.split(' ');
const DELIVERY = NAMES.delivery.split(' ');

/** The minimum share of the rows in which a column must have a value to be suggested for a field: a tenth. */
const MIN_FILL = 0.1;

/**
 * Suggests a map file for a feed, which a person who knows the feed should review.
 * @param rows the first rows of the feed.
 * @returns YAML. Comments in it list the columns that the map does not use.
 */
export function suggestMap(rows: readonly Record<string, unknown>[], source: string | null): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== '');
  const columns = names.map((name) => columnValuesOf(rows, name));
  const delivery = columns.find(isDelivery);
  const { fields, placed } = suggestFields(
    columns.filter((column) => column !== delivery),
    source,
  );
  if (fields.source === undefined) fields.source = { const: source ?? 'NAME_OF_THE_SHOP' };
  const metadata: Record<string, Rule> = {};
  const used = new Set([...placed.values(), ...(delivery === undefined ? [] : [delivery])]);
  for (const column of columns) {
    if (used.has(column) || !METADATA.includes(foldName(column.name))) continue;
    used.add(column);
    metadata[foldName(column.name)] = column.name;
  }
  const prices = placed.get('price')?.texts ?? [];
  const [commas, points] = [prices.filter(isCommaMoney).length, prices.filter(isPointMoney).length];
  const decimal = commas > points ? { decimal: ',' as const } : {};
  const map: FeedMap = {
    ...decimal,
    fields,
    ...(delivery === undefined ? {} : { delivery: { price: delivery.name } }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  const open = columns.filter((column) => !used.has(column));
  return [
    `# A suggestion, based on the names and values of the columns in the first ${rows.length} rows. Review it, then try it: npm run ingest -- --dry-run --map FILE FEED`,
    stringify(map, { flowCollectionPadding: true }).trimEnd(),
    ...missing(fields),
    ...(commas > 0 && points > 0
      ? [
          `# Prices have decimals after a comma (${commas}) and after a point (${points}); those that do not match \`decimal\` are rejected.`,
        ]
      : []),
    '# The columns of the fields, with examples and the share of the rows that have a value:',
    ...[...placed].map(([target, column]) => `#   ${target}: ${describeColumn(column)}`),
    ...(delivery === undefined ? [] : [`#   delivery: ${describeColumn(delivery)}`]),
    ...(open.length === 0
      ? []
      : [
          `# These columns are not used, because no field has such a name and such values, or because less than ${100 * MIN_FILL} % of the rows have a value. \`rest: metadata\` would store all of them:`,
        ]),
    ...open.map((column) => `#   ${describeColumn(column)}`),
    '',
  ].join('\n');
}

const isDelivery = (column: ColumnValues): boolean =>
  column.fill >= MIN_FILL &&
  DELIVERY.some((name) => bare(column.name) === bare(name)) &&
  areMostly(column, isDeliveryPrice);

const describeColumn = (column: ColumnValues): string =>
  `${JSON.stringify(column.name)}: ${column.texts.length === 0 ? 'no value' : examplesOf(column)} (${formatFill(column.fill)})`;

const formatFill = (fill: number): string =>
  fill > 0 && fill < 0.01 ? 'less than 1 %' : `${Math.floor(100 * fill)} %`;

/** Suggests a column for each field: by name and values, and for fields without such a column, by values alone. */
function suggestFields(columns: readonly ColumnValues[], source: string | null) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const names = columns.filter(({ fill }) => fill >= MIN_FILL).map(({ name }) => name);
  const placed = new Map<RecordField, ColumnValues>();
  const fields: FeedMap['fields'] = {};
  const place = (target: RecordField, column: ColumnValues | undefined) => {
    if (column === undefined) return;
    placed.set(target, column);
    fields[target] = ruleFor(target, column.name, column.texts);
    if (target === 'price' && fields.currency === undefined && areMostly(column, hasCurrency, 0))
      fields.currency = { from: column.name, money: 'currency' };
  };
  const isUsed = (column: ColumnValues) => [...placed.values()].includes(column);
  for (const [target, likelyNames] of COLUMNS) {
    if (target === 'source' && source !== null) continue;
    const candidates = likely(names, likelyNames, target).flatMap((name) => byName.get(name) ?? []);
    const fits = FITS[target];
    place(
      target,
      candidates.find(
        (column) =>
          !isUsed(column) &&
          (target !== 'sku' || areSkus(column)) &&
          (fits === undefined || areMostly(column, fits)),
      ),
    );
  }
  for (const [target] of COLUMNS) {
    if (fields[target] !== undefined) continue;
    // The GTIN may be the SKU, too.
    const mayShare = (column: ColumnValues) => target === 'gtin' && column === placed.get('sku');
    const open = columns.filter((column) => column.fill >= MIN_FILL && (!isUsed(column) || mayShare(column)));
    place(target, columnByValues(target, open));
  }
  return { fields, placed };
}

const hasCurrency = (text: string): boolean => currencyOf(text) !== null;

/**
 * The columns that may fill a field, the likeliest first: those that have a name of the field, then those
 * whose names end with one, and for a price those whose names begin with one.
 */
function likely(columns: readonly string[], names: readonly string[], target: RecordField): string[] {
  const ways = [
    (column: string, name: string) => bare(column) === bare(name),
    (column: string, name: string) =>
      target !== 'source' && endOf(column) === name && plainName(column) !== name,
    (column: string, name: string) => target === 'price' && plainName(column).startsWith(`${name}_`),
  ];
  return ways.flatMap((fits) => names.flatMap((name) => columns.filter((column) => fits(column, name))));
}

const bare = (name: string): string => plainName(name).replaceAll('_', '');

const ALL_NAMES = COLUMNS.flatMap(([, names]) => names);

/** The longest known name with which a column ends: `Product image URL` is an `image_url`. */
function endOf(column: string): string | undefined {
  const folded = `_${plainName(column)}`;
  return ALL_NAMES.filter((name) => folded.endsWith(`_${name}`)).sort((a, b) => b.length - a.length)[0];
}

const missing = (fields: FeedMap['fields']): string[] =>
  (['sku', 'name'] as const)
    .filter((target) => fields[target] === undefined)
    .map((target) =>
      target === 'sku'
        ? '# fields.sku is required, but no column was found for it that has a value in each row and none of them twice.'
        : `# fields.${target} is required, but no column was found for it.`,
    )
    .concat(
      fields.price !== undefined && fields.currency === undefined
        ? [
            '# No column contains a currency: specify --currency CODE, or prices cannot be compared with others.',
          ]
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

const isCommaMoney = (text: string): boolean => !isMoney(text, ['.']) && isMoney(text, [',']);
const isPointMoney = (text: string): boolean => isMoney(text, ['.']) && !isMoney(text, [',']);
