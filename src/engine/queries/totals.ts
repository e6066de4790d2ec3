import type { estypes } from '@elastic/elasticsearch';
import { smallestUnits } from '../../listing/price.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Aggregations } from '../search-listings.js';
import type { AggregationRequests } from './selection.js';
import { byNumber, factorsOf } from './sorts.js';

/**
 * The part of the scripts that reads the delivery price of a listing. It is known if there is one in the currency of the
 * listing, or if both currencies have an exchange rate.
 */
const READ_DELIVERY = `
  String own = doc['currency'].size() == 0 ? null : doc['currency'].value;
  String other = doc['internal.delivery.currency'].size() == 0 ? own : doc['internal.delivery.currency'].value;
  def factor = own == null ? null : params.factors[own];
  def otherFactor = other == null ? null : params.factors[other];
  boolean isSame = own == other;
  boolean isKnown = doc['internal.delivery.units'].size() > 0 && (isSame || (factor != null && otherFactor != null));
`;

const IS_UNKNOWN = `${READ_DELIVERY} return isKnown ? 0 : 1;`;
const TOTAL = `${READ_DELIVERY}
  if (factor == null) { return params.noRate; }
  if (doc['internal.price_units'].size() == 0) { return params.noPrice; }
  long price = doc['internal.price_units'].value;
  if (!isKnown) { return price * factor; }
  long delivery = doc['internal.delivery.units'].value;
  if (!isSame) {
    def step = params.steps[own];
    delivery = Math.round(delivery * otherFactor / factor / step) * step;
  }
  return (price + delivery) * factor;
`;

/**
 * Sorts listings by their price with delivery in the base currency. Those without a known delivery price follow, sorted by
 * price. Among both, listings without an exchange rate come last.
 */
export function byTotal(rates: ExchangeRates): estypes.SortCombinations[] {
  // A converted delivery price is rounded to the smallest amount of the currency, as in the totals that are shown.
  const steps = Object.fromEntries(
    [...rates.perBase.keys()].map((currency) => [currency, Number(smallestUnits(currency))]),
  );
  const params = { factors: factorsOf(rates), steps, noRate: 1e300, noPrice: 1e301 };
  return [IS_UNKNOWN, TOTAL].map((source) => byNumber('asc', { source, params }));
}

/** An aggregation that counts the listings without a known delivery price. */
export const countWithoutDelivery = (rates: ExchangeRates): AggregationRequests => ({
  without_delivery: {
    filter: {
      script: {
        script: { source: `${READ_DELIVERY} return !isKnown;`, params: { factors: factorsOf(rates) } },
      },
    },
  },
});

export const withoutDeliveryOf = (counts: Aggregations): number =>
  (counts?.['without_delivery'] as estypes.AggregationsFilterAggregate | undefined)?.doc_count ?? 0;
