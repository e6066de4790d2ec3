import type { StoredListing } from '../../listing/listing.js';
import { toUnits } from '../../listing/price.js';
import type { PriceHistoryWithDeal } from '../../schemas/price-history.js';
import { toPriceHistory } from './get-price-history.js';
import { DAY_MS } from '../../listing/instant.js';

const NOW = new Date('2026-11-20T22:15:00Z');
const START = NOW.getTime() - 100 * DAY_MS;

/** The prices by the day from which they apply. Every second day has an observation, except for three weeks. */
const PRICES: [day: number, price: string][] = [
  [0, '379.00'],
  [14, '399.00'],
  [30, '329.00'],
  [34, '399.00'],
  [96, '349.00'],
];
const GAP = { from: 52, to: 72 };

const observations = Array.from({ length: 51 }, (_, i) => 2 * i)
  .filter((day) => day < GAP.from || day > GAP.to)
  .map((day) => ({
    price: PRICES.findLast(([from]) => from <= day)?.[1] ?? '',
    at: new Date(START + day * DAY_MS).toISOString().replace('.000Z', 'Z'),
  }));

const LISTING = {
  id: 4_503_599_627_370_496,
  name: 'Auralis AH-730M7 Wireless Noise Cancelling Headphones, Black',
  price: '349.00',
  currency: 'SGD',
  last_checked: '2026-11-20T22:15:00Z',
  internal: {
    price_history: observations,
    observed_at: observations.at(-1)?.at,
    first_observed_at: observations[0]?.at,
    list_price: null,
    price_units: toUnits('349.00'),
    reference_units: toUnits('399.00'),
    observed_discount: 125_313_283,
    declared_discount: null,
  },
} as unknown as StoredListing;

export const EXAMPLE_NAME = LISTING.name;

/** The price history in the API documentation: 90 days of the product that it shows elsewhere. */
export const exampleHistory = (interval: 'day' | 'week'): PriceHistoryWithDeal =>
  toPriceHistory(LISTING, { from: NOW.getTime() - 90 * DAY_MS, to: NOW.getTime(), interval }, NOW);
