import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { component, Enum, integer, money, optional, text } from '../../schemas/types.js';
import { listCategories } from '../../usecases/categories.js';

const CategoriesSchema = component(
  'CategoryList',
  'All primary categories, sorted by the number of listings',
  {
    categories: Type.Array(
      Type.Object({
        name: text('Primary category', 'Over-ear Headphones'),
        count: integer('The number of listings in the category', 148),
        prices: optional.listOf(
          Type.Object({
            currency: Type.String(),
            min: money('Lowest price'),
            median: money('Median price'),
            max: money('Highest price'),
          }),
          'With `include=prices`: the prices in each currency',
        ),
      }),
    ),
    total: integer('The number of categories'),
  },
);

export const categories = endpoint({
  tag: 'Listings',
  summary: 'List all primary categories with their number of listings',
  description: 'Listings without a category are not counted.',
  query: Type.Object({
    include: optional.List(',', Enum(['prices']), {
      maxItems: 20,
      description: '`prices` adds the lowest, median and highest price of each category in each currency',
    }),
  }),
  responses: { 200: { description: 'All categories', schema: CategoriesSchema } },
  cached: true,
  handle: (context, { query }) => listCategories(context, query),
});
