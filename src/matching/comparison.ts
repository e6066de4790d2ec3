import type { Product } from '../schemas/product.js';
import { hasMistrustedPrice, isPlaceholder } from '../listing/flags.js';
import type { ListingInternals, StoredListing } from '../listing/listing.js';
import { toUnits } from '../listing/price.js';
import { usualPrice } from '../listing/usual-price.js';
import { matchCandidates, matchesAmong, MATCH_THRESHOLD, type Candidate, type Match } from './match.js';
import type { ProfileReader } from './evidence.js';
import { comparePrices, convert, type ExchangeRates, type Money } from '../listing/rates/convert.js';
import { type Links, toProduct } from '../listing/to-product.js';

/** What the engine found for one listing: `candidatesSearch` and `siblingsSearch`. */
export interface FoundCandidates {
  candidates: StoredListing[];
  siblings: StoredListing[];
}

/** A listing of the product, how surely, and what agrees. */
export interface Matched extends Pick<Match, 'score' | 'reasons'> {
  listing: StoredListing;
}

/** Those candidates that are likelier the same product than not, in their order. */
export function sameProduct(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  rates: ExchangeRates,
  read?: ProfileReader,
): Matched[] {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const matches = matchesAmong(
    comparable(listing),
    candidates.map(comparable),
    siblings.map(comparable),
    read,
  );
  const scored = new Map(matches.map((match) => [match.id, match]));
  return candidates.flatMap((candidate) => {
    const match = scored.get(candidate.id);
    return match === undefined ? [] : [{ listing: candidate, score: match.score, reasons: match.reasons }];
  });
}

/**
 * The others of a product that a listing is linked to. They attest each other: none is shown as less likely than not,
 * even where the two by themselves would be.
 */
export function linkedWith(
  listing: StoredListing,
  others: readonly StoredListing[],
  rates: ExchangeRates,
  read?: ProfileReader,
): Matched[] {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const decided = matchCandidates(comparable(listing), others.map(comparable), [], read);
  return others.map((other, index) => {
    const { score, reasons } = decided[index] ?? { score: 0, reasons: [] };
    return { listing: other, score: Math.max(score, MATCH_THRESHOLD), reasons };
  });
}

/** The matches of one listing, best score first, then cheapest, then lowest id. */
export function toComparison(
  listing: StoredListing,
  matched: readonly Matched[],
  { rates, links }: { rates: ExchangeRates; links: Links },
) {
  const matches = matched.map(({ listing: match, score, reasons }) => ({
    ...toProduct(match, links),
    match_score: score,
    match_reasons: reasons,
  }));
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

/** What tells whether to buy a listing. */
export type Buyable = Pick<Product, 'id' | 'price' | 'currency' | 'is_available'> & {
  internal: Pick<ListingInternals, 'flags'>;
};

/** Which prices are not trusted. */
export interface PriceJudging {
  /** Whether all are. */
  includeFlagged?: boolean | undefined;
  /** Besides those that are flagged: ids of offers that cannot be at their price beside the others. */
  amongOffers?: ReadonlySet<number>;
}

/**
 * Orders listings by which to buy: in stock (or not saying) and at a price that can be one, then the lowest price in one
 * currency, then the lowest id.
 */
export const byBestPrice =
  (rates: ExchangeRates, judging: PriceJudging = {}) =>
  (a: Buyable, b: Buyable): number =>
    rankToBuy(a, judging) - rankToBuy(b, judging) ||
    comparePrices(rates, moneyOf(a), moneyOf(b)) ||
    a.id - b.id;

/** Why a listing comes after the best by that order. */
export function outrankedBy(
  best: Buyable,
  other: Buyable,
  judging: PriceJudging = {},
): 'flagged' | 'out_of_stock' | 'dearer' {
  if (isMistrusted(other, judging) && !isMistrusted(best, judging)) return 'flagged';
  return other.is_available === false && best.is_available !== false ? 'out_of_stock' : 'dearer';
}

/** What is out of stock can be had one day, what has no price that holds never could. */
const rankToBuy = (listing: Buyable, judging: PriceJudging): number =>
  Number(listing.is_available === false) + (isMistrusted(listing, judging) ? 2 : 0);

const isMistrusted = (
  { id, internal }: Buyable,
  { includeFlagged = false, amongOffers = new Set() }: PriceJudging,
): boolean => !includeFlagged && (hasMistrustedPrice(internal) || amongOffers.has(id));

/** The offers at next to nothing beside the others: a ticket of a raffle is not the phone that it is for. */
export function atNextToNothing(offers: readonly StoredListing[], rates: ExchangeRates): Set<number> {
  const currency = offers[0]?.currency ?? null;
  const priced = offers.flatMap((offer) => {
    const price = toCandidate(offer, currency, rates).comparablePrice;
    return price === null ? [] : [{ id: offer.id, source: offer.source, price }];
  });
  const usual = usualPrice(priced);
  if (usual === null) return new Set();
  return new Set(priced.filter(({ price }) => isPlaceholder(price, usual.price)).map(({ id }) => id));
}

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
