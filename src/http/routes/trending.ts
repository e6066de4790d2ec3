import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters, unitPer, withAttributeFilters } from '../../engine/queries/filters.js';
import { changesWithTime } from '../../engine/queries/refinements.js';
import { includeParameter, ListedProductSchema } from '../../schemas/include.js';
import { paging } from '../../schemas/page.js';
import { component, integer, nullable, optional } from '../../schemas/types.js';
import { filterIssues } from '../../products/list-requests.js';
import { listTrending } from '../../usecases/trending/list-trending.js';

const TrendingSchema = component('TrendingPage', 'The listings that changed last, or the trending listings', {
  category: nullable('string', 'The `category` filter of the request'),
  total: integer('Exact number of matching listings'),
  limit: integer('The maximum number of listings in `items`'),
  basis: optional.Enum(['updated', 'movement', 'new'], {
    description:
      'How `items` are sorted; only if the request has `basis`. `new` replaces `movement` if no matching listing is trending',
  }),
  moving: optional.integer(
    'With `basis=movement`: the number of trending listings in `items`. They come first; the newest listings follow',
  ),
  measured_at: optional.timeOrNull(
    'With `basis=movement`: when the trends were measured; null if they were not in the last two days',
  ),
  items: Type.Array(ListedProductSchema),
});

export const trending = endpoint({
  tag: 'Listings',
  summary: 'List the latest changes or the trending listings',
  description:
    'By default, listings are sorted by the time of their last change, the latest first. With `basis=movement`, the trending ' +
    'listings of the last seven days come first: those whose link to the shop most visitors followed, and those found by the ' +
    'texts that most developers searched for. Each visitor and each developer counts once, and a listing or text needs at least ' +
    'three of them. The listings that were first observed last follow.',
  query: withAttributeFilters({
    ...filterParameters,
    unit_per: unitPer,
    basis: optional.Enum(['updated', 'movement'], {
      description:
        '`updated` (the default): the listing that changed last first. `movement`: trending listings first, then the newest',
    }),
    include: includeParameter(),
    limit: paging(50).limit,
  }),
  // Responses with trends are not cached, because trends change while the listings stay the same.
  cached: (query) => !changesWithTime(query) && query.basis !== 'movement',
  check: filterIssues,
  responses: {
    200: { description: 'The latest changes or the trending listings', schema: TrendingSchema },
    400: { description: 'The minimum price exceeds the maximum price' },
  },
  handle: (context, { query }) => listTrending(context, query),
});
