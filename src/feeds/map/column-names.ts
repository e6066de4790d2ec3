import { isCurrency } from '../../listing/currency.js';
import { foldValue } from '../../text/fold.js';
import { MARKET_WORDS, phrasesOfMarkets } from '../../text/market-words.js';
import type { RecordField } from './feed-map.js';
import { foldName } from './row.js';

/** Folds the name of a column, also its accents and its words in camel case. */
const folded = (name: string): string => foldValue(foldName(name.replace(/([a-z\d])([A-Z])/g, '$1_$2')));

const namesOf = (list: string): string[] => phrasesOfMarkets(list).map(({ phrase }) => phrase);
const foldedNames = (list: string): string[] => namesOf(list).map(folded);

const MINOR: ReadonlySet<string> = new Set(foldedNames('minor_columns'));
const CONTENTS: ReadonlySet<string> = new Set(foldedNames('contents_words'));

const OF_FIELD = 'field_';
/** The folded names of columns for each field, the likeliest first. */
export const COLUMNS: readonly (readonly [RecordField, readonly string[]])[] = [...MARKET_WORDS.keys()]
  .filter((list) => list.startsWith(OF_FIELD))
  .map((list) => {
    const target = list.slice(OF_FIELD.length) as RecordField;
    return [target, [...foldedNames(list), ...(target === 'price' ? MINOR : [])]];
  });
export const METADATA: readonly string[] = namesOf('metadata_columns');

const ALL_NAMES: ReadonlySet<string> = new Set(COLUMNS.flatMap(([, names]) => names));

/** Members that hold the value of the member around them: `price.amount` is a price, `item.brand.name` a brand. */
const HOLDS_VALUE = /^(.+)\.(?:amount|value|name|title|url|src|href|available|status|state|html|plain)$/i;

/** The name of a column as it is compared: folded, without the member that only holds its value. */
function plainName(name: string): string {
  const around = HOLDS_VALUE.exec(name)?.[1] ?? '';
  const isKnown = ALL_NAMES.has(folded(around.slice(around.lastIndexOf('.') + 1)));
  return folded(isKnown ? around : name);
}

const bare = (name: string): string => plainName(name).replaceAll('_', '');

const DELIVERY: ReadonlySet<string> = new Set(namesOf('delivery_columns').map(bare));
export const namesDelivery = (column: string): boolean => DELIVERY.has(bare(column));

/** Words of a column by which its amounts are not what the product costs. */
const OTHER_AMOUNT =
  /^(?:tax|vat)_|(?:^|_)(?:shipping|delivery|versand|discount|savings?|installments?|subscription|deposit|wholesale|purchase|micros|nanos)(?:_|$)/;

/** Matches the name of a column with prices without tax, such as `Price (tax excl.)`. Columns of prices with tax are preferred. */
const NET_AMOUNT = /(?:^|_)(?:exc|excl|excluding|ex|without|net|netto|ht)(?:_|$)/;

/** The columns that may fill a field, the likeliest first: by whole names, then by their ends and, for a price, their starts. */
export function likelyColumns(columns: readonly string[], names: readonly string[], target: RecordField) {
  const isPrice = target === 'price';
  const ways = [
    (column: string, name: string) => bare(column) === name.replaceAll('_', ''),
    (column: string, name: string) =>
      target !== 'source' && endOf(column) === name && plainName(column) !== name,
    (column: string, name: string) => isPrice && plainName(column).startsWith(`${name}_`),
  ];
  const open = isPrice ? columns.filter((column) => !OTHER_AMOUNT.test(plainName(column))) : columns;
  const likely = ways.flatMap((fits) => names.flatMap((name) => open.filter((column) => fits(column, name))));
  const isNet = (column: string) => isPrice && NET_AMOUNT.test(plainName(column));
  return likely.toSorted((a, b) => Number(isNet(a)) - Number(isNet(b)));
}

/** The longest known name with which a column ends: `Product image URL` is an `image_url`. */
function endOf(column: string): string | undefined {
  const parts = plainName(column).split('_');
  return parts.map((_, at) => parts.slice(at).join('_')).find((end) => ALL_NAMES.has(end));
}

/** Whether the name of a column states that its amounts are in minor units, such as cents. */
export const namesMinorUnits = (column: string): boolean => {
  const name = folded(column);
  return [...MINOR].some((minor) => name === minor || name.endsWith(`_${minor}`));
};

/** Whether the name of a column states what a product contains or weighs, so that its numbers are no stock. */
export const namesContents = (column: string): boolean =>
  folded(column)
    .split('_')
    .some((word) => CONTENTS.has(word));

/** Currency codes that are also words, so that a column names them only in capital letters. */
const WORDS: ReadonlySet<string> = new Set(['ALL', 'TOP', 'TRY', 'CUP', 'PEN', 'GEL', 'MOP', 'COP', 'SOS']);

/** The currency in the name of a column of prices: `Price EUR`, `price_usd`, `Price Europe [EUR]`; null if there is none. */
export function currencyInName(column: string): string | null {
  const codes = (column.match(/[A-Za-z]+/g) ?? []).filter((word) => {
    const code = word.toUpperCase();
    return code.length === 3 && isCurrency(code) && (word === code || !WORDS.has(code));
  });
  return codes.at(-1)?.toUpperCase() ?? null;
}

const PRICE_WORDS: ReadonlySet<string> = new Set(COLUMNS.find(([target]) => target === 'price')?.[1]);

/** Whether a column has the prices of one currency by its name: `Variant Price EUR`. */
export const namesPriceInCurrency = (column: string): boolean =>
  currencyInName(column) !== null &&
  !OTHER_AMOUNT.test(plainName(column)) &&
  plainName(column)
    .split('_')
    .some((word) => PRICE_WORDS.has(word));

/** Whether the columns are those of a product export of Medusa, which names the level of each column except of prices in version 1. */
export function areOfMedusa(columns: readonly string[]): boolean {
  const names = columns.map(foldName);
  return names.includes(foldName('Product Handle')) && names.some((name) => MEDUSA_VARIANT.has(name));
}

const MEDUSA_VARIANT: ReadonlySet<string> = new Set(
  ['Variant Id', 'Variant SKU', 'Variant Inventory Quantity'].map(foldName),
);
