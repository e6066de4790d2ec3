import { Type } from 'typebox';
import { component, Enum, integer } from './types.js';

export const PricePositionSchema = component(
  'PricePosition',
  'How the current price compares with the price history',
  {
    percentile: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: 0,
      maximum: 100,
      description: 'The percentage of the requested period in which the price was lower than it is now',
    }),
    verdict: Enum(['unknown', 'lowest_ever', 'low', 'typical', 'high', 'highest_ever'], {
      description:
        'How the current price compares with the history. The first that applies: `unknown`: fewer than 14 days were observed. ' +
        '`lowest_ever`: no lower price was ever observed, and the price has changed at least once. `highest_ever`: the highest price ' +
        'of all time, and above the median. `low`, `high`: among the cheapest or most expensive 25 % of the requested period, and ' +
        'different from the median. `typical`: anything else, such as a price that never changed or applies most of the time',
    }),
    basis_days: integer('The number of observed days that the verdict is based on'),
  },
);
