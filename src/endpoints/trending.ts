import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchPage } from '../elasticsearch/pages.js';
import { latestSelection } from '../queries/listings.js';
import { withItems } from '../results/passthrough.js';
import { filterParameters } from '../schemas/filters.js';
import { paging } from '../schemas/page.js';
import { ProductSchema } from '../schemas/product.js';

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
  tag: 'Listings',
  summary: 'Recently updated listings, the latest first',
  query: Type.Object({ category: filterParameters.category, limit: paging(50).limit }),
  cached: true,
  responses: { 200: { description: 'The latest changes', schema: TrendingSchema } },
  async handle({ es, products, config }, { query }) {
    const { category = null, limit = 50 } = query;
    const { total, listings } = await searchPage(es, products, latestSelection(query), { limit, offset: 0 });
    const frame = { category, total, limit };
    return { body: withItems(frame, listings, config), event: { results: total } };
  },
});
