import { isPlaceholder } from '../listing/flags.js';
import type { Reasons } from '../listing/judgement.js';
import { formatUnits } from '../listing/price.js';
import { convert, type ExchangeRates } from '../rates/convert.js';

/** An offer of a product, as far as its price is judged by the others. */
export interface Offer {
  source: string;
  /** In ten-thousandths; null: no price. */
  units: number | null;
  currency: string | null;
  /** The price is none already by what the listing itself, or its shop, shows. */
  isPlaceholder: boolean;
}

/** How many times the median, or what part of it, a price may be. */
export const OUTLIER_TIMES = 4;
const OUTLIER_SOURCES = 3;

/** What the offers of one product say of each other's prices, in their order. */
export function judgePrices(offers: readonly Offer[], rates: ExchangeRates): Reasons[] {
  const converted = offers.map(({ units, currency }) =>
    units === null ? null : Number(convert(rates, units, currency, rates.base) ?? NaN),
  );
  const trusted = converted.flatMap((units, at) =>
    units === null || Number.isNaN(units) || offers[at]?.isPlaceholder === true
      ? []
      : [{ units, offer: offers[at] }],
  );
  const median = medianOf(trusted.map(({ units }) => units));
  const sources = new Set(trusted.map(({ offer }) => offer?.source)).size;
  if (median === null || trusted.length < 2) return offers.map(() => ({}));
  return offers.map(({ units, currency }, at): Reasons => {
    const price = converted[at];
    if (units === null || price === null || price === undefined || Number.isNaN(price)) return {};
    const usual = convert(rates, Math.round(median), rates.base, currency);
    const said = `${formatUnits(units)} where the median of ${trusted.length} offers of this product is ${formatUnits(inHundredths(Number(usual)))}`;
    const isFar = price > OUTLIER_TIMES * median || price * OUTLIER_TIMES < median;
    return {
      ...(isPlaceholder(price, median) ? { price_placeholder: said } : {}),
      ...(isFar && sources >= OUTLIER_SOURCES ? { price_outlier: said } : {}),
    };
  });
}

/** What comes of a conversion is nobody's price: more decimals say nothing. */
const inHundredths = (units: number): number => Math.round(units / 100) * 100;

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** A shop has a value so small so often only as a placeholder. */
export const SMALL_UNITS = 20_000;
const SHARED_SHARE = 0.02;
const SHARED_BY = 3;

/** Values so small, and shared by so many listings of a source, that they are no prices. */
export class SharedPrices {
  readonly #listings = new Map<string, number>();
  readonly #shared = new Map<string, number>();

  /** So many listings of a source have this price; null: all of them together. */
  add(source: string, units: number | null, listings: number): void {
    if (units === null) this.#listings.set(source, listings);
    else if (units <= SMALL_UNITS) this.#shared.set(`${source}\0${units}`, listings);
  }

  /** Those that are none. */
  pairs(): { source: string; units: number }[] {
    return [...this.#shared.keys()]
      .map((key) => {
        const [source = '', units] = key.split('\0');
        return { source, units: Number(units) };
      })
      .filter(({ source, units }) => this.reason(source, units).price_placeholder !== undefined);
  }

  reason(source: string, units: number | null): Reasons {
    const sharing = units === null ? 0 : (this.#shared.get(`${source}\0${units}`) ?? 0);
    const all = this.#listings.get(source) ?? 0;
    if (units === null || sharing < SHARED_BY || sharing < SHARED_SHARE * all) return {};
    const share = ((100 * sharing) / all).toFixed(1);
    return {
      price_placeholder: `${formatUnits(units)} as ${sharing - 1} other listings of ${source} (${share} % of them)`,
    };
  }
}
