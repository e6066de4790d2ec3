import { type Static, Type } from 'typebox';
import { component, integer, orNull } from './types.js';

/** The quality flags of a listing in the order of responses: price, identity, missing fields. */
export const FLAG_NAMES = [
  ...(['price_placeholder', 'price_outlier', 'price_disputed', 'price_low'] as const),
  ...(['gtin_check', 'gtin_conflict', 'condition_conflict', 'duplicate', 'stale'] as const),
  ...(['no_brand', 'no_category', 'no_image', 'no_price', 'short_name'] as const),
] as const;
export type Flag = (typeof FLAG_NAMES)[number];

export const FreshnessSchema = component(
  'Freshness',
  'The number of listings by the time since they were last seen: `last_checked`, or the time at which a feed last contained them, whichever is later',
  {
    day: integer('Listings seen within the last 24 hours'),
    week: integer('Listings seen between 1 and 7 days ago'),
    month: integer('Listings seen between 7 and 30 days ago'),
    older: integer('Listings seen more than 30 days ago'),
    never: integer('Listings that were never seen'),
  },
);

export type Freshness = Static<typeof FreshnessSchema>;

const share = (of: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `The share of ${of}, rounded to three decimals` });

export const AssessmentSchema = component(
  'Assessment',
  'The data quality of listings: in `all` of all requested sources together',
  {
    listings: integer('The number of listings'),
    score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'A score from 0 to 100: up to 40 points for completeness (the mean of the shares in `completeness`), up to 30 for the share ' +
        'of listings seen in the last 7 days, and up to 30 for the share of listings without a price, GTIN or duplicate flag',
    }),
    completeness: Type.Record(
      Type.String(),
      Type.Number({ description: 'A share of the listings', minimum: 0, maximum: 1 }),
      { description: 'For each field, the share of listings that have a value, rounded to three decimals' },
    ),
    price_details: Type.Object(
      {
        delivery: share('listings whose delivery price is known (`include=delivery`)'),
        unit_price: share('listings with a price per kilogram, litre, metre or piece (`include=unit_price`)'),
      },
      { description: 'What is known about prices; it does not count in the score' },
    ),
    freshness: FreshnessSchema,
    flags: Type.Record(Type.String(), integer('The number of listings'), {
      description: `The number of listings with each flag: ${FLAG_NAMES.join(', ')}. GET /v1/quality/{flag} lists them`,
    }),
    claims: Type.Object(
      {
        stated: integer('Listings whose feed states a list price above the price'),
        supported: integer('Those whose price fell by as much as the feed states'),
        exaggerated: integer('Those whose price fell by less'),
        unsupported: integer('Those whose price is not below the lowest price of the 30 days before'),
        unknown: integer('Those whose prices are not known for long enough'),
        unsupported_share: orNull(
          Type.Number({ minimum: 0, maximum: 1 }),
          'The share of unsupported claims among those that are not unknown, rounded to three decimals; null if there are none',
        ),
      },
      {
        description:
          'The price reductions that feeds state, compared with the observed prices (`include=claim` shows those of a listing)',
      },
    ),
  },
);
