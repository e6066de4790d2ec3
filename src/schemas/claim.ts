import { type Static, Type } from 'typebox';
import { component, Enum, money, orNull, time } from './types.js';

const VERDICTS = ['supported', 'exaggerated', 'unsupported', 'unknown'] as const;
export type ClaimVerdict = (typeof VERDICTS)[number];

export const Reference30dSchema = component('Reference30d', {
  price: money('The lowest known price in that time, in the currency of the listing', '429.00'),
  from: time('The start of the 30 days'),
  to: time('When the current price took effect'),
});

export const ClaimSchema = component(
  'Claim',
  'With `include=claim`: compares the price reduction that the shop states with the observed prices, by the rule of article ' +
    '6a of Directive 98/6/EC: the reference is the lowest price of the 30 days before the reduction. A price that falls in ' +
    'several steps is compared with the 30 days before the last step. A deal is below the median of 90 days instead, so the claim ' +
    'of a deal may be `unsupported`',
  {
    stated_pct: orNull(
      Type.Number({ examples: [30] }),
      'The reduction that the feed states, from its list price to its price, in percent, rounded to two decimals. Null if the feed states no list price above the price',
    ),
    observed_pct: orNull(
      Type.Number({ examples: [18.65] }),
      'How far the price is below `reference_30d`, in percent, rounded to two decimals; below 0 if it is above. Null if `reference_30d` is null',
    ),
    verdict: Enum(VERDICTS, {
      description:
        '`supported`: the observed reduction is at least the stated one, less one percentage point. `exaggerated`: it is above ' +
        'zero, but smaller. `unsupported`: the price is not below `reference_30d`. `unknown`: the feed states no reduction, or ' +
        'prices are known for fewer than 30 days before the current price took effect',
    }),
  },
);

export type Claim = Static<typeof ClaimSchema>;
export type Reference30d = Static<typeof Reference30dSchema>;
