import { Type, type Static } from 'typebox';
import { listOf, nullable, text, time, timeOrNull } from './types.js';

const PRODUCT_EXAMPLE = {
  id: 4_503_599_627_370_496,
  sku: 'SPEE-204817',
  source: 'shopee_sg',
  merchant_id: 'soundhaus',
  name: 'Auralis AH-730M7 Wireless Noise Cancelling Headphones, Black',
  description: 'Over-ear headphones with 30 hours of battery life.',
  price: '349.00',
  currency: 'SGD',
  buy_url: 'https://shopee-sg.example/products/SPEE-204817',
  affiliate_url: 'https://catalogue.example/track/4503599627370496',
  image_url: 'https://catalogue.example/images/ah-730m7-black.jpg',
  brand: 'Auralis',
  category: 'Over-ear Headphones',
  category_path: ['Electronics', 'Audio', 'Over-ear Headphones'],
  rating: '4.7',
  is_available: true,
  last_checked: '2026-11-20T22:15:00Z',
  metadata: { model: 'AH-730M7', attributes: { colour: 'black' } },
  updated_at: '2026-11-19T08:30:00Z',
};

/** A listing as every endpoint returns it, with its fields in order. An unknown value is `null` (for `category_path`: `[]`). */
export const ProductSchema = Type.Object(
  {
    id: Type.Integer({
      description: 'Product id assigned by the service',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    sku: text('Product SKU, unique within its source'),
    source: text('Code of the platform that the listing comes from'),
    merchant_id: nullable('string', 'Merchant or shop identifier'),
    name: text('Product title'),
    description: nullable('string', 'Product description'),
    price: nullable('string', 'Price as a decimal string with at least two decimals', {
      pattern: '^\\d+\\.\\d{2,}$',
    }),
    currency: nullable('string', 'ISO 4217 currency code'),
    buy_url: nullable('string', 'Direct purchase URL'),
    affiliate_url: nullable(
      'string',
      'Affiliate URL: that of the feed, or else that of the operator for the source (`AFFILIATE_URLS`), or else a tracked link of this service if there is a `buy_url`',
    ),
    image_url: nullable('string', 'Image URL'),
    brand: nullable('string', 'Brand name'),
    category: nullable('string', 'Primary category'),
    category_path: listOf(Type.String(), 'All category levels, from the broadest to the narrowest'),
    rating: nullable('string', 'Rating from 0 to 5 as a decimal string'),
    is_available: nullable('boolean', 'Whether the product is in stock; null if it is unknown'),
    last_checked: timeOrNull('When the availability was last checked, ISO 8601 in UTC'),
    metadata: Type.Unknown({ description: 'Other data from the feed: any JSON value, or null' }),
    updated_at: time('When anything but `last_checked` last changed, ISO 8601 in UTC'),
  },
  {
    $id: 'Product',
    description: 'A listing of a shop. Every field is present; unknown values are null',
    examples: [PRODUCT_EXAMPLE],
  },
);

export type Product = Static<typeof ProductSchema>;

/** The fields of a listing in the order of responses. */
export const PRODUCT_FIELDS = Object.keys(ProductSchema.properties) as readonly (keyof Product)[];
/** The fields of a listing that a feed may state. */
export const STATED_FIELDS = PRODUCT_FIELDS.filter((field) => field !== 'id' && field !== 'updated_at');

/** The maximum lengths of the texts of a listing, in code points. */
export const LIMITS = {
  sku: 256,
  source: 64,
  merchant_id: 256,
  name: 1_000,
  description: 50_000,
  brand: 200,
  category: 200,
  category_level: 200,
  url: 2_048,
} as const;
