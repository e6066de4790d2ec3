import { isPlaceholder } from '../../listing/flags.js';
import type { Reasons } from '../../listing/judgement.js';
import { formatUnits } from '../../listing/price.js';
import { usualPrice } from '../../listing/usual-price.js';
import { convert, type ExchangeRates } from '../../listing/rates/convert.js';

/** An offer of a product, as far as its price is judged by the others. */
export interface Offer {
  source: string;
  /** In ten-thousandths; null: no price. */
  units: number | null;
  currency: string | null;
  /** The price is none already by what the listing itself, or its shop, shows. */
  isPlaceholder: boolean;
}

/** A price is an outlier above so many times the median, or below this part of it. */
export const OUTLIER_TIMES = 4;

/**
 * Judges the prices of a product's offers by what its sources usually ask, in the order of the offers. Each source has
 * one vote, and fewer than three sources judge nothing.
 */
export function judgePrices(offers: readonly Offer[], rates: ExchangeRates): Reasons[] {
  const converted = offers.map(({ units, currency }) =>
    units === null ? null : convert(rates, units, currency, rates.base),
  );
  const trusted = offers.flatMap(({ source, isPlaceholder }, at) => {
    const price = converted[at] ?? null;
    return price === null || isPlaceholder ? [] : [{ source, price: Number(price) }];
  });
  const usual = usualPrice(trusted);
  if (usual === null) return offers.map(() => ({}));
  return offers.map(({ units, currency }, at): Reasons => {
    const exact = converted[at] ?? null;
    if (units === null || exact === null) return {};
    const price = Number(exact);
    const own = convert(rates, Math.round(usual.price), rates.base, currency);
    const said = `${formatUnits(units)} where the median of ${usual.sources} sources of this product is ${formatUnits(inHundredths(Number(own)))}`;
    const isFar = price > OUTLIER_TIMES * usual.price || price * OUTLIER_TIMES < usual.price;
    return {
      ...(isPlaceholder(price, usual.price) ? { price_placeholder: said } : {}),
      ...(isFar ? { price_outlier: said } : {}),
    };
  });
}

/** A converted amount is nobody's price: further decimals say nothing. */
const inHundredths = (units: number): number => Math.round(units / 100) * 100;

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
