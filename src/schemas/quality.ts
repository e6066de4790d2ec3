import { type Static, Type } from 'typebox';

/**
 * The names of the quality flags of a listing: those of its price, then of its identity, then of missing
 * fields. Responses list flags in this order.
 */
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
    day: Type.Integer({ description: 'Listings checked within the last 24 hours' }),
    week: Type.Integer({ description: 'Listings checked between 1 and 7 days ago' }),
    month: Type.Integer({ description: 'Listings checked between 7 and 30 days ago' }),
    older: Type.Integer({ description: 'Listings checked more than 30 days ago' }),
    never: Type.Integer({ description: 'Listings without `last_checked`' }),
  },
  { description: 'The number of listings by the age of `last_checked`' },
);

export type Freshness = Static<typeof FreshnessSchema>;
