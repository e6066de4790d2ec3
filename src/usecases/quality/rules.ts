import type { FlagReasons } from '../../listing/listing.js';
import { formatUnits } from '../../listing/price.js';
import { convert, type ExchangeRates } from '../../listing/rates.js';
import {
  isOutlier,
  isPlaceholder,
  isUnusuallyLow,
  medianByOwner,
  type OwnerPrice,
  usualPrice,
} from '../../listing/usual-price.js';

/** The highest number of duplicates that a reason states, so that further ones change no reason. */
export const MAX_COPIES_STATED = 10;

/** An offer of a product, reduced to what is needed to check its price. */
export interface PricedOffer {
  owner: string;
  /** The price in ten-thousandths of the unit of its currency; null if there is no price. */
  units: number | null;
  currency: string | null;
  /** Placeholders do not count towards the median. */
  isPlaceholder: boolean;
}

/**
 * Compares the price of each offer with the median over the owners of the product, each of whom has one vote. Two owners do not
 * show which of them is wrong, so such prices are only disputed. @returns the flags of each offer, with their reasons.
 */
export function priceReasons(offers: readonly PricedOffer[], rates: ExchangeRates): FlagReasons[] {
  const converted = offers.map((offer) => inBase(offer, rates));
  const trusted = trustedPrices(offers, rates);
  const usual = usualPrice(trusted);
  const medians = medianByOwner(trusted);
  return offers.map(({ owner, units, currency }, i): FlagReasons => {
    const exact = converted[i] ?? null;
    if (units === null || exact === null) return {};
    const price = Number(exact);
    const asked = (other: number) => formatUnits(unitsIn(currency, other, rates) ?? 0, currency);
    const where = `${formatUnits(units, currency)} where`;
    if (usual === null) {
      const other = [...medians].find(([name]) => name !== owner)?.[1] ?? price;
      const reason = `${where} the only other shop of this product asks ${asked(other)}`;
      return isOutlier(price, other) ? { price_disputed: reason } : {};
    }
    const reason = `${where} the median of ${usual.owners} shops of this product is ${asked(usual.price)}`;
    return {
      ...(isPlaceholder(price, usual.price) ? { price_placeholder: reason } : {}),
      ...(isOutlier(price, usual.price)
        ? { price_outlier: reason }
        : isUnusuallyLow(price, usual.price)
          ? { price_low: reason }
          : {}),
    };
  });
}

/** The usual price at the other owners, in units of `currency`; null with fewer than three of them or no exchange rate. */
export function usualOfOthers(
  offers: readonly PricedOffer[],
  { owner, currency }: Pick<PricedOffer, 'owner' | 'currency'>,
  rates: ExchangeRates,
): number | null {
  const others = offers.filter((one) => one.owner !== owner);
  const usual = usualPrice(trustedPrices(others, rates));
  return usual && unitsIn(currency, usual.price, rates);
}

const inBase = ({ units, currency }: PricedOffer, rates: ExchangeRates) =>
  units === null ? null : convert(rates, units, currency, rates.base);

const trustedPrices = (offers: readonly PricedOffer[], rates: ExchangeRates): OwnerPrice[] =>
  offers.flatMap((offer) => {
    const price = inBase(offer, rates);
    return price === null || offer.isPlaceholder ? [] : [{ owner: offer.owner, price: Number(price) }];
  });

/** Converts a price from the base currency, rounded to hundredths; null if there is no rate. */
function unitsIn(currency: string | null, price: number, rates: ExchangeRates): number | null {
  const units = convert(rates, Math.round(price), rates.base, currency);
  return units === null ? null : Math.round(Number(units) / 100) * 100;
}

/** The maximum price that is checked for being shared by many listings, in ten-thousandths of its currency's unit: 2.00. */
export const MAX_SHARED_UNITS = 20_000;
/** A very low price is a placeholder if so many, and such a share, of the listings of a source have it. */
const MIN_SHARING = 3;
const MIN_SHARING_SHARE = 0.02;

interface SharedPrice {
  source: string;
  units: number;
  sharing: number;
}

const keyOf = (source: string, units: number): string => `${source}\0${units}`;

export class SharedPrices {
  readonly #listings = new Map<string, number>();
  readonly #shared = new Map<string, SharedPrice>();

  setListings(source: string, listings: number): void {
    this.#listings.set(source, listings);
  }

  setSharing(source: string, units: number, sharing: number): void {
    if (units <= MAX_SHARED_UNITS) this.#shared.set(keyOf(source, units), { source, units, sharing });
  }

  placeholders(): SharedPrice[] {
    return [...this.#shared.values()].filter(
      ({ source, units }) => this.reasons(source, units).price_placeholder !== undefined,
    );
  }

  /** Returns the prices that may have become placeholders, or ceased to be some, if so many listings of each source changed. */
  unsettled(changes: ReadonlyMap<string, number>): SharedPrice[] {
    return [...this.#shared.values()].filter(({ source, sharing }) => {
      const all = this.#listings.get(source) ?? 0;
      const changed = changes.get(source) ?? 0;
      return isShared(sharing - changed, all + changed) !== isShared(sharing + changed, all - changed);
    });
  }

  reasons(source: string, units: number | null): FlagReasons {
    const { sharing = 0 } = (units === null ? undefined : this.#shared.get(keyOf(source, units))) ?? {};
    const all = this.#listings.get(source) ?? 0;
    if (units === null || !isShared(sharing, all)) return {};
    const share = ((100 * sharing) / all).toFixed(1);
    return {
      price_placeholder: `${formatUnits(units, null)} as ${sharing - 1} other listings of ${source} (${share} % of them)`,
    };
  }
}

const isShared = (sharing: number, all: number): boolean =>
  sharing >= MIN_SHARING && sharing >= MIN_SHARING_SHARE * all;

/** For one GTIN, the number of listings by folded brand, then by owner. */
export interface GtinBrands {
  gtin: string;
  brands: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Flags a listing if another brand has at least as many votes for its GTIN. Each owner votes for the brand it states most. */
export function gtinConflictReasons({ gtin, brands }: GtinBrands, brand: string | null): FlagReasons {
  if (brand === null || brands.size < 2) return {};
  const votes = votesByBrand(brands);
  const own = votes.get(brand) ?? 0;
  const others = [...votes].filter(([name]) => name !== brand).sort(([, a], [, b]) => b - a);
  const [other = '', most = 0] = others[0] ?? [];
  if (own > most) return {};
  const listings = [...(brands.get(other)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const those = listings === 1 ? '1 listing' : `${listings} listings`;
  return {
    gtin_conflict: `GTIN ${gtin} is of ${JSON.stringify(other)} in ${those}, and of ${JSON.stringify(brand)} here`,
  };
}

/** Counts the owners that vote for each brand. An owner votes for its most frequent brand, or in a tie for each of them. */
function votesByBrand(brands: GtinBrands['brands']): Map<string, number> {
  const most = new Map<string, number>();
  for (const counts of brands.values())
    for (const [owner, count] of counts) most.set(owner, Math.max(count, most.get(owner) ?? 0));
  const votesIn = (counts: ReadonlyMap<string, number>) =>
    [...counts].filter(([owner, count]) => count === most.get(owner)).length;
  return new Map([...brands].map(([brand, counts]) => [brand, votesIn(counts)]));
}
