import { Type } from 'typebox';
import { component, Enum, flag, integer, money, optional, text } from './types.js';

/**
 * The facets besides `attr.NAME`, in the order in which they are documented, and whether `facet_q` can search their values.
 * To add a facet, add it here, and its queries to `FACET_QUERIES` in `src/engine/queries/facets.ts`.
 */
const SEARCHABLE = {
  brand: true,
  category: true,
  category_path: true,
  source: true,
  currency: true,
  availability: false,
  condition: false,
  rating: false,
  price: false,
  attributes: false,
};

export type Facet = keyof typeof SEARCHABLE;
export const FACETS = Object.keys(SEARCHABLE) as Facet[];
export const SEARCHABLE_FACETS = FACETS.filter((name) => SEARCHABLE[name]);

export const isFacet = (name: string): name is Facet => Object.hasOwn(SEARCHABLE, name);

export const MAX_FACETS = 10;

/** The values of the facet `rating`. Each counts the listings with this rating or a higher one. */
export const RATINGS = ['4', '3', '2', '1'];

/** The maximum number of attributes in the facet `attributes`, and the least share (0 to 1) of the listings that state each. */
export const ATTRIBUTE_FACETS = { most: 8, coverage: 0.05 };

/** One object type with optional members, because typed clients would have to cast a union. */
export const FacetSchema = component(
  'Facet',
  'The number of listings with each value, among those that pass all filters except the facet’s own',
  {
    name: text('The facet: `brand`, `price`, `attr.colour`'),
    type: Enum(['values', 'range'], {
      description:
        '`values`: has the members `values`, `distinct`, `other` and `exact`; `range`: has `currency`, `count`, `min`, `max` and `buckets`',
    }),
    values: optional.listOf(
      Type.Object({
        value: text(
          'In the form that most listings use; for `availability` in_stock, out_of_stock or unknown; for `rating` this rating or higher; ' +
            'for `category_path` the levels from the first one on, joined by ` > `',
        ),
        count: integer('Number of listings with the value'),
        selected: flag('Whether the request filters by it'),
      }),
      'The most frequent first; for `rating` the highest first, for `availability` in_stock first; for `category_path` the first ' +
        'level, then the second and so on, up to `facet_limit` values of each. Selected values are listed even if no listing has ' +
        'them, unless `facet_q` leaves them out',
    ),
    distinct: optional.integer('Number of different values; with `facet_q` of those that contain the text'),
    other: optional.integer('Number of listings with a value that is not listed'),
    exact: optional.flag('Whether the counts are exact'),
    coverage: Type.Optional(
      Type.Number({
        description: 'For an attribute: the share of the counted listings that state it, 0 to 1',
      }),
    ),
    currency: optional.text('ISO 4217 code of all prices of the facet'),
    count: optional.integer('Number of listings with a price in this currency'),
    min: optional.money('Lowest price'),
    max: optional.money('Highest price'),
    buckets: optional.listOf(
      Type.Object({
        from: money('Lowest price, inclusive'),
        to: money('Highest price, inclusive'),
        count: integer(
          'Number of listings; `min_price` and `max_price` with these two prices, and `currency`, select the same ones',
        ),
      }),
      'At most ten, without gaps; each begins at 1, 2 or 5 times a power of ten. A listing whose price is exactly where two buckets meet counts in both',
    ),
  },
);
