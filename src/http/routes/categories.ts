import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { Enum, List, money } from '../../schemas/types.js';
import { listCategories } from '../../usecases/categories.js';

const CategoriesSchema = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Primary category', examples: ['Over-ear Headphones'] }),
        count: Type.Integer({ description: 'The number of listings in the category', examples: [148] }),
        prices: Type.Optional(
          Type.Array(
            Type.Object({
              currency: Type.String(),
              min: money('Lowest price'),
              median: money('Median price'),
              max: money('Highest price'),
            }),
            { description: 'With `include=prices`: the prices in each currency' },
          ),
        ),
      }),
    ),
    total: Type.Integer({ description: 'The number of categories' }),
  },
  { $id: 'CategoryList', description: 'All primary categories, sorted by the number of listings' },
);

export const categories = endpoint({
  tag: 'Listings',
  summary: 'List all primary categories with their number of listings',
  description: 'Listings without a category are not counted.',
  query: Type.Object({
    include: Type.Optional(
      List(',', Enum(['prices']), {
        maxItems: 20,
        description: '`prices` adds the lowest, median and highest price of each category in each currency',
      }),
    ),
  }),
  responses: { 200: { description: 'All categories', schema: CategoriesSchema } },
  cached: true,
  handle: (context, { query }) => listCategories(context, query),
});
