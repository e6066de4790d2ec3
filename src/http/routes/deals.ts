import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import {
  filterParameters,
  includeFlagged,
  unitPer,
  withAttributeFilters,
} from '../../engine/queries/filters.js';
import { rankByParameter, withoutDeliveryMember } from '../../schemas/delivery.js';
import { excludedMember, EXCLUSIONS } from '../../schemas/excluded.js';
import { groupMember, groupPageMember, groupParameter } from '../../schemas/group.js';
import { includedMembers, includeParameter, positionMember } from '../../schemas/include.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { ProductSchema } from '../../schemas/product.js';
import { component, Enum, money, optional } from '../../schemas/types.js';
import { listDeals } from '../../usecases/deals.js';
import { filterIssues } from '../../products/list-requests.js';

const DealSchema = component('Deal', 'A listing whose price is below its reference price', {
  ...ProductSchema.properties,
  original_price: money('The reference price: what the listing usually cost', '429.00'),
  discount_pct: Type.Number({
    description: 'How far the price is below the reference price, in percent, rounded to two decimals',
    examples: [18.65],
  }),
  price_basis: Enum(['observed', 'declared'], {
    description:
      'Where the reference price comes from. `observed`: the price history that this service recorded. `declared`: the ' +
      'list price in the feed, used while a listing has been observed for less than 7 days. It counts up to the usual price of ' +
      'three or more other shops of the product; a reduction of more than 90 % is no deal',
  }),
  lowest_price_30d: money(
    'The lowest known price of the last 30 days, or the current price if no other price is known',
  ),
  ...includedMembers,
  ...positionMember,
  ...groupMember,
});

const DealPageSchema = component('DealPage', 'One page of deals', {
  ...SearchPageSchema.properties,
  ...withoutDeliveryMember,
  items: Type.Array(DealSchema),
  ...groupPageMember,
  ...excludedMember,
});

export const deals = endpoint({
  tag: 'Listings',
  summary: 'List deals: listings priced below their own price history',
  description:
    'Deals are sorted by discount, the highest first, unless `rank_by` says otherwise. The reference price is the time-weighted median of the prices observed ' +
    'in the 90 days before the current price took effect. Gaps in the observations are excluded, as in a price history; if ' +
    'less than 14 days are covered, each price instead counts until the next observation. Raising a price for a day before ' +
    'a sale therefore does not create a deal. A deal may have cost less within the last 30 days (`lowest_price_30d`), in which case ' +
    '`include=claim` says `unsupported`. Listings with a flagged price (see `GET /v1/quality`) are excluded by default.',
  query: withAttributeFilters({
    ...filterParameters,
    unit_per: unitPer,
    min_discount_pct: optional.Decimal({
      minimum: 0,
      maximum: 100,
      default: 10,
      description: 'The minimum discount in percent, inclusive',
    }),
    q: optional.String({
      maxLength: 1_000,
      description: `Only listings that contain all of these words. ${EXCLUSIONS}. The order remains by discount`,
      examples: ['headphones'],
    }),
    price_basis: optional.Enum(['observed', 'declared'], {
      description: 'Only deals with this kind of reference price',
    }),
    out_of_stock: optional.Enum(['mixed', 'last'], {
      default: 'mixed',
      description:
        '`last`: listings that are out of stock come after all others. `mixed`: they are sorted by discount like the others',
    }),
    rank_by: rankByParameter('discount', 'the discount, the highest first'),
    include_flagged: includeFlagged,
    group: groupParameter,
    include: includeParameter('position'),
    ...paging(20),
  }),
  check: filterIssues,
  responses: {
    200: { description: 'A page of deals', schema: DealPageSchema },
    400: { description: 'The minimum price exceeds the maximum price, or the offset is too large' },
  },
  handle: (context, { query }) => listDeals(context, query),
});
