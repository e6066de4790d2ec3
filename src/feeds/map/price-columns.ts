import { FeedError } from '../read/item.js';
import { namesPriceInCurrency } from './column-names.js';
import type { Rule } from './feed-map.js';
import { foldName } from './row.js';
import { ruleColumns } from './rule.js';

/**
 * Checks that a feed with prices per currency has a column that the map reads, because otherwise each listing would lose its
 * price.
 * @param names the columns of the feed.
 * @throws FeedError that names the columns of prices in the feed.
 */
export function checkPriceColumns(rule: Rule | undefined, names: readonly string[]): void {
  const read = rule === undefined ? [] : ruleColumns(rule);
  const has = new Set(names.map(foldName));
  const isThere = (column: string) =>
    [column, column.split('.')[0] ?? ''].map(foldName).some((one) => has.has(one));
  if (read.length === 0 || read.some(isThere)) return;
  const priced = names.filter(namesPriceInCurrency);
  if (priced.length === 0) return;
  const quoted = (columns: readonly string[]) =>
    [...new Set(columns)]
      .slice(0, MAX_NAMED)
      .map((name) => JSON.stringify(name.slice(0, 60).toWellFormed()))
      .join(', ');
  throw new FeedError(
    `The price is read from ${quoted(read)}, which the feed does not have. Its columns of prices are ${quoted(priced)}: specify the currency of one of them with --currency, or name one in a map (--suggest-map writes one).`,
  );
}

/** The maximum number of columns that an error names. */
const MAX_NAMED = 20;
