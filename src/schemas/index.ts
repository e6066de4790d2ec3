import { Type } from 'typebox';
import { LIMITS } from '../listing/validate.js';

/** `string | null` in one schema; OpenAPI 3.1 writes it as a type array. */
export const nullable = (
  type: 'string' | 'boolean',
  description: string,
  extra: Record<string, unknown> = {},
) => Type.Unsafe<string | null>({ type: [type, 'null'], description, ...extra });

/** A price that is always there, as a decimal string. */
export const money = (description: string) => Type.String({ description, pattern: '^\\d+\\.\\d{2,}$' });

/**
 * A decimal in the query or body, e.g. a price limit. Handlers get its text, and that of its default, so that no cent
 * passes through a float; a default is stated as documents show it, as a number.
 */
export const Decimal = (options: { default?: number } & Record<string, unknown>) =>
  Type.Unsafe<string>({ type: 'number', ...options });

const PRODUCT_EXAMPLE = {
  id: 4_503_599_627_370_496,
  sku: 'SPEE-204817',
  source: 'shopee_sg',
  merchant_id: 'soundhaus',
  name: 'Auralis AX-1000M5 Wireless Noise Cancelling Headphones, Black',
  description: 'Over-ear headphones with 30 hours of battery life.',
  price: '349.00',
  currency: 'SGD',
  buy_url: 'https://shopee-sg.example/products/SPEE-204817',
  affiliate_url: 'https://catalogue.example/track/4503599627370496',
  image_url: 'https://catalogue.example/images/ax-1000m5-black.jpg',
  brand: 'Auralis',
  category: 'Over-ear Headphones',
  category_path: ['Electronics', 'Audio', 'Over-ear Headphones'],
  rating: '4.7',
  is_available: true,
  last_checked: '2026-11-20T22:15:00Z',
  metadata: { model: 'AX-1000M5', attributes: { colour: 'black' } },
  updated_at: '2026-11-19T08:30:00Z',
};

export const ProductSchema = Type.Object(
  {
    id: Type.Integer({
      description: 'Product id assigned by the service',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    sku: Type.String({ description: 'Product SKU, unique within its source' }),
    source: Type.String({ description: 'Source platform code' }),
    merchant_id: nullable('string', 'Merchant or shop identifier'),
    name: Type.String({ description: 'Product title' }),
    description: nullable('string', 'Product description'),
    price: nullable('string', 'Price as a decimal string, at least two decimals', {
      pattern: '^\\d+\\.\\d{2,}$',
    }),
    currency: nullable('string', 'ISO 4217 currency code'),
    buy_url: nullable('string', 'Direct purchase URL'),
    affiliate_url: nullable(
      'string',
      "Tracked affiliate URL: the feed's, else one of this service where there is a `buy_url`",
    ),
    image_url: nullable('string', 'Image URL'),
    brand: nullable('string', 'Brand name'),
    category: nullable('string', 'Primary category'),
    category_path: Type.Array(Type.String(), { description: 'Full category hierarchy, top first' }),
    rating: nullable('string', 'Rating from 0 to 5 as a decimal string'),
    is_available: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Currently in stock',
    }),
    last_checked: nullable('string', 'Last availability check, ISO 8601 in UTC', { format: 'date-time' }),
    metadata: Type.Unknown({ description: 'Whatever else the feed told: any JSON value, null for nothing' }),
    updated_at: Type.String({
      description: 'When the listing last changed in anything but `last_checked`, ISO 8601 in UTC',
      format: 'date-time',
    }),
  },
  { $id: 'Product', description: 'One listing of one shop', examples: [PRODUCT_EXAMPLE] },
);

export const SearchPageSchema = Type.Object(
  {
    total: Type.Integer({ description: 'Exact number of matching listings' }),
    limit: Type.Integer({ description: 'Page size used' }),
    offset: Type.Integer({ description: 'Offset used' }),
    has_more: Type.Boolean({ description: 'Whether a later page has anything' }),
    items: Type.Array(ProductSchema),
  },
  { $id: 'SearchPage', description: 'One page of listings' },
);

export const ErrorSchema = Type.Object(
  { detail: Type.String({ description: 'What went wrong' }) },
  { $id: 'Error', description: 'Any error but a failed validation' },
);

export const ValidationErrorSchema = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'Where: for example `["query", "limit"]` or `["body", "product_ids", 1]`',
        }),
        msg: Type.String({ description: 'What is wrong, for people' }),
        type: Type.String({ description: 'What is wrong, for programs' }),
      }),
    ),
  },
  { $id: 'ValidationError', description: 'Everything that is wrong with a request, at once' },
);

/** The last offset that pages; beyond it a client is better served by an export. */
export const MAX_OFFSET = 1_000_000;

/** `limit` and `offset` of the paged endpoints. */
export const paging = (defaultLimit: number, maxLimit = 100) => ({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit, description: 'Page size' }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: `Listings to leave out before the page; over ${MAX_OFFSET} gives 400`,
    }),
  ),
});

/** The filters that search, export and others share. */
export const filterParameters = {
  category: Type.Optional(
    Type.String({
      description: 'Part of the primary category name, in upper or lower case; every character means itself',
      // No category is longer, and the engine refuses patterns of some hundred characters.
      maxLength: LIMITS.category,
    }),
  ),
  min_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Lowest price, inclusive; leaves out listings without a price' }),
  ),
  max_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Highest price, inclusive; leaves out listings without a price' }),
  ),
};

/** Two names of one filter; `filterClauses` decides between them. */
export const platformParameters = {
  platform: Type.Optional(Type.String({ description: 'Source platform code, such as `shopee_sg`' })),
  source: Type.Optional(
    Type.String({ description: 'Another name for `platform`, which wins where both are given' }),
  ),
};
