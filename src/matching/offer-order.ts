import { hasMistrustedPrice } from '../listing/flags.js';
import type { ListingInternals, StoredListing } from '../listing/listing.js';
import { comparePrices, type ExchangeRates } from '../listing/rates.js';
import { isPlaceholder, usualPrice } from '../listing/price-statistics.js';
import type { Product } from '../schemas/product.js';
import { moneyOf, toCandidate } from './stored-matches.js';

/** The fields of a listing that decide where it stands among offers. */
export type Buyable = Pick<Product, 'id' | 'price' | 'currency' | 'is_available'> & {
  internal: Pick<ListingInternals, 'flags'>;
};

/** Which prices are not trusted. */
export interface PriceTrust {
  /** Whether prices are trusted although they are flagged. */
  includeFlagged?: boolean | undefined;
  /** The ids of further listings whose prices are not trusted, from `placeholderOffers`. */
  placeholders?: ReadonlySet<number>;
}

/**
 * Orders offers by which one to buy: trusted prices first, then in stock (or unknown) before out of stock, then the lowest
 * price in one currency, then the lowest id.
 */
export const byBestPrice =
  (rates: ExchangeRates, trust: PriceTrust = {}) =>
  (a: Buyable, b: Buyable): number =>
    buyRank(a, trust) - buyRank(b, trust) || comparePrices(rates, moneyOf(a), moneyOf(b)) || a.id - b.id;

/** Why an offer stands behind the best one in that order. */
export function outrankedBy(
  best: Buyable,
  other: Buyable,
  trust: PriceTrust = {},
): 'flagged' | 'out_of_stock' | 'dearer' {
  if (isMistrusted(other, trust) && !isMistrusted(best, trust)) return 'flagged';
  return other.is_available === false && best.is_available !== false ? 'out_of_stock' : 'dearer';
}

/** A product that is out of stock may return. A price that is not trusted may never have been valid, so it ranks behind. */
const buyRank = (listing: Buyable, trust: PriceTrust): number =>
  Number(listing.is_available === false) + (isMistrusted(listing, trust) ? 2 : 0);

const isMistrusted = (
  { id, internal }: Buyable,
  { includeFlagged = false, placeholders = new Set() }: PriceTrust,
): boolean => !includeFlagged && (hasMistrustedPrice(internal) || placeholders.has(id));

/** The ids of offers whose price is a placeholder compared with the other offers, such as a raffle ticket for a phone. */
export function placeholderOffers(offers: readonly StoredListing[], rates: ExchangeRates): Set<number> {
  const currency = offers[0]?.currency ?? null;
  const priced = offers.flatMap((offer) => {
    const price = toCandidate(offer, currency, rates).comparablePrice;
    return price === null ? [] : [{ id: offer.id, source: offer.source, price }];
  });
  const usual = usualPrice(priced);
  if (usual === null) return new Set();
  return new Set(priced.filter(({ price }) => isPlaceholder(price, usual.price)).map(({ id }) => id));
}
