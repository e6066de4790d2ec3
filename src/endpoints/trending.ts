import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchPage } from '../elasticsearch/pages.js';
import { BY_UPDATE, filterClauses } from '../queries/listings.js';
import { withItems } from '../results/passthrough.js';
import { filterParameters, paging, ProductSchema } from '../schemas/index.js';

const TrendingSchema = Type.Object(
  {
    category: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The filter that was asked for',
    }),
    total: Type.Integer({ description: 'Exact number of matching listings' }),
    limit: Type.Integer({ description: 'Most listings in `items`' }),
    items: Type.Array(ProductSchema),
  },
  { $id: 'Trending', description: 'What changed last' },
);

export const trending = endpoint({
  method: 'get',
  path: '/v1/products/trending',
  name: 'trending',
  access: 'key',
  tag: 'Listings',
  summary: 'Recently updated listings, the latest first',
  query: Type.Object({ category: filterParameters.category, limit: paging(50).limit }),
  cached: true,
  responses: { 200: { description: 'The latest changes', schema: TrendingSchema } },
  async handle({ es, products, config }, { query: { category, limit = 50 } }) {
    const selection = { query: { bool: { filter: filterClauses({ category }) } }, sort: BY_UPDATE };
    const { total, listings } = await searchPage(es, products, selection, { limit, offset: 0 });
    const frame = { category: category ?? null, total, limit };
    return { body: withItems(frame, listings, config), event: { results: total } };
  },
});
