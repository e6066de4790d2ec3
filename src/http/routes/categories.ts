import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { categoriesRequest, type AfterKey } from '../../engine/queries/categories.js';
import { toCategories, type CategoryBucket } from '../../usecases/categories/categories.js';
import { Enum, List, money } from '../../schemas/types.js';

const CategoriesSchema = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Primary category', examples: ['Over-ear Headphones'] }),
        count: Type.Integer({ description: 'Listings in it', examples: [148] }),
        prices: Type.Optional(
          Type.Array(
            Type.Object({
              currency: Type.String(),
              min: money('Lowest price'),
              median: money('Median price'),
              max: money('Highest price'),
            }),
            { description: 'With `include=prices`: the spread of prices, for each currency by itself' },
          ),
        ),
      }),
    ),
    total: Type.Integer({ description: 'Number of categories' }),
  },
  { $id: 'CategoryList', description: 'Every primary category, most listings first' },
);

export const categories = endpoint({
  tag: 'Listings',
  summary: 'Every primary category with its number of listings',
  description: 'Listings without a category are left out.',
  query: Type.Object({
    include: Type.Optional(
      List(',', Enum(['prices']), {
        maxItems: 20,
        description: '`prices` adds the spread of prices to each category',
      }),
    ),
  }),
  responses: { 200: { description: 'All categories', schema: CategoriesSchema } },
  cached: true,
  async handle({ es, products }, { query }) {
    const buckets: CategoryBucket[] = [];
    let after: AfterKey | undefined;
    do {
      const request = categoriesRequest(query.include?.includes('prices') === true, after);
      const answer = await es.search<
        unknown,
        { categories: { buckets: CategoryBucket[]; after_key?: AfterKey } }
      >({ index: products, ...request });
      const page = answer.aggregations?.categories;
      buckets.push(...(page?.buckets ?? []));
      const full = request.aggs?.categories?.composite?.size === page?.buckets.length;
      after = full ? page?.after_key : undefined;
    } while (after !== undefined);
    return { body: toCategories(buckets) };
  },
});
