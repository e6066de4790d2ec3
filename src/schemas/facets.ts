import { Type } from 'typebox';
import { money } from './types.js';

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

const ValuesFacetSchema = Type.Object(
  {
    name: Type.String({ description: 'The facet: `brand`, `attr.colour`' }),
    type: Type.Literal('values'),
    values: Type.Array(
      Type.Object({
        value: Type.String({
          description:
            'As it is written most often; of `availability` in_stock, out_of_stock or unknown; of `rating` this or more',
        }),
        count: Type.Integer({ description: 'Listings that have it' }),
        selected: Type.Boolean({ description: 'Whether the request filters by it' }),
      }),
      { description: 'The commonest first; of `rating` the highest, of `availability` what is in stock' },
    ),
    distinct: Type.Integer({ description: 'Number of values in all' }),
    other: Type.Integer({ description: 'Listings that have a value which is not shown' }),
    exact: Type.Boolean({ description: 'Whether the counts are exact' }),
    coverage: Type.Optional(
      Type.Number({ description: 'Of an attribute: part of the counted listings that state it, 0 to 1' }),
    ),
  },
  { $id: 'ValuesFacet' },
);

const PriceFacetSchema = Type.Object(
  {
    name: Type.Literal('price'),
    type: Type.Literal('range'),
    currency: Type.String({ description: 'ISO 4217 code of all its prices' }),
    count: Type.Integer({ description: 'Listings with a price in this currency' }),
    min: money('Lowest price'),
    max: money('Highest price'),
    buckets: Type.Array(
      Type.Object({
        from: money('Lowest price, inclusive'),
        to: money('Where the next begins: exclusive'),
        count: Type.Integer({ description: 'Listings' }),
      }),
      { description: 'At most ten, side by side; each begins at 1, 2 or 5 of a power of ten' },
    ),
  },
  { $id: 'PriceFacet' },
);

export const FacetSchema = Type.Union([ValuesFacetSchema, PriceFacetSchema], {
  description:
    'How many of the listings that all other filters let pass have each value: its own filter does not narrow a facet',
});
