import { Type } from 'typebox';
import { Enum, money, nullable, orNull } from './types.js';

/** A component of its own, because the parameter and the member would have the same name in generated clients. */
export const IntervalSchema = Enum(['raw', 'day', 'week'], {
  $id: 'PriceInterval',
  description:
    'The points of a history. raw: each observation, and again every 14 days while the price stays; day, week: the lowest ' +
    'price in force in each UTC day, or week from Monday on',
});

const PRICE = { pattern: '^\\d+\\.\\d{2,}$' };
const price = (description: string) => nullable('string', description, PRICE);
const time = (description: string) => Type.String({ description, format: 'date-time' });
const timeOrNull = (description: string) => nullable('string', description, { format: 'date-time' });

const PointSchema = Type.Object(
  { at: time('When; of a day or week its beginning'), price: money('The price') },
  { $id: 'PricePoint' },
);

const StatisticsSchema = Type.Object({
  current: price('The price of now; null: there is none'),
  lowest: orNull(
    PointSchema,
    'The lowest price of the window, gaps included as in `points`, and when it was first in force there',
  ),
  highest: orNull(PointSchema, 'The highest price of the window, in the same way'),
  mean: price('Weighted by time; null: at no time of the window is the price known'),
  median: price('Weighted by time: at least half of the time it was this or less'),
  lowest_30d: price('Lowest price known in the 30 days before now; null: none is known'),
  lowest_90d: price('Lowest price known in the 90 days before now; null: none is known'),
  lowest_ever: money('Lowest price ever observed'),
  changes: Type.Integer({ description: 'How often the price moved in the window' }),
  last_change_at: timeOrNull('When it moved last, ever; null: never'),
  days_at_current: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Whole days since the price of now came into force',
  }),
});

const DealSchema = Type.Object({
  original_price: money('The reference price'),
  discount_pct: Type.Number({ description: 'How far the price is below it, in percent' }),
  price_basis: Enum(['observed', 'declared'], { description: 'Where the reference comes from' }),
});

export const PriceHistorySchema = Type.Object(
  {
    product_id: Type.Integer({ description: 'Product id' }),
    currency: nullable('string', 'ISO 4217 code of all prices: that of the listing today'),
    from: time('Where the window begins'),
    to: time('Where it ends'),
    interval: IntervalSchema,
    points: Type.Array(PointSchema, { description: 'Oldest first' }),
    statistics: orNull(StatisticsSchema, 'null: there never was a price'),
    position: Type.Object({
      percentile: Type.Unsafe<number | null>({
        type: ['number', 'null'],
        minimum: 0,
        maximum: 100,
        description: 'Share of the time of the window, in percent, at which it cost less than now',
      }),
      verdict: Enum(['unknown', 'lowest_ever', 'low', 'typical', 'high', 'highest_ever'], {
        description:
          'unknown: fewer than 14 observed days; low and high: in the cheapest or dearest quarter of the time, and not the median; the extremes are of all times; typical: else, so also a price that it has most of the time',
      }),
      basis_days: Type.Integer({ description: 'On how many observed days that rests' }),
    }),
    deal: orNull(
      DealSchema,
      'How far the current price is below its reference, as in `/v1/deals`; null: it is not below, or it is flagged',
    ),
    coverage: Type.Object({
      first_observed_at: time('When the listing was first observed'),
      last_checked: timeOrNull('Last availability check'),
      observations: Type.Integer({
        description: 'Observations in the window, of a price that stays one a fortnight',
      }),
      days_observed: Type.Integer({ description: 'Whole days of the window of which the price is known' }),
      gaps: Type.Array(Type.Object({ from: time('Where it begins'), to: time('Where it ends') }), {
        description: 'More than 14 days without an observation, cut to the window',
      }),
      other_currency: Type.Integer({
        description: 'Observations of the window in another currency, which count for nothing else',
      }),
    }),
  },
  { $id: 'PriceHistory', description: 'What a listing cost' },
);

export const PriceHistoriesSchema = Type.Object(
  { histories: Type.Array(PriceHistorySchema, { description: 'One for each product, in request order' }) },
  { $id: 'PriceHistories' },
);
