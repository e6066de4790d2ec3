import { formatUnits, toUnits } from '../../listing/price.js';
import { roundedQuotient, type ExchangeRates } from '../../listing/rates/convert.js';

/** What a product costs, as far as this comparison is concerned. */
export interface Priced {
  id: number;
  /** Decimal string. */
  price: string | null;
  /** ISO 4217 code. */
  currency: string | null;
}

/** A price that compares: its value in the base is units ÷ rate. */
interface Comparable {
  id: number;
  units: bigint;
  rate: bigint;
  currency: string | null;
}

/**
 * Ranks and spread of the products' prices, with exact arithmetic up to one rounding, half up, at the end.
 *
 * Prices in one and the same currency compare as they are, with or without a rate (that two have no currency is
 * taken to mean the same one). Of several currencies those without a rate compare with nothing: like products
 * without a price they share the last rank and take no part in the spread. The spread is in the first product's
 * currency, or where that one has no rate, in the first currency that has.
 *
 * @returns `ranks` in the order of the products: one more than how many are cheaper, so that ties share a rank.
 *   Of equal prices the lowest id is named as the cheapest and as the most expensive.
 */
export function comparePriced(products: readonly Priced[], rates: ExchangeRates) {
  const comparable = comparablePrices(products, rates);
  const byId = new Map(comparable.map((price) => [price.id, price]));
  const ranks = products.map(({ id }) => {
    const own = byId.get(id);
    return 1 + comparable.filter((other) => own === undefined || difference(own, other) > 0n).length;
  });
  return { ranks, spread: spreadOf(comparable, products[0]?.currency ?? null, rates) };
}

function comparablePrices(products: readonly Priced[], rates: ExchangeRates): Comparable[] {
  const priced = products.flatMap(({ id, price, currency }) =>
    price === null ? [] : [{ id, units: BigInt(toUnits(price)), currency }],
  );
  if (new Set(priced.map(({ currency }) => currency)).size <= 1) {
    return priced.map((price) => ({ ...price, rate: rates.perBase.get(price.currency ?? '') ?? 1n }));
  }
  return priced.flatMap((price) => {
    const rate = rates.perBase.get(price.currency ?? '');
    return rate === undefined ? [] : [{ ...price, rate }];
  });
}

/** a − b in the base, times both rates: nothing is divided, so nothing is lost. */
const difference = (a: Comparable, b: Comparable): bigint => a.units * b.rate - b.units * a.rate;

/** Nulls where no product has a price that compares; the spread is a decimal string, its share has two decimals. */
function spreadOf(comparable: readonly Comparable[], wanted: string | null, rates: ExchangeRates) {
  const ordered = comparable.toSorted((a, b) => Number(difference(a, b)) || a.id - b.id);
  const [low, first] = [ordered[0], comparable[0]];
  const high = ordered.find((price) => difference(price, ordered.at(-1) ?? price) === 0n);
  if (low === undefined || high === undefined || first === undefined) {
    return {
      cheapest_product_id: null,
      most_expensive_product_id: null,
      price_spread: null,
      price_spread_pct: null,
      currency: null,
    };
  }
  const { currency, rate } = targetOf(first, wanted, rates);
  const spread = difference(high, low);
  const unconverted = low.currency === currency && high.currency === currency;
  // A converted amount has no more decimals than the currency has; one that was not converted is exact.
  const step = unconverted ? 1n : smallestUnits(currency);
  const units = roundedQuotient(spread * rate, low.rate * high.rate * step) * step;
  const hundredths = roundedQuotient(spread * 10_000n, low.units * high.rate);
  return {
    cheapest_product_id: low.id,
    most_expensive_product_id: high.id,
    price_spread: formatUnits(Number(units)),
    price_spread_pct: Number(hundredths) / 100,
    currency,
  };
}

/** The currency of the spread: the wanted one where the prices convert to it, else the first price's own. */
function targetOf(
  first: Comparable,
  wanted: string | null,
  { perBase }: ExchangeRates,
): Pick<Comparable, 'currency' | 'rate'> {
  const rate = perBase.get(wanted ?? '');
  return rate !== undefined && perBase.has(first.currency ?? '') ? { currency: wanted, rate } : first;
}

/** By currency, of three letters each: to look one up takes a formatter, which is dear to make. */
const SMALLEST_UNITS = new Map<string | null, bigint>();

/** The smallest amount of a currency in ten-thousandths: a hundredth, or less where it has more decimals. */
export function smallestUnits(currency: string | null): bigint {
  const known = SMALLEST_UNITS.get(currency);
  if (known !== undefined) return known;
  const usual = new Intl.NumberFormat('en', { style: 'currency', currency: currency ?? 'XXX' });
  const decimals = Math.min(4, Math.max(2, usual.resolvedOptions().maximumFractionDigits ?? 2));
  const units = 10n ** BigInt(4 - decimals);
  SMALLEST_UNITS.set(currency, units);
  return units;
}
