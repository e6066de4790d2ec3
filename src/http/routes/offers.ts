import { Type } from 'typebox';
import { valueIssue } from '../../platform/errors.js';
import { endpoint } from '../endpoint.js';
import { filterParameters, includeFlagged } from '../../engine/queries/filters.js';
import { rankByParameter } from '../../schemas/delivery.js';
import {
  type Include,
  includeChangesWithTime,
  includeParameter,
  readingIssues,
} from '../../schemas/include.js';
import { ProductOffersSchema } from '../../schemas/offers.js';
import { offsetTooLarge, paging } from '../../schemas/page.js';
import { documentedAs, optional } from '../../schemas/types.js';
import { listOffers } from '../../usecases/offers.js';
import { noSuchProduct, productPath } from '../../products/product-ids.js';

export const offers = endpoint({
  tag: 'Comparison',
  summary: 'List all offers of a product',
  description:
    'Returns all listings of the same product on any platform. Sorted by price, offers of new goods come first, then the others, then those ' +
    'out of stock, and last those with a flagged price (`GET /v1/quality`), which `price_range` leaves out. Prices in several ' +
    'currencies are compared in one.',
  pathParameters: productPath,
  query: Type.Object({
    in_stock: filterParameters.in_stock,
    currency: filterParameters.currency,
    condition: filterParameters.condition,
    sort: optional.Enum(['price', 'updated'], {
      default: 'price',
      description: '`price`: in stock first, then the lowest price. `updated`: the latest change first',
    }),
    rank_by: rankByParameter('price', 'the price alone'),
    include_flagged: includeFlagged,
    include: includeParameter('position', 'reading'),
    ...paging(50),
    // The default is documented but not filled in by validation, because with `include=reading` another default applies.
    limit: Type.Optional(
      documentedAs(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of items on a page' }),
        { default: 50 },
      ),
    ),
  }),
  check: (query: { sort?: string; rank_by?: string; include?: Include; limit?: number }) => [
    ...(query.sort === 'updated' && query.rank_by === 'total'
      ? [valueIssue(['query', 'rank_by'], 'total requires sort=price')]
      : []),
    ...readingIssues(query),
  ],
  cached: ({ include }: { include?: Include }) => !includeChangesWithTime(include),
  responses: {
    200: { description: 'The product and a page of its offers', schema: ProductOffersSchema },
    400: offsetTooLarge,
    404: noSuchProduct,
  },
  async handle(context, { path, query }) {
    const body = await listOffers(context, path.product_id, query);
    return { body, event: { results: body.total } };
  },
});
