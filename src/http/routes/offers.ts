import { Type } from 'typebox';
import { toOffers } from '../../usecases/shared/offers.js';
import { findOffers } from '../../usecases/shared/find-matches.js';
import { isLinked } from '../../listing/group.js';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import { pageFrame } from '../../usecases/shared/page.js';
import { filterParameters, includeFlagged } from '../../schemas/filters.js';
import { ProductOffersSchema } from '../../schemas/offers.js';
import { paging } from '../../schemas/page.js';
import { checkSchema } from '../../usecases/shared/filters.js';
import { checkOffset } from '../../usecases/shared/paging.js';
import { isPossibleId } from '../../usecases/shared/product-ids.js';
import { Enum } from '../../schemas/types.js';

export const offers = endpoint({
  tag: 'Comparison',
  summary: 'A product and all its offers',
  description:
    'The listings of the same product, on any platform: those that `npm run link` found, or where the listing was not ' +
    'linked as it is, those that compare would find now (`basis`). Sorted by price, offers that are out of stock come behind the ' +
    'others, and those with a flagged price (`GET /v1/quality`) last; `price_range` leaves these out. Prices of several ' +
    'currencies are compared in one.',
  pathParameters: Type.Object({ product_id: Type.Integer({ description: 'Product id' }) }),
  query: Type.Object({
    in_stock: filterParameters.in_stock,
    currency: filterParameters.currency,
    sort: Type.Optional(
      Enum(['price', 'updated'], {
        default: 'price',
        description: 'price: in stock first, then the cheapest; updated: what changed last first',
      }),
    ),
    include_flagged: includeFlagged,
    ...paging(50),
  }),
  cached: true,
  responses: {
    200: { description: 'The product and a page of its offers', schema: ProductOffersSchema },
    400: { description: 'An offset past the last page' },
    404: { description: 'No listing has this id', example: { detail: 'Product not found' } },
  },
  async handle(context, { path, query }) {
    const { config, rates } = context;
    const { in_stock, currency: currencies, sort = 'price', limit = 50, offset = 0 } = query;
    checkOffset(offset);
    const id = path.product_id;
    const asked = isPossibleId(id) ? await findOffers(context, id) : null;
    if (asked === null) throw notFound('Product not found');
    const { listing, others } = asked;
    const { group_id, linked_at = null } = listing.internal;
    if (group_id === undefined) await checkSchema(context, ['offers of a product']);
    const basis = isLinked(listing) ? ('linked' as const) : ('live' as const);
    const found = toOffers(
      listing,
      others,
      {
        in_stock,
        currencies: currencies?.map((code) => code.toUpperCase()),
        sort,
        limit,
        offset,
        includeFlagged: query.include_flagged,
      },
      { rates, links: config },
    );
    const { total, offers: items, ...product } = found;
    const { has_more } = pageFrame({ total, items: items.length }, { limit, offset });
    return {
      body: {
        group_id: group_id ?? id,
        basis,
        linked_at: basis === 'linked' ? linked_at : null,
        ...product,
        total,
        offers: items,
        limit,
        offset,
        has_more,
      },
      event: { results: total },
    };
  },
});
