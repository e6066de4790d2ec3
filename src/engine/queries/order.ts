import type { estypes } from '@elastic/elasticsearch';
import type { ExchangeRates } from '../../listing/rates/convert.js';
import { MISTRUSTED } from '../../listing/flags.js';
import type { Flag } from '../../schemas/flags.js';
import type { Sort } from '../../schemas/search.js';
import { discountInForce } from './deals.js';
import { BY_RELEVANCE, BY_UPDATE } from './listings.js';
import { factorsOf } from './price-order.js';

/** What the orders of prices and discounts depend on. */
export interface OrderContext {
  rates: ExchangeRates;
  now: Date;
  /** Whether flagged prices are sorted like others, among the cheapest and the deepest discounts. */
  includeFlagged?: boolean | undefined;
}

/** An order of listings; what it asks for and a listing has not, comes last. Ends with id, as every order does. */
export function orderBy(sort: Sort, { rates, now, includeFlagged = false }: OrderContext): estypes.Sort {
  switch (sort) {
    case 'relevance':
      return BY_RELEVANCE;
    case 'updated':
      return BY_UPDATE;
    case 'newest':
      return [{ 'internal.first_observed_at': 'desc' }, { id: 'asc' }];
    case 'rating':
      return [{ 'internal.rating': { order: 'desc', missing: '_last' } }, { id: 'asc' }];
    case 'price_asc':
      return byPrice('asc', rates, includeFlagged ? [] : MISTRUSTED);
    case 'price_desc':
      return byPrice('desc', rates, []);
    case 'discount':
      return [discountInForce(now, includeFlagged), { id: 'asc' }];
  }
}

/** Beyond any price: of a currency without a rate, and of a listing without a price, which comes after it. */
const LAST = { asc: [1e300, 1e301], desc: [-1, -2] };

/** What is added to the price of a listing that comes after all with a better one; among these the order stays. */
const BEYOND = 1e18;

/** A script, since rates change without the listings: it runs for each that matches. */
function byPrice(order: 'asc' | 'desc', rates: ExchangeRates, last: readonly Flag[]): estypes.Sort {
  const [noRate, noPrice] = LAST[order];
  const params = { factors: factorsOf(rates), noRate, noPrice, last: [...last], beyond: BEYOND };
  return [{ _script: { type: 'number', order, script: { source: CONVERTED, params } } }, { id: 'asc' }];
}

const CONVERTED = `
  if (doc['internal.price_units'].size() == 0) { return params.noPrice; }
  def factor = doc['currency'].size() == 0 ? null : params.factors[doc['currency'].value];
  if (factor == null) { return params.noRate; }
  double price = doc['internal.price_units'].value * factor;
  if (params.last.size() > 0 && doc.containsKey('internal.flags')) {
    for (flag in doc['internal.flags']) { if (params.last.contains(flag)) { return price + params.beyond; } }
  }
  return price;
`;
