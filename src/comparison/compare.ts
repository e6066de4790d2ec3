import type { Product } from '../schemas/product.js';
import type { StoredListing } from '../listing/listing.js';
import { toUnits } from '../listing/price.js';
import { matchCandidates, MATCH_THRESHOLD, type Candidate } from '../matching/match.js';
import { comparePrices, convert, type ExchangeRates, type Money } from '../rates/convert.js';
import { type Links, toProduct } from '../results/product.js';

/** What the engine found for one listing: `candidatesSearch` and `siblingsSearch`. */
export interface FoundCandidates {
  candidates: StoredListing[];
  siblings: StoredListing[];
}

/** Decides which candidates are the same product: the matches of one listing, best score first, then cheapest, then lowest id. */
export function toComparison(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  { rates, links }: { rates: ExchangeRates; links: Links },
) {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const decided = matchCandidates(comparable(listing), candidates.map(comparable), siblings.map(comparable));
  const matches = candidates.flatMap((candidate, index) => {
    const { score, reasons } = decided[index] ?? { score: 0, reasons: [] };
    if (score < MATCH_THRESHOLD) return [];
    return [{ ...toProduct(candidate, links), match_score: score, match_reasons: reasons }];
  });
  matches.sort(
    (a, b) => b.match_score - a.match_score || comparePrices(rates, moneyOf(a), moneyOf(b)) || a.id - b.id,
  );
  return {
    source_product_id: listing.id,
    source_product_name: listing.name,
    matches,
    total_matches: matches.length,
  };
}

/** Orders listings by which to buy: not out of stock, then the lowest price in one currency, then the lowest id. */
export const byBestPrice =
  (rates: ExchangeRates) =>
  (a: Product, b: Product): number =>
    Number(a.is_available === false) - Number(b.is_available === false) ||
    comparePrices(rates, moneyOf(a), moneyOf(b)) ||
    a.id - b.id;

/** The price of a listing as money; null: unknown. */
export function moneyOf({ price, currency }: Pick<Product, 'price' | 'currency'>): Money | null {
  return price === null ? null : { units: toUnits(price), currency };
}

/** A listing as matching reads it, its price in the currency of what it is compared with. */
export function toCandidate(
  listing: StoredListing,
  currency: string | null,
  rates: ExchangeRates,
): Candidate & StoredListing {
  const money = moneyOf(listing);
  const units = money === null ? null : convert(rates, money.units, money.currency, currency);
  return { ...listing, comparablePrice: units === null ? null : Number(units) };
}
