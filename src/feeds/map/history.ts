import { readShownPrice } from '../../listing/shown-price.js';
import { parseJson } from '../../platform/parse-json.js';
import { type AmountContext, contradicts, quoteAmount, unreadReason } from './money.js';
import { FeedRow, textOf, UnreadableValue } from './row.js';
import { canonicalTime } from './time.js';

type Entry = Record<string, unknown>;

/** Converts the entries of a price history in a cell: a list of objects, or the JSON text of one. Other values stay as they are. */
function mapEntries(value: unknown, convert: (entry: Entry) => unknown): unknown {
  const isJson = typeof value === 'string' && value.trimStart().startsWith('[');
  const entries = isJson ? (parseJson(value) ?? value) : value;
  if (!Array.isArray(entries)) return entries;
  return entries.map((one: unknown) =>
    typeof one === 'object' && one !== null ? convert(one as Entry) : one,
  );
}

/** Renames the members of the entries of a price history to `price` and `at`. */
export const renamedEntries = (value: unknown, names: { price: string; at: string }): unknown =>
  mapEntries(value, (entry) => {
    const row = new FeedRow(entry);
    return { price: row.get(names.price), at: row.get(names.at) };
  });

/** Reads the prices and times in the entries of a price history. @throws UnreadableValue for the first price that cannot be read. */
export const readHistory = (
  value: unknown,
  { currency, decimal, isDecimalCertain = false, timezone }: AmountContext & { timezone: string },
): unknown =>
  mapEntries(value, (entry) => {
    const { price, at } = entry;
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
