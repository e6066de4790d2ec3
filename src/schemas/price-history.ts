import { type Static, Type } from 'typebox';
import { includedMembers } from './include.js';
import { PricePositionSchema } from './price-position.js';
import { component, Enum, integer, listOf, money, nullable, orNull, time, timeOrNull } from './types.js';

/** The interval of price points is a named component, so that generated clients have one type for it. */
export const IntervalSchema = Enum(['raw', 'day', 'week'], {
  $id: 'PriceInterval',
  description:
    'The interval of the points; `day` by default. `raw`: one point for each observation, and one for every 14 days in which the ' +
    'price did not change. `day`, `week`: the lowest price of each UTC day, or of each week from Monday',
});

const price = (description: string) => nullable('string', description, { pattern: '^\\d+\\.\\d{2,}$' });

const PointSchema = component('PricePoint', {
  at: time('The time of the observation, or the start of the day or week'),
  price: money('The price'),
});

const StatisticsSchema = Type.Object({
  current: price('The current price; null if the listing has none'),
  lowest: orNull(
    PointSchema,
    'The lowest price in the requested period and the first time it applied. As for all lowest and highest prices, a price counts ' +
      'if it was observed in the period or known to apply in it; the price of a gap that began earlier does not. Null if none is known',
  ),
  highest: orNull(
    PointSchema,
    'The highest price in the requested period and the first time it applied. Null if none is known',
  ),
  mean: price('The time-weighted mean; null if no price is known for any time of the period'),
  median: price('The time-weighted median: for at least half of the time, the price was at most this'),
  lowest_30d: price('The lowest known price of the last 30 days; null if none is known'),
  lowest_90d: price('The lowest known price of the last 90 days; null if none is known'),
  lowest_ever: money('The lowest price ever observed'),
  changes: integer('The number of price changes in the requested period'),
  last_change_at: timeOrNull(
    'The time of the last price change, also before the requested period; null if the price never changed',
  ),
  days_at_current: nullable('integer', 'The number of whole days since the current price took effect'),
});

const HistoryDealSchema = Type.Object({
  original_price: money('The reference price'),
  discount_pct: Type.Number({ description: 'How far the price is below the reference price, in percent' }),
  price_basis: Enum(['observed', 'declared'], { description: 'Where the reference price comes from' }),
});

export const PriceHistorySchema = component(
  'PriceHistory',
  'The price history of a listing, with the members that `include` adds',
  {
    product_id: integer('Product id'),
    currency: nullable('string', 'ISO 4217 code of all prices: the currency of the listing today'),
    from: time('The start of the requested period'),
    to: time('The end of the requested period'),
    interval: IntervalSchema,
    points: listOf(PointSchema, 'The prices, in chronological order'),
    statistics: orNull(StatisticsSchema, 'Statistics on the prices; null if the listing never had a price'),
    position: PricePositionSchema,
    deal: orNull(
      HistoryDealSchema,
      'How far the current price is below its reference price, as in `/v1/deals`; null if it is not, or if the price is flagged',
    ),
    coverage: Type.Object({
      first_observed_at: time('When the listing was first observed'),
      last_checked: timeOrNull('When the availability was last checked'),
      observations: integer(
        'The number of stored observations in the requested period. For an unchanged price, one in 14 days is stored',
      ),
      days_observed: integer('The number of whole days of the requested period for which the price is known'),
      gaps: listOf(
        Type.Object({ from: time('The start of the gap'), to: time('The end of the gap') }),
        'Parts of the requested period with more than 14 days between two observations',
      ),
      other_currency: integer(
        'The number of observations in another currency. They are excluded from everything else',
      ),
    }),
    ...includedMembers,
  },
);

export type PriceHistoryWithDeal = Static<typeof PriceHistorySchema>;

export const PriceHistoriesSchema = component('PriceHistories', {
  histories: listOf(PriceHistorySchema, 'One price history for each product id, in request order'),
});
