import { Type } from 'typebox';
import type { Context } from '../../usecases/context.js';
import { endpoint } from '../endpoint.js';
import { readTrends } from '../../usecases/trending/find-trending.js';
import { searchPage } from '../../engine/pages.js';
import { latestSelection } from '../../engine/queries/listings.js';
import { trendingSelections } from '../../engine/queries/trending.js';
import { withItems } from '../../engine/passthrough.js';
import {
  attributeParameters,
  changesWithTime,
  type Filters,
  filterParameters,
} from '../../schemas/filters.js';
import { paging } from '../../schemas/page.js';
import { ProductSchema } from '../../schemas/product.js';
import { Enum, nullable } from '../../schemas/types.js';
import { checkFilters, filterIssues } from '../../usecases/shared/filters.js';

const TrendingSchema = Type.Object(
  {
    category: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The filter that was asked for',
    }),
    total: Type.Integer({ description: 'Exact number of matching listings' }),
    limit: Type.Integer({ description: 'Most listings in `items`' }),
    basis: Type.Optional(
      Enum(['updated', 'movement', 'new'], {
        description:
          'Where `basis` is given, what the order rests on: `new` where nothing that matches is known to move',
      }),
    ),
    moving: Type.Optional(
      Type.Integer({
        description:
          'With `basis=movement`: so many of `items`, from the first on, move; behind them comes what is new',
      }),
    ),
    measured_at: Type.Optional(
      nullable('string', 'With `basis=movement`: when it was counted what moves; null: it is not counted', {
        format: 'date-time',
      }),
    ),
    items: Type.Array(ProductSchema),
  },
  { $id: 'TrendingPage', description: 'What changed last, or what moves' },
);

export const trending = endpoint({
  tag: 'Listings',
  summary: 'What changed last, or what moves',
  description:
    'Listings by when they changed last. With `basis=movement` by what people do: first those that most people of the ' +
    'last seven days followed to the shop, or that what most keys searched for finds (each counts once, three at least), ' +
    'then those that the catalogue has known for the shortest time.',
  query: Type.Object(
    {
      ...filterParameters,
      basis: Type.Optional(
        Enum(['updated', 'movement'], {
          description:
            'updated, as without it: what changed last first; movement: what moves, then what is new',
        }),
      ),
      limit: paging(50).limit,
    },
    attributeParameters,
  ),
  // What moves changes without the listings.
  cached: (query) => !changesWithTime(query) && query.basis !== 'movement',
  check: filterIssues,
  responses: {
    200: { description: 'The latest changes, or what moves', schema: TrendingSchema },
    400: { description: 'Price limits that cross' },
  },
  async handle(context, { query }) {
    const { es, products, config, now } = context;
    const { category = null, limit = 50, basis } = query;
    await checkFilters(context, query);
    if (basis === 'movement') {
      const { total, listings, ...what } = await byMovement(context, query, limit);
      const frame = { category, total, limit, ...what };
      return { body: withItems(frame, listings, config), event: { results: total } };
    }
    const selection = latestSelection(query, now());
    const { total, listings } = await searchPage(es, products, selection, { limit, offset: 0 });
    const frame = { category, total, limit, ...(basis === undefined ? {} : { basis }) };
    return { body: withItems(frame, listings, config), event: { results: total } };
  },
});

/** What moves, and behind it what is new. */
async function byMovement({ es, products, trends, now }: Context, filters: Filters, limit: number) {
  const at = now();
  const known = await readTrends(es, trends, at);
  const { moving, others } = trendingSelections(filters, known?.listings ?? [], at);
  const page = { limit, offset: 0 };
  const [first, then] = await Promise.all([
    searchPage(es, products, moving, page),
    searchPage(es, products, others, page),
  ]);
  const movers = first.listings.length;
  const basis = movers > 0 ? ('movement' as const) : ('new' as const);
  return {
    total: first.total + then.total,
    basis,
    moving: movers,
    measured_at: known?.measured_at ?? null,
    listings: [...first.listings, ...then.listings].slice(0, limit),
  };
}
