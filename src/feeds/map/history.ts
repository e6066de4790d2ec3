import { readShownPrice } from '../../listing/shown-price.js';
import { parseJson } from '../../platform/parse-json.js';
import { type AmountContext, contradicts, quoteAmount, unreadReason } from './money.js';
import { FeedRow, textOf, UnreadableValue } from './row.js';
import { canonicalTime } from './time.js';

/** The entries of a price history in a cell: a list of objects, or the JSON text of one. Other values stay as they are. */
export function entriesOf(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return value;
  return parseJson(value) ?? value;
}

/** Renames the members of the entries of a price history to `price` and `at`. */
export function renamedEntries(value: unknown, names: { price: string; at: string }): unknown {
  const entries = entriesOf(value);
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    const row = new FeedRow(entry as Record<string, unknown>);
    return { price: row.get(names.price), at: row.get(names.at) };
  });
}

/**
 * Reads the prices and times in the entries of a price history as those of other fields are read. What is no list of
 * objects stays as it is, and validation refuses it.
 * @throws UnreadableValue for the first price that cannot be read.
 */
export function readHistory(
  value: unknown,
  { currency, decimal, isDecimalCertain = false, timezone }: AmountContext & { timezone: string },
): unknown {
  const entries = entriesOf(value);
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    const { price, at } = entry as Record<string, unknown>;
    const time = canonicalTime(textOf(at) ?? '', timezone) ?? at;
    if (typeof price !== 'string') return { ...entry, at: time };
    const money = readShownPrice(price, { decimal, isCertain: isDecimalCertain, usual: currency });
    if ('reason' in money) throw new UnreadableValue(unreadReason(price, money));
    if (currency !== undefined && contradicts(money, currency))
      throw new UnreadableValue(
        `${quoteAmount(price)} is not in the currency of the listing, ${currency.slice(0, 10)}`,
      );
    if (money.isFrom) throw new UnreadableValue(`${quoteAmount(price)} is a "from" price`);
    return { ...entry, at: time, price: money.amount };
  });
}
