import type { Product } from '../schemas/product.js';
import type { ListingInternals, StatedDelivery, StoredDelivery } from './listing.js';
import { formatUnits, smallestUnits, toUnits } from './price.js';
import { convert, type ExchangeRates } from './rates.js';

/** The fields of a listing on which its delivery price depends. */
export type Deliverable = Pick<Product, 'price' | 'currency'> & {
  internal: Pick<ListingInternals, 'delivery'>;
};

/** What a feed states about the delivery of a listing, with the delivery price that applies at its price. */
export function deliveryAt(
  { price, currency }: Pick<Product, 'price' | 'currency'>,
  stated: StatedDelivery | null | undefined,
): StoredDelivery | null {
  if (!stated) return null;
  const { price: delivery, currency: own, to, free_from } = stated;
  // A threshold in another currency is not compared with the price, because exchange rates change.
  const isComparable = own === null || own === currency;
  const isFree = free_from !== null && price !== null && isComparable && toUnits(price) >= toUnits(free_from);
  const units = isFree ? 0 : delivery === null ? null : toUnits(delivery);
  return { price: delivery, currency: own, to, free_from, units };
}

/** What the feed states about the delivery of a stored listing, in the form of a record. */
export function statedDelivery({ delivery }: Pick<ListingInternals, 'delivery'>): StatedDelivery | null {
  if (!delivery) return null;
  const { units: _, ...stated } = delivery;
  return stated;
}

/** The price with delivery in ten-thousandths of the listing's currency; null if one is unknown or cannot be converted. */
export function totalUnits(listing: Deliverable, rates: ExchangeRates): bigint | null {
  if (listing.price === null) return null;
  const added = deliveryUnits(listing, rates);
  return added === null ? null : BigInt(toUnits(listing.price)) + added;
}

/** Whether the delivery price of a listing is known and can be added to its price. */
export const hasDelivery = (listing: Deliverable, rates: ExchangeRates): boolean =>
  deliveryUnits(listing, rates) !== null;

const deliveryUnits = ({ currency, internal: { delivery } }: Deliverable, rates: ExchangeRates) =>
  typeof delivery?.units === 'number'
    ? convert(rates, delivery.units, delivery.currency ?? currency, currency, smallestUnits(currency))
    : null;

/** The members that `include=delivery` adds to a listing. */
export function deliveryMembers(
  listing: Partial<Pick<Product, 'price' | 'currency'>> & { internal?: Partial<ListingInternals> },
  rates: ExchangeRates,
) {
  const { price = null, currency = null } = listing;
  const delivery = listing.internal?.delivery ?? null;
  if (typeof delivery?.units !== 'number') return { delivery: null, total_price: null };
  const total = totalUnits({ price, currency, internal: { delivery } }, rates);
  const isStated = delivery.price !== null && toUnits(delivery.price) === delivery.units;
  return {
    delivery: {
      price: formatUnits(delivery.units, delivery.currency ?? currency),
      currency: delivery.currency ?? currency,
      to: delivery.to,
      basis: isStated ? ('stated' as const) : ('free_from' as const),
    },
    total_price: total === null ? null : formatUnits(total, currency),
  };
}
