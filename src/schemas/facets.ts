import { Type } from 'typebox';
import { Enum, money } from './types.js';

/** Names of facets, besides `attr.NAME`. */
export const FACETS = [
  ...(['brand', 'category', 'source', 'currency', 'availability', 'rating', 'price', 'attributes'] as const),
];

/** What a request may ask for. */
export const MOST_FACETS = 10;

/** Ratings that are offered, each with all above it. */
export const RATINGS = ['4', '3', '2', '1'];

/** Attributes that `attributes` stands for, and the least part of the matches that must state one. */
export const ATTRIBUTE_FACETS = { most: 8, coverage: 0.05 };

/** One object type with optional members, because typed clients would have to cast a union. */
export const FacetSchema = Type.Object(
  {
    name: Type.String({ description: 'The facet: `brand`, `price`, `attr.colour`' }),
    type: Enum(['values', 'range'], {
      description:
        'values: the members `values`, `distinct`, `other` and `exact`; range: `currency`, `count`, `min`, `max` and `buckets`',
    }),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.String({
            description:
              'As most listings write it; for `availability` in_stock, out_of_stock or unknown; for `rating` this rating or more',
          }),
          count: Type.Integer({ description: 'Listings that have it' }),
          selected: Type.Boolean({ description: 'Whether the request filters by it' }),
        }),
        {
          description:
            'The commonest first; of `rating` the highest first, of `availability` what is in stock. Selected values are listed even without a listing',
        },
      ),
    ),
    distinct: Type.Optional(Type.Integer({ description: 'Number of different values' })),
    other: Type.Optional(Type.Integer({ description: 'Listings that have a value which is not shown' })),
    exact: Type.Optional(Type.Boolean({ description: 'Whether the counts are exact' })),
    coverage: Type.Optional(
      Type.Number({
        description: 'For an attribute: the share of the counted listings that state it, 0 to 1',
      }),
    ),
    currency: Type.Optional(Type.String({ description: 'ISO 4217 code of all prices of the facet' })),
    count: Type.Optional(Type.Integer({ description: 'Listings with a price in this currency' })),
    min: Type.Optional(money('Lowest price')),
    max: Type.Optional(money('Highest price')),
    buckets: Type.Optional(
      Type.Array(
        Type.Object({
          from: money('Lowest price, inclusive'),
          to: money('Where the next bucket begins: exclusive'),
          count: Type.Integer({ description: 'Listings' }),
        }),
        { description: 'At most ten, side by side; each begins at 1, 2 or 5 times a power of ten' },
      ),
    ),
  },
  {
    $id: 'Facet',
    description:
      'How many of the listings that pass all other filters have each value: its own filter does not narrow a facet',
  },
);
