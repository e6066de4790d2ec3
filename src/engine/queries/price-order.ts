import type { estypes } from '@elastic/elasticsearch';
import type { ExchangeRates } from '../../listing/rates/convert.js';

/**
 * Listings to buy from, the best first: in stock (or not saying) before out of stock, then the lowest price in one
 * currency, then id. A currency without a rate comes after all that have one, by its code; no price comes last.
 * Scripts, for selections of few listings: they run for each that matches.
 */
export function byStockAndPrice(rates: ExchangeRates): estypes.Sort {
  const params = { factors: factorsOf(rates) };
  return [
    { _script: { type: 'number', order: 'asc', script: { source: CLASS, params } } },
    { _script: { type: 'string', order: 'asc', script: { source: CODE, params } } },
    { _script: { type: 'number', order: 'asc', script: { source: CONVERTED, params } } },
    { id: 'asc' },
  ];
}

/** By currency: what one unit of it is in the base. Only an order is made of it, no price that anybody sees. */
export function factorsOf({ base, perBase }: ExchangeRates): Record<string, number> {
  const one = Number(perBase.get(base));
  return Object.fromEntries([...perBase].map(([currency, rate]) => [currency, one / Number(rate)]));
}

const CLASS = `
  double rank = doc['internal.price_units'].size() == 0 ? 3
    : doc['currency'].size() == 0 ? 2
    : params.factors.containsKey(doc['currency'].value) ? 0 : 1;
  return rank + (doc['is_available'].size() > 0 && !doc['is_available'].value ? 4 : 0);
`;
const CODE = `
  if (doc['currency'].size() == 0) { return ''; }
  return params.factors.containsKey(doc['currency'].value) ? '' : doc['currency'].value;
`;
const CONVERTED = `
  if (doc['internal.price_units'].size() == 0) { return 0; }
  def factor = doc['currency'].size() == 0 ? null : params.factors[doc['currency'].value];
  return factor == null ? doc['internal.price_units'].value : doc['internal.price_units'].value * factor;
`;
