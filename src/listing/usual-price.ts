import type { Flag } from '../schemas/quality.js';
import { median } from '../text/statistics.js';
import type { ListingInternals } from './listing.js';

/** Whether a price is treated as a placeholder: at or below 5 % of the usual price. */
export const isPlaceholder = (units: number, usual: number): boolean => units * 20 <= usual;

/** A price is an outlier if it is above the usual price times this number, or below the usual price divided by it. */
const OUTLIER_FACTOR = 4;

export const isOutlier = (price: number, usual: number): boolean =>
  price > OUTLIER_FACTOR * usual || price * OUTLIER_FACTOR < usual;

/** The price of a product at one owner, in units of one currency. */
export interface OwnerPrice {
  owner: string;
  price: number;
}

/** The minimum number of owners that a usual price needs, so that one or two owners cannot discredit the price of another. */
export const MIN_OWNERS = 3;

/** The usual price of a product: the median of the median prices of its owners; null for fewer than three owners. */
export function usualPrice(prices: readonly OwnerPrice[]): { price: number; owners: number } | null {
  const medians = medianByOwner(prices);
  if (medians.size < MIN_OWNERS) return null;
  return { price: median([...medians.values()]), owners: medians.size };
}

/** Whether a price is so far below the usual one that it may be a bait: below half of it. */
export const isUnusuallyLow = (price: number, usual: number): boolean => 2 * price < usual;

/** The median price of each owner, which has one vote, however many listings and sources it has. */
export function medianByOwner(prices: readonly OwnerPrice[]): Map<string, number> {
  const byOwner = new Map<string, number[]>();
  for (const { owner, price } of prices) byOwner.set(owner, [...(byOwner.get(owner) ?? []), price]);
  return new Map([...byOwner].map(([owner, own]) => [owner, median(own)]));
}

/**
 * Whether a price is at or below a share of the median over the owners. Of an even number, the lower middle one counts, so that a
 * single other owner never makes a price seem low.
 * @param medians if the owner of the price has none, the price is added.
 */
export function isFarBelowUsual(
  { owner, price }: OwnerPrice,
  share: number,
  medians: ReadonlyMap<string, number>,
): boolean {
  const sorted = [...new Map([[owner, price], ...medians]).values()].sort((a, b) => a - b);
  return price <= share * (sorted[Math.floor((sorted.length - 1) / 2)] ?? price);
}

/** The quality flags that mark a price as not trustworthy. */
export const MISTRUSTED: readonly Flag[] = ['price_placeholder', 'price_outlier'];

/** Whether a listing's price has a quality flag. An index with an earlier schema has no flags. */
export const hasMistrustedPrice = ({ flags = [] }: Pick<ListingInternals, 'flags'>): boolean =>
  flags.some((flag) => MISTRUSTED.includes(flag));
