import { PARENT } from '../read/nested-records.js';
import { stringify } from 'yaml';
import { isCurrency } from '../../listing/currency.js';
import {
  areOfMedusa,
  COLUMNS,
  currencyInName,
  likelyColumns,
  METADATA,
  namesContents,
  namesDelivery,
  namesMinorUnits,
} from './column-names.js';
import { STOCK_PAIRS } from './stock-words.js';
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
import { elementsOf, foldName, memberNames } from './row.js';

/** The minimum share of the rows in which a column must have a value to be suggested for a field: a tenth. */
const MIN_FILL = 0.1;

/** Suggests a map file for the first rows of a feed. @param currency selects among columns with prices in several currencies. */
export function suggestMap(given: readonly Row[], source: string | null, currency: string | null = null) {
  const each = listingsMember(given);
  const rows = each === undefined ? given : given.flatMap((row) => elementsOf(row, each));
  const names = [...new Set(rows.flatMap((row) => memberNames(row)))].filter((name) => name !== '');
  const columns = names.map((name) => columnValuesOf(rows, name));
  const delivery = columns.find(isDelivery);
  const { fields, placed, notes } = suggestFields(
    columns.filter((column) => column !== delivery),
    source,
    currency,
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
  const map: FeedMap = {
    ...(each !== undefined && { each }),
    ...(commas > points && { decimal: ',' as const }),
    fields,
    ...(delivery !== undefined && { delivery: { price: delivery.name } }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  const open = columns.filter((column) => !used.has(column));
  const lines = [
    `# A suggestion, based on the names and values of the columns in the first ${rows.length} rows. Review it, then try it: npm run ingest -- --dry-run --map FILE FEED`,
    stringify(map, { flowCollectionPadding: true }).trimEnd(),
    areOfMedusa(names) &&
      '# These are the columns of a product export of Medusa, which --as medusa --currency CODE reads without a map.',
    ...missing(fields),
    ...notes,
    commas > 0 &&
      points > 0 &&
      `# Prices have decimals after a comma (${commas}) and after a point (${points}); those that do not match \`decimal\` are rejected.`,
    '# The columns of the fields, with examples and the share of the rows that have a value:',
    ...[...placed].map(([target, column]) => `#   ${target}: ${describeColumn(column)}`),
    delivery !== undefined && `#   delivery: ${describeColumn(delivery)}`,
    open.length > 0 &&
      `# These columns are not used, because no field has such a name and such values, or because less than ${100 * MIN_FILL} % of the rows have a value. \`rest: metadata\` would store all of them:`,
    ...open.map((column) => `#   ${describeColumn(column)}`),
  ];
  const yaml = lines.flatMap((line) => (line === false ? [] : `${line}\n`)).join('');
  const needed = ['sku', 'name', 'price'] as const;
  return {
    /** The map with comments that list the columns that it does not use. */
    yaml,
    /** The fields that a useful map should have, but for which the feed has no suitable column. */
    missing: needed.filter((target) => fields[target] === undefined),
  };
}

const isDelivery = (column: ColumnValues): boolean =>
  column.fill >= MIN_FILL && namesDelivery(column.name) && areMostly(column, isDeliveryPrice);

const describeColumn = (column: ColumnValues): string =>
  `${JSON.stringify(column.name)}: ${column.texts.length === 0 ? 'no value' : examplesOf(column)} (${formatFill(column.fill)})`;

const formatFill = (fill: number): string =>
  fill > 0 && fill < 0.01 ? 'less than 1 %' : `${Math.floor(100 * fill)} %`;

/** Suggests a column for each field: by name and values, and for fields without such a column, by values alone. */
function suggestFields(columns: readonly ColumnValues[], source: string | null, currency: string | null) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const names = columns.filter(({ fill }) => fill >= MIN_FILL).map(({ name }) => name);
  const placed = new Map<RecordField, ColumnValues>();
  const fields: FeedMap['fields'] = {};
  const notes: string[] = [];
  const place = (target: RecordField, column: ColumnValues | undefined) => {
    if (column === undefined) return;
    placed.set(target, column);
    const mayBeMinor = PRICES.has(target) && mayBeMinorUnits(column, columns);
    const fractions = column.texts.filter((text) => !isWhole(text));
    const isMinor = mayBeMinor && fractions.length === 0;
    if (mayBeMinor && fractions.length > 0 && areMostly(column, isWhole))
      notes.push(
        `# fields.${target} is read as amounts, because some have decimals (${fractions.slice(0, 3).map(quoteShort).join(', ')}). The whole ones may be minor units of the currency, such as cents, and then a hundred times too high: compare them with the shop.`,
      );
    fields[target] = isMinor
      ? { from: column.name, money: 'minor' }
      : ruleFor(target, column.name, column.texts);
    if (isMinor)
      notes.push(
        `# fields.${target} is read as whole minor units of the currency, such as cents. If it is not: money: amount.`,
      );
    if (target !== 'price' || fields.currency !== undefined) return;
    const beside = areMostly(column, hasCurrency, 0) ? undefined : memberBeside(column, columns);
    if (beside !== undefined) placed.set('currency', beside);
    const rule = beside?.name ?? statedCurrency(column);
    if (rule !== undefined) fields.currency = rule;
  };
  const isUsed = (column: ColumnValues) => [...placed.values()].includes(column);
  let usualPrices: readonly ColumnValues[] = [];
  for (const [target, likelyNames] of COLUMNS) {
    if (fields[target] !== undefined || (target === 'source' && source !== null)) continue;
    const candidates = likelyColumns(names, likelyNames, target)
      .flatMap((name) => byName.get(name) ?? [])
      .filter((column) => !isUsed(column) && fitsField(target, column, columns));
    const inCurrency = (column: ColumnValues) => currencyInName(column.name) === currency;
    place(target, (currency !== null && candidates.find(inCurrency)) || candidates[0]);
    if (target === 'price') usualPrices = candidates.slice(1);
    const others = candidates.slice(1).filter(({ name }) => currencyInName(name) !== null);
    if (target === 'price' && others.length > 0)
      notes.push(
        `# The feed has columns for several prices: ${[...new Set(candidates)].map(({ name }) => JSON.stringify(name)).join(', ')}. --currency CODE selects one.`,
      );
  }
  for (const [target] of COLUMNS) {
    if (fields[target] !== undefined) continue;
    // The column of the SKU may also be that of the GTIN.
    const mayShare = (column: ColumnValues) => target === 'gtin' && column === placed.get('sku');
    const open = columns.filter((column) => column.fill >= MIN_FILL && (!isUsed(column) || mayShare(column)));
    place(target, columnByValues(target, open));
  }
  const [sale, list] = [placed.get('price'), placed.get('list_price')];
  const usual = [...usualPrices, ...(list === undefined ? [] : [list])].find(
    ({ fill, name }) =>
      sale !== undefined && fill > sale.fill && currencyInName(name) === currencyInName(sale.name),
  );
  if (sale !== undefined && usual !== undefined && isOfAmounts(fields.price)) {
    Object.assign(fields, readBlankSales(sale.name, usual.name, fields.currency));
    if (list === undefined) place('list_price', usual);
  }
  return { fields, placed, notes };
}

/** Rules that read the usual price of rows without a reduction, which leave the column of the sale price blank. */
const readBlankSales = (sale: string, usual: string, currency: Rule | undefined): FeedMap['fields'] => ({
  price: [
    { from: sale, below: usual, money: 'amount' },
    { from: usual, money: 'amount' },
  ],
  ...(typeof currency === 'object' &&
    'money' in currency && { currency: { ...currency, from: [sale, usual] } }),
});

const isOfAmounts = (rule: Rule | undefined): boolean =>
  typeof rule === 'object' && !Array.isArray(rule) && rule.money === 'amount';

type Row = Readonly<Record<string, unknown>>;

const PRICES: ReadonlySet<RecordField> = new Set(['price', 'list_price']);

/** Whether a column may be proposed for a field. Whole units with their decimals in a column `nanos` are no price alone. */
function fitsField(target: RecordField, column: ColumnValues, columns: readonly ColumnValues[]): boolean {
  if (target === 'sku') return areSkus(column);
  if (target === 'is_available' && isContents(column, columns)) return false;
  if (PRICES.has(target) && columns.some(({ name }) => isBeside(name, column) && /\.nanos$/i.test(name)))
    return false;
  const fits = FITS[target];
  return fits === undefined || areMostly(column, fits);
}

/** Matches columns with a unit of measure. In a feed with such a column, `quantity` is the content, and not the stock. */
const IS_UNIT_COLUMN = /^(?:unit|units|uom|unit_of_measure|einheit|jedinica|jednotka)$/;
const IS_UNIT = /^(?:m?g|kg|gr|gram(?:s|m)?|[cmd]?l|lit(?:er|re)s?|oz|lbs?|[cm]?m)$/i;

const isContents = ({ name }: ColumnValues, columns: readonly ColumnValues[]): boolean =>
  namesContents(name) ||
  (/^(?:quantity|qty)$/.test(foldName(name)) &&
    columns.some(
      (other) => IS_UNIT_COLUMN.test(foldName(other.name)) && areMostly(other, (text) => IS_UNIT.test(text)),
    ));

/** The member with the listings of a product, such as `variants`: a list of objects with a price that the product lacks. */
function listingsMember(rows: readonly Row[]): string | undefined {
  const priceNames = COLUMNS.find(([target]) => target === 'price')?.[1] ?? [];
  const hasPrice = (row: Row, depth?: number) =>
    likelyColumns(memberNames(row, depth), priceNames, 'price').length > 0;
  if (rows.some((row) => hasPrice(row, 1))) return undefined;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.find((name) => {
    const holders = rows.filter((row) => Array.isArray(row[name]));
    const elements = holders.flatMap((row) => elementsOf(row, name).map(({ [PARENT]: _, ...one }) => one));
    return holders.length > rows.length / 2 && elements.length > 0 && elements.every((one) => hasPrice(one));
  });
}

/** The currency in the values or in the name of a column of prices. */
function statedCurrency(column: ColumnValues): Rule | undefined {
  if (areMostly(column, hasCurrency, 0)) return { from: column.name, money: 'currency' };
  const named = currencyInName(column.name);
  return named === null ? undefined : { const: named };
}

/** The column of the currency in the same object as an amount: `price.currency` for `price.amount`. */
const memberBeside = ({ name }: ColumnValues, columns: readonly ColumnValues[]): ColumnValues | undefined => {
  const around = aroundOf(name);
  return around === ''
    ? undefined
    : columns.find(
        (other) =>
          other.name.startsWith(around) &&
          /currency/i.test(other.name.slice(around.length)) &&
          areMostly(other, (text) => isCurrency(text.toUpperCase())),
      );
};

/** If whole numbers beside a currency usually reach this amount, they are probably minor units: 100 is 1.00 of most currencies. */
const MIN_USUAL_MINOR = 100;

const isWhole = (text: string): boolean => /^\d+$/.test(text);
const quoteShort = (text: string): string => JSON.stringify(text.slice(0, 20).toWellFormed());

/** Whether whole amounts are probably in minor units: by the name, a column of decimals, Medusa 1, or a currency beside `amount`. */
function mayBeMinorUnits(column: ColumnValues, columns: readonly ColumnValues[]): boolean {
  if (namesMinorUnits(column.name) || isOfMedusa1(column, columns)) return true;
  const decimals = columns.find(({ name }) => isBeside(name, column) && IS_DECIMALS_COLUMN.test(name));
  if (decimals !== undefined) return decimals.texts.some((text) => /^[1-4]$/.test(text));
  const amounts = column.texts
    .filter(isWhole)
    .map(Number)
    .toSorted((a, b) => a - b);
  const usual = amounts[Math.floor(amounts.length / 2)] ?? 0;
  return (
    /\.amount$/i.test(column.name) && memberBeside(column, columns) !== undefined && usual >= MIN_USUAL_MINOR
  );
}

/** A column with the number of decimals in whole amounts: `currency_minor_unit` of WooCommerce, `fractionDigits`. */
const IS_DECIMALS_COLUMN = /(?:minor_?units?|fraction_?digits)$/i;

/** Whether two columns are members of the same object. */
const isBeside = (name: string, { name: of }: ColumnValues): boolean => aroundOf(name) === aroundOf(of);
const aroundOf = (name: string): string => name.slice(0, name.lastIndexOf('.') + 1);

/** Whether a column has the prices of an export of Medusa 1: `Price EUR`, which is `Variant Price EUR` in version 2. */
const isOfMedusa1 = ({ name }: ColumnValues, columns: readonly ColumnValues[]): boolean =>
  /^price\b/i.test(name.trim()) &&
  currencyInName(name) !== null &&
  areOfMedusa(columns.map((one) => one.name));

const hasCurrency = (text: string): boolean => currencyOf(text) !== null;

const missing = ({ sku, name, price, currency }: FeedMap['fields']) => [
  sku === undefined &&
    '# fields.sku is required, but no column was found for it that has a value in each row and none of them twice.',
  name === undefined && '# fields.name is required, but no column was found for it.',
  price !== undefined &&
    currency === undefined &&
    '# No column contains a currency: specify --currency CODE, or prices cannot be compared with others.',
];

function ruleFor(target: RecordField, column: string, texts: readonly string[]): Rule {
  if (target === 'price' || target === 'list_price') return { from: column, money: 'amount' };
  if (target === 'description') return { from: column, html: true };
  if (target === 'category_path') return { from: column, split: separatorOf(texts) };
  if (target === 'last_checked') return { from: column, time: true };
  if (target !== 'is_available') return column;
  if (texts.some((text) => /^\d+(?:\.0+)?$/.test(text) && Number(text) > 1))
    return { from: column, stock: true };
  const words = [...new Set(texts.map((text) => text.toLowerCase().replace(/[\s_-]+/g, ' ')))].slice(0, 20);
  const pairs = STOCK_PAIRS.filter((pair) => pair.some((word) => words.includes(word)));
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
