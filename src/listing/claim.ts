import type { Claim, ClaimVerdict, Reference30d } from '../schemas/claim.js';
import type { Product } from '../schemas/product.js';
import { DISCOUNT_SCALE, discountOf, roundedDiscount } from './deals.js';
import { DAY_MS, formatInstant } from './instant.js';
import type { ListingInternals, StoredClaim } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import { pricesUntil } from './price-observations.js';
import { beforeCurrentPrice, knownTime, lowestPriceBetween } from './price-statistics.js';

/** The length of the period before a reduction whose lowest price is the reference, in days. */
const REFERENCE_DAYS = 30;

/** The number of days for which prices must be known before a reduction, so that a claim can be judged. */
const MIN_KNOWN_DAYS = 30;

/**
 * Compares the stated reduction with the one from the lowest price of the 30 days before the current price. A list price that
 * rose before a "sale", or a price that fell back to an earlier level, is no reduction. @returns null without a price.
 */
export function claimIn(
  { price, currency }: Pick<Product, 'price' | 'currency'>,
  internal: Pick<ListingInternals, 'price_history' | 'observed_at' | 'list_price'>,
): StoredClaim | null {
  if (price === null) return null;
  const { price_history, observed_at, list_price } = internal;
  const units = toUnits(price);
  const listUnits = list_price === null ? null : toUnits(list_price);
  const stated = discountOf(listUnits, units);
  // Without a currency, the prices cannot be compared.
  const before =
    currency === null ? null : beforeCurrentPrice(pricesUntil(price_history, observed_at, price));
  if (before === null) return { verdict: 'unknown', began_at: null, reference_units: null, stated };
  const { began, segments } = before;
  const reference = lowestPriceBetween(segments, began - REFERENCE_DAYS * DAY_MS, began);
  const isKnown = knownTime(segments) >= MIN_KNOWN_DAYS * DAY_MS;
  const verdict =
    stated === null || listUnits === null || reference === null || !isKnown
      ? 'unknown'
      : verdictOf(BigInt(units), BigInt(listUnits), BigInt(reference));
  return { verdict, began_at: formatInstant(began), reference_units: reference, stated };
}

/** Compares the reductions without rounding: (reference − price) / reference ≥ (list − price) / list − 1 / 100. */
function verdictOf(price: bigint, list: bigint, reference: bigint): ClaimVerdict {
  if (price >= reference) return 'unsupported';
  const observed = 100n * list * (reference - price);
  const stated = 100n * reference * (list - price);
  return observed >= stated - list * reference ? 'supported' : 'exaggerated';
}

/** The members that `include=claim` adds to a listing. */
export function claimMembers(
  { price = null, currency = null }: Partial<Pick<Product, 'price' | 'currency'>>,
  claim: StoredClaim | null | undefined,
): { reference_30d: Reference30d | null; claim: Claim } {
  const { verdict = 'unknown', began_at = null, reference_units = null, stated = null } = claim ?? {};
  if (price === null || reference_units === null || began_at === null) {
    return { reference_30d: null, claim: { stated_pct: percentOf(stated), observed_pct: null, verdict } };
  }
  const from = formatInstant(Date.parse(began_at) - REFERENCE_DAYS * DAY_MS);
  // The reduction is negative if the price is above the reference, whereas a discount never is.
  const observed =
    (BigInt(reference_units - toUnits(price)) * 100n * BigInt(DISCOUNT_SCALE)) / BigInt(reference_units);
  return {
    reference_30d: { price: formatUnits(reference_units, currency), from, to: began_at },
    claim: { stated_pct: percentOf(stated), observed_pct: percentOf(Number(observed)), verdict },
  };
}

const percentOf = (discount: number | null): number | null =>
  discount === null ? null : roundedDiscount(discount);
