import { hasMistrustedPrice } from '../listing/usual-price.js';
import { formatUnits, smallestUnits, toUnits } from '../listing/price.js';
import { roundedQuotient, type ExchangeRates } from '../listing/rates.js';
import type { Costing } from './product-prices.js';

/** The price of a product, together with the id of the product. */
export interface Priced {
  id: number;
  /** The price as a decimal string, or null if it is unknown. */
  price: string | null;
  /** The currency as an ISO 4217 code, or null if it is unknown. */
  currency: string | null;
  price_from?: boolean;
}

/** A price that can be compared with others. Its value in the base currency is `units / rate`. */
interface ComparablePrice {
  id: number;
  units: bigint;
  rate: bigint;
  currency: string | null;
  isFrom: boolean;
}

/**
 * Computes the ranks and the spread of the prices of products, exact except for one rounding, half up, at the end. Prices in
 * one currency need no rate. In several, a price without a rate shares the last rank like a missing one, and is not in the
 * spread, whose currency is that of the first product, or the first with a rate. "From" prices rank last, and count in the
 * spread only if there are no others.
 * @returns `ranks` in the order of the products: one more than the number of products that are cheaper. Among equal prices, the
 * product with the lowest id is named as the cheapest or the most expensive.
 */
export function comparePriced(products: readonly Priced[], rates: ExchangeRates) {
  const comparable = comparablePrices(products, rates);
  const byId = new Map(comparable.map((price) => [price.id, price]));
  const ranks = products.map(({ id }) => {
    const own = byId.get(id);
    return 1 + comparable.filter((other) => own === undefined || isCheaper(other, own)).length;
  });
  const plain = comparable.filter(({ isFrom }) => !isFrom);
  const spread = spreadOf(plain.length > 0 ? plain : comparable, products[0]?.currency ?? null, rates);
  return { ranks, spread };
}

/** Returns the rank of each price by the id of the listing. Equal prices share a rank; untrusted prices rank last. */
export function priceRanks(
  priced: readonly Costing[],
  { rates, includeFlagged = false }: { rates: ExchangeRates; includeFlagged?: boolean | undefined },
): Map<number, number> {
  const isTrusted = ({ internal }: Costing) => includeFlagged || !hasMistrustedPrice(internal);
  const trusted = priced.filter(isTrusted);
  const mistrusted = priced.filter((one) => !isTrusted(one));
  const ranked = (listings: readonly Costing[], behind: number) => {
    const marked = listings.map((one) => ({ ...one, price_from: one.internal.price_from === true }));
    const { ranks } = comparePriced(marked, rates);
    return ranks.map((rank, at) => [listings[at]?.id ?? 0, behind + rank] as const);
  };
  return new Map([...ranked(trusted, 0), ...ranked(mistrusted, trusted.length)]);
}

function comparablePrices(products: readonly Priced[], rates: ExchangeRates): ComparablePrice[] {
  const priced = products.flatMap(({ id, price, currency, price_from: isFrom = false }) =>
    price === null ? [] : [{ id, units: BigInt(toUnits(price)), currency, isFrom }],
  );
  if (new Set(priced.map(({ currency }) => currency)).size <= 1) {
    return priced.map((price) => ({ ...price, rate: rates.perBase.get(price.currency ?? '') ?? 1n }));
  }
  return priced.flatMap((price) => {
    const rate = rates.perBase.get(price.currency ?? '');
    return rate === undefined ? [] : [{ ...price, rate }];
  });
}

const isCheaper = (one: ComparablePrice, other: ComparablePrice): boolean =>
  one.isFrom === other.isFrom ? difference(other, one) > 0n : other.isFrom;

/** The exact difference of two prices in the base currency, multiplied by the exchange rates of both. */
const difference = (a: ComparablePrice, b: ComparablePrice): bigint => a.units * b.rate - b.units * a.rate;

/** Returns the spread of prices, its percentage with two decimals; all members are null if no price can be compared. */
function spreadOf(comparable: readonly ComparablePrice[], wanted: string | null, rates: ExchangeRates) {
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
  // A converted spread is rounded to the decimals of its currency. A spread that was not converted is exact.
  const step = unconverted ? 1n : smallestUnits(currency);
  const units = roundedQuotient(spread * rate, low.rate * high.rate * step) * step;
  const hundredths = roundedQuotient(spread * 10_000n, low.units * high.rate);
  return {
    cheapest_product_id: low.id,
    most_expensive_product_id: high.id,
    price_spread: formatUnits(Number(units), currency),
    price_spread_pct: Number(hundredths) / 100,
    currency,
  };
}

/** The wanted currency if the prices can be converted to it, otherwise that of the first price. */
function targetOf(
  first: ComparablePrice,
  wanted: string | null,
  { perBase }: ExchangeRates,
): Pick<ComparablePrice, 'currency' | 'rate'> {
  const rate = perBase.get(wanted ?? '');
  return rate !== undefined && perBase.has(first.currency ?? '') ? { currency: wanted, rate } : first;
}
