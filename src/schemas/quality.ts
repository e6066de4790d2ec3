import { type Static, Type } from 'typebox';
import { integer } from './types.js';

/** The quality flags of a listing in the order of responses: price, identity, missing fields. */
export const FLAG_NAMES = [
  'price_placeholder',
  'price_outlier',
  'price_disputed',
  'price_low',
  'gtin_check',
  'gtin_conflict',
  'condition_conflict',
  'duplicate',
  'stale',
  'no_brand',
  'no_category',
  'no_image',
  'no_price',
  'short_name',
] as const;
export type Flag = (typeof FLAG_NAMES)[number];

export const FreshnessSchema = Type.Object(
  {
    day: integer('Listings seen within the last 24 hours'),
    week: integer('Listings seen between 1 and 7 days ago'),
    month: integer('Listings seen between 7 and 30 days ago'),
    older: integer('Listings seen more than 30 days ago'),
    never: integer('Listings that were never seen'),
  },
  {
    description:
      'The number of listings by the time since they were last seen: `last_checked`, or the time at which a feed last contained them, whichever is later',
  },
);

export type Freshness = Static<typeof FreshnessSchema>;
