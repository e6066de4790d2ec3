import { isCurrency } from '../../listing/currency.js';
import { gtinOf } from '../../listing/gtin.js';
import { readShownPrice } from '../../listing/shown-price.js';
import { STOCK_PAIRS } from './stock-words.js';
import type { RecordField } from './feed-map.js';
import { FeedRow, textOf } from './row.js';
import { readTime } from './time.js';

/** What the first rows of a feed show about one column. */
export interface ColumnValues {
  name: string;
  /** The values that are not blank, as text. */
  texts: readonly string[];
  /** The share of the rows in which the column is not blank, from 0 to 1. */
  fill: number;
  isUnique: boolean;
}

export function columnValuesOf(rows: readonly Record<string, unknown>[], name: string): ColumnValues {
  const texts = rows.flatMap((cells) => textOf(new FeedRow(cells).get(name)) ?? []);
  return { name, texts, fill: texts.length / rows.length, isUnique: new Set(texts).size === texts.length };
}

/** Up to three different examples of the values of a column, each with at most 60 characters. */
export const examplesOf = ({ texts }: ColumnValues): string =>
  [...new Set(texts)]
    .slice(0, 3)
    .map((text) => JSON.stringify(text.slice(0, 60).toWellFormed()))
    .join(', ');

/** Whether more than a share of the values pass a test. */
export const areMostly = ({ texts }: ColumnValues, test: (text: string) => boolean, share = 0.5): boolean =>
  texts.length > 0 && texts.filter(test).length > texts.length * share;

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);
const isPicture = (text: string): boolean =>
  isUrl(text) && /\.(?:jpe?g|png|webp|gif|avif|svg)(?:[?#]|$)/i.test(text);
const isWords = (text: string): boolean => /\p{L}/u.test(text) && !isUrl(text);

/** Whether a text is an amount of money, with one of the decimal separators. */
export const isMoney = (text: string, decimals: ('.' | ',')[] = ['.', ',']): boolean =>
  decimals.some((decimal) => 'amount' in readShownPrice(text, { decimal, isCertain: true }));

/** The currency that a text states; null for codes such as `FAM12`, whose letters are no currency. */
export function currencyOf(text: string): string | null {
  const read = (['.', ','] as const).map((decimal) => readShownPrice(text, { decimal }));
  return read.flatMap((money) => ('reason' in money ? [] : [money.currency]))[0] ?? null;
}

/** Whether a text is a number with a unit or with decimals, and therefore not a number of pieces in stock. */
const isMeasure = (text: string): boolean =>
  /^\d+(?:[.,]\d+)?\s?(?:m?g|kg|gr|grams?|[cmd]?l|oz|lbs?|[cm]?m)$/i.test(text) ||
  (/^\d+[.,]\d+$/.test(text) && !/[.,]0+$/.test(text));

/** The maximum length of a word for availability, such as `lieferbar in 3 Tagen`. */
const MAX_STOCK_WORD = 30;

/** For each field, whether a value can be one of the field. Columns are suggested by name only if most of their values can. */
export const FITS: Partial<Record<RecordField, (text: string) => boolean>> = {
  name: isWords,
  brand: isWords,
  category_path: isWords,
  price: (text) => isMoney(text),
  list_price: (text) => isMoney(text),
  buy_url: isUrl,
  affiliate_url: isUrl,
  image_url: isUrl,
  gtin: (text) => gtinOf(text) !== null,
  rating: (text) => /^[0-5](?:\.\d+)?$/.test(text),
  currency: (text) => /^[A-Za-z]{3}$/.test(text),
  is_available: (text) => !isUrl(text) && text.length <= MAX_STOCK_WORD && !isMeasure(text),
  last_checked: (text) => readTime(text, 'UTC') !== null,
};

/** The minimum number of values for a suggestion by values alone, because fewer may fit by chance. */
const MIN_VALUES = 5;

/** Matches a part of a column name that is typical of identifiers. */
const NAMES_AN_IDENTIFIER = /(?:^|[^a-z])(?:sku|id|code|number|no|nr|ref|key)(?:$|[^a-z])/i;

/** Words that state the availability, whatever the name of their column. Short words, such as `no`, may state anything. */
const STOCK_WORDS: ReadonlySet<string> = new Set(
  [...STOCK_PAIRS.flat(), 'backorder', 'preorder'].filter(
    (word) => word.length > 5 || /[\p{Script=Han}\p{Script=Thai}\p{Script=Hangul}]/u.test(word),
  ),
);

const almostAll = (values: ColumnValues, test: (text: string) => boolean): boolean =>
  values.texts.length >= MIN_VALUES && areMostly(values, test, 0.9);

const distinctShare = ({ texts }: ColumnValues): number => new Set(texts).size / texts.length;
const meanLength = ({ texts }: ColumnValues): number =>
  texts.reduce((sum, { length }) => sum + length, 0) / texts.length;

/** Whether the values of a column can be the SKUs of a feed: every row has one, and none occurs twice. */
export const areSkus = (values: ColumnValues): boolean =>
  values.fill === 1 &&
  values.isUnique &&
  values.texts.every((text) => text.length <= 64 && !isUrl(text) && !/\s.*\s/.test(text));

/** Finds the column whose values alone show that it belongs to a field. The values of some fields, such as the brand, never do. */
export function columnByValues(target: RecordField, columns: readonly ColumnValues[]) {
  const find = (test: (text: string) => boolean) => columns.find((values) => almostAll(values, test));
  switch (target) {
    case 'sku': {
      const unique = columns.filter((values) => values.texts.length >= MIN_VALUES && areSkus(values));
      const isOther = (text: string) => isPrice(text) || gtinOf(text) !== null;
      return (
        unique.find(({ name }) => NAMES_AN_IDENTIFIER.test(name)) ??
        unique.find((values) => !areMostly(values, isOther)) ??
        unique.find((values) => !areMostly(values, isPrice))
      );
    }
    case 'name': {
      const names = columns.filter(
        (values) => almostAll(values, isWords) && distinctShare(values) > 0.8 && meanLength(values) <= 150,
      );
      return names
        .toSorted((a, b) => meanLength(b) - meanLength(a))
        .find((values) => meanLength(values) >= 10);
    }
    case 'gtin':
      return find((text) => text.length >= 12 && gtinOf(text) !== null);
    case 'image_url':
      return find(isPicture);
    case 'buy_url':
      return columns.find(
        (values) =>
          almostAll(values, (text) => isUrl(text) && !isPicture(text)) && distinctShare(values) > 0.5,
      );
    case 'price':
      return find((text) => currencyOf(text) !== null) ?? find(isPrice);
    case 'currency':
      return find(isCurrency);
    case 'is_available':
      return find((text) => STOCK_WORDS.has(text.toLowerCase().replace(/[\s_-]+/g, ' ')));
    default:
      return undefined;
  }
}

/** Whether a text is an amount with exactly two decimals. */
const isPrice = (text: string): boolean => /[.,]\d\d\D*$/.test(text) && isMoney(text);
