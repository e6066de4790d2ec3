import { type Static, Type } from 'typebox';
import { integer } from './types.js';

/** The quality flags of a listing in the order of responses: price, identity, missing fields. */
export const FLAG_NAMES = [
  'price_placeholder',
  'price_outlier',
  'gtin_check',
  'gtin_conflict',
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
    day: integer('Listings checked within the last 24 hours'),
    week: integer('Listings checked between 1 and 7 days ago'),
    month: integer('Listings checked between 7 and 30 days ago'),
    older: integer('Listings checked more than 30 days ago'),
    never: integer('Listings without `last_checked`'),
  },
  { description: 'The number of listings by the age of `last_checked`' },
);

export type Freshness = Static<typeof FreshnessSchema>;
