import { isInCondition } from '../listing/condition.js';
import { totalUnits } from '../listing/delivery.js';
import { hasMistrustedPrice } from '../listing/usual-price.js';
import type { ListingInternals } from '../listing/listing.js';
import { comparePrices, type ExchangeRates, type MoneyUnits, moneyOf } from '../listing/rates.js';
import type { Condition } from '../schemas/condition.js';
import type { RankBy } from '../schemas/delivery.js';
import type { Product } from '../schemas/product.js';

/** The fields of a listing that decide its rank among the offers of one product. */
export type Buyable = Pick<Product, 'id' | 'price' | 'currency' | 'is_available'> & {
  internal: Pick<ListingInternals, 'flags' | 'delivery' | 'condition' | 'price_from'>;
};

/** Which prices are trusted when offers are ranked. */
export interface PriceTrust {
  /** Whether prices count as trusted even if the listing has a flag for a suspicious price. */
  includeFlagged?: boolean | undefined;
  /** The ids of further listings whose prices are not trusted, as `unlikelyOffers` returns them. */
  unlikely?: ReadonlySet<number>;
  /** The conditions of the goods of which the best offer is chosen; by default new ones. */
  conditions?: readonly Condition[] | undefined;
}

/** Whether an offer may be the best one: goods in another condition are not what is compared. */
export const mayBeBest = (offer: Pick<Buyable, 'internal'>, { conditions = ['new'] }: PriceTrust): boolean =>
  isInCondition(offer, conditions);

/**
 * Orders offers so that the best one to buy comes first: goods in a wanted condition first, then trusted prices, then plain
 * prices before "from" prices, then in stock (or unknown) before out of stock, then the lowest price in one currency, then the
 * lowest id. With the rank `total`, the price with delivery counts before the price; offers without a known one follow.
 */
export const byBestPrice =
  (rates: ExchangeRates, trust: PriceTrust = {}, rankBy: RankBy = 'price') =>
  (a: Buyable, b: Buyable): number =>
    buyRank(a, trust) - buyRank(b, trust) ||
    (rankBy === 'total' ? comparePrices(rates, totalOf(a, rates), totalOf(b, rates)) : 0) ||
    comparePrices(rates, moneyOf(a), moneyOf(b)) ||
    a.id - b.id;

function totalOf(offer: Buyable, rates: ExchangeRates): MoneyUnits | null {
  const units = totalUnits(offer, rates);
  return units === null ? null : { units, currency: offer.currency };
}

/** Returns why an offer ranks below the best one. `no_delivery_price`: only its price with delivery is unknown. */
export function outrankedBy(
  best: Buyable,
  other: Buyable,
  { rates, trust = {}, rankBy = 'price' }: { rates: ExchangeRates; trust?: PriceTrust; rankBy?: RankBy },
): 'flagged' | 'price_from' | 'out_of_stock' | 'dearer' | 'no_delivery_price' {
  if (isMistrusted(other, trust) && !isMistrusted(best, trust)) return 'flagged';
  if (isFromPrice(other) && !isFromPrice(best)) return 'price_from';
  if (other.is_available === false && best.is_available !== false) return 'out_of_stock';
  const isTotalUnknown = rankBy === 'total' && totalUnits(other, rates) === null;
  return isTotalUnknown && totalUnits(best, rates) !== null ? 'no_delivery_price' : 'dearer';
}

/** The rank of an offer before prices are compared; a lower rank is better. Another condition weighs most, no stock least. */
const buyRank = (listing: Buyable, trust: PriceTrust): number =>
  Number(listing.is_available === false) +
  (isFromPrice(listing) ? 2 : 0) +
  (isMistrusted(listing, trust) ? 4 : 0) +
  (mayBeBest(listing, trust) ? 0 : 8);

const isFromPrice = ({ internal }: Buyable): boolean => internal.price_from === true;

const isMistrusted = (
  { id, internal }: Buyable,
  { includeFlagged = false, unlikely = new Set() }: PriceTrust,
): boolean => !includeFlagged && (hasMistrustedPrice(internal) || unlikely.has(id));
