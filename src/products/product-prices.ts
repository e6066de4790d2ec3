import { hasMistrustedPrice } from '../listing/usual-price.js';
import type { StoredListing } from '../listing/listing.js';
import { formatUnits, smallestUnits, toUnits } from '../listing/price.js';
import { convert, type ExchangeRates } from '../listing/rates.js';
import { type Buyable, byBestPrice, mayBeBest } from './offer-order.js';
import type { Condition } from '../schemas/condition.js';
import type { RankBy } from '../schemas/delivery.js';

/** The fields of a listing from which the prices of its product are computed. */
export type Costing = Buyable & Pick<StoredListing, 'source'>;

interface PriceOptions {
  rates: ExchangeRates;
  /** Whether flagged (suspicious) prices are trusted like any other price. By default, they are not. */
  includeFlagged?: boolean | undefined;
  /** The criteria by which the best offer is chosen. */
  rankBy?: RankBy | undefined;
  /** The conditions of the goods of which the best offer is chosen; by default new ones. */
  conditions?: readonly Condition[] | undefined;
}

/**
 * Returns the number of sources that offer a product, and its price range.
 * @param currency that of the range if the prices are in several currencies and it has a rate.
 * @returns `prices`: for each listing by its id, the price in `currency`, in ten-thousandths of its unit; null without a rate.
 */
export function costsOf(
  listings: readonly Costing[],
  currency: string | null,
  { rates, includeFlagged = false, rankBy, conditions }: PriceOptions,
) {
  const target = targetCurrency(listings, currency, rates);
  const prices = new Map(listings.map((listing) => [listing.id, convertedPrice(listing, target, rates)]));
  const trusted = plainIfAny(
    listings.filter(({ internal }) => includeFlagged || !hasMistrustedPrice(internal)),
  );
  const trustedPrices = trusted.map(({ id }) => prices.get(id) ?? null);
  const trust = { includeFlagged, conditions };
  const best = listings
    .filter((one) => one.price !== null && mayBeBest(one, trust))
    .sort(byBestPrice(rates, trust, rankBy))[0];
  return {
    prices,
    currency: target ?? null,
    sources: new Set(listings.map(({ source }) => source)).size,
    price_range: rangeOf(trustedPrices, target ?? null),
    best_offer_id: best?.id ?? null,
  };
}

/** The listings with a plain price. If there are none, all listings, whose prices are "from" prices or unknown. */
function plainIfAny(listings: readonly Costing[]): readonly Costing[] {
  const plain = listings.filter(({ price, internal }) => price !== null && internal.price_from !== true);
  return plain.length > 0 ? plain : listings;
}

/** Returns the currency that all prices share; otherwise the preferred or the first one that has a rate, or undefined. */
function targetCurrency(
  listings: readonly Costing[],
  preferred: string | null,
  { perBase }: ExchangeRates,
): string | null | undefined {
  const currencies = listings.flatMap(({ price, currency }) => (price === null ? [] : [currency]));
  if (new Set(currencies).size <= 1) return currencies[0];
  return [preferred, ...currencies].find((currency) => currency !== null && perBase.has(currency));
}

/** Converts a price. @returns ten-thousandths, rounded to the smallest unit of the currency; null without price or rate. */
function convertedPrice(
  { price, currency }: Costing,
  target: string | null | undefined,
  rates: ExchangeRates,
): bigint | null {
  if (price === null || target === undefined) return null;
  return convert(rates, toUnits(price), currency, target, smallestUnits(target));
}

function rangeOf(prices: readonly (bigint | null)[], currency: string | null) {
  const known = prices.filter((price) => price !== null).map(Number);
  if (known.length === 0) return null;
  const [min, max] = [Math.min(...known), Math.max(...known)];
  return { currency, min: formatUnits(min, currency), max: formatUnits(max, currency) };
}
