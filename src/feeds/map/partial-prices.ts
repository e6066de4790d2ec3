import { readShownPrice } from '../../listing/shown-price.js';
import type { FeedMap } from './feed-map.js';
import { isSameAmount } from './prices.js';
import { FeedRow, textOf } from './row.js';

type PartialPrices = NonNullable<FeedMap['partial']>;

export const partialColumns = ({ subscription = [], installment = [], price = [] }: PartialPrices = {}) =>
  [subscription, installment, price].flat();

/**
 * The reason for which the price of a row is not that of the product: with a subscription it is only what is due at once,
 * it may be a single installment, and some feeds state only such a price.
 * @param price the amount of the price; undefined if the row states none.
 */
export function partialReason(
  { subscription = [], installment = [], price: other = [] }: PartialPrices,
  row: FeedRow,
  price: string | undefined,
): string | undefined {
  const filled = (columns: string | string[]) =>
    [columns].flat().find((column) => row.get(column) !== undefined);
  const bound = filled(subscription);
  if (bound !== undefined)
    return `is only what is due at once, because ${bound} states what is paid again and again`;
  if (filled(other) !== undefined)
    return 'is only stated for a period, an installment, a unit, some customers, delivery or payment, or as a range, not for the product';
  const isPart = [installment]
    .flat()
    .flatMap((column) => [row.get(column)].flat().flatMap(amountsOf))
    .some((amount) => price !== undefined && isSameAmount(amount, price));
  return isPart ? 'is a single installment or the down payment, not the price of the product' : undefined;
}

/** The amounts of an installment plan: `months:amount:downpayment:credit type`, or an object with these members. */
function amountsOf(plan: unknown): string[] {
  const parts =
    typeof plan === 'object' && plan !== null
      ? ['amount', 'downpayment'].map((name) => new FeedRow(plan as Record<string, unknown>).text(name))
      : (textOf(plan)?.split(':').slice(1) ?? []);
  return parts.flatMap((part = '') => {
    const money = readShownPrice(part, { decimal: 'either' });
    return 'reason' in money ? [] : money.amount;
  });
}
