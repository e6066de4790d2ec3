import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import type { Context } from '../../usecases/context.js';
import { checkReach, oneMore, productGroups, totalGroups } from '../../usecases/shared/product-groups.js';
import { searchStored } from '../../engine/pages.js';
import { byProduct } from '../../engine/queries/groups.js';
import type { Selection, Slice } from '../../engine/queries/selection.js';
import { groupMember, groupPageMember, groupParameter } from '../../schemas/group.js';
import { dealsSelection } from '../../engine/queries/deals.js';
import { toDeal } from '../../listing/deal-terms.js';
import { pageFrame } from '../../usecases/shared/page.js';
import { Enum, Decimal, money } from '../../schemas/types.js';
import { attributeParameters, filterParameters, includeFlagged } from '../../schemas/filters.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { ProductSchema } from '../../schemas/product.js';
import { checkFilters, filterIssues, checkSchema } from '../../usecases/shared/filters.js';
import { checkOffset, costOfList } from '../../usecases/shared/paging.js';

const DealSchema = Type.Object(
  {
    ...ProductSchema.properties,
    original_price: money('The reference price: what the listing usually cost', '429.00'),
    discount_pct: Type.Number({
      description: 'How far the price is below the reference, in percent, two decimals',
      examples: [18.65],
    }),
    price_basis: Enum(['observed', 'declared'], {
      description:
        'Where the reference comes from: observed history, or the feed where there are less than 7 days of it',
    }),
    lowest_price_30d: money('Lowest price known in the last 30 days; the current price if none is known'),
    ...groupMember,
  },
  { $id: 'Deal', description: 'A listing that costs less than it usually did' },
);

const DealPageSchema = Type.Object(
  { ...SearchPageSchema.properties, items: Type.Array(DealSchema), ...groupPageMember },
  { $id: 'DealPage', description: 'One page of deals' },
);

export const deals = endpoint({
  tag: 'Listings',
  summary: 'Listings priced below their own history, the deepest discount first',
  description:
    'The reference is the time-weighted median of the prices observed in the 90 days before the current price came into force. ' +
    'As in a price history, gaps are left out, unless fewer than 14 days of that time are known: then a price counts until ' +
    'the next observation. A price raised for a day before a sale makes no deal, and neither does a flagged price ' +
    '(`GET /v1/quality`).',
  query: Type.Object(
    {
      ...filterParameters,
      min_discount_pct: Type.Optional(
        Decimal({ minimum: 0, maximum: 100, default: 10, description: 'Smallest discount, inclusive' }),
      ),
      q: Type.Optional(
        Type.String({
          maxLength: 1_000,
          description:
            'Words, of which listings must have all; the deepest discount comes first all the same',
          examples: ['headphones'],
        }),
      ),
      price_basis: Type.Optional(
        Enum(['observed', 'declared'], { description: 'Deals by one kind of reference alone' }),
      ),
      out_of_stock: Type.Optional(
        Enum(['mixed', 'last'], {
          default: 'mixed',
          description:
            '`last`: what is out of stock comes after all else; mixed: by its discount, like the rest',
        }),
      ),
      include_flagged: includeFlagged,
      group: groupParameter,
      ...paging(20),
    },
    attributeParameters,
  ),
  check: filterIssues,
  responses: {
    200: { description: 'A page of deals', schema: DealPageSchema },
    400: { description: 'Price limits that cross, or an offset past the last page' },
  },
  cost: ({ query: { limit = 20, offset = 0 } }) => costOfList({ limit, offset }),
  async handle(context, { query }) {
    const { es, products, config, now } = context;
    const { min_discount_pct: minDiscountPct = '10', limit = 20, offset = 0, q = '' } = query;
    await checkFilters(context, query);
    checkOffset(offset);
    const at = now();
    const wanted = {
      minDiscountPct,
      text: q.trim(),
      priceBasis: query.price_basis,
      includeFlagged: query.include_flagged,
      outOfStockLast: query.out_of_stock === 'last',
    };
    const selection = dealsSelection(query, wanted, at);
    const slice = { limit, offset };
    const event = (results: number) => ({ ...(q.trim() === '' ? {} : { query: q }), results });
    if (query.group !== undefined) {
      const { total, shown, ...page } = await dealsOfProducts(context, selection, slice);
      const items = shown.map(({ listing, group }) => ({ ...toDeal(listing, at, config), ...group }));
      return { body: { total, limit, offset, ...page, items }, event: event(total) };
    }
    const { total, listings } = await searchStored(es, products, selection, slice);
    const items = listings.map((listing) => toDeal(listing, at, config));
    const frame = pageFrame({ total, items: items.length }, slice);
    return { body: { ...frame, items }, event: event(total) };
  },
});

/** Of each product the deal that comes first, with who else offers it. */
async function dealsOfProducts(context: Context, selection: Selection, slice: Slice) {
  const { es, products } = context;
  checkReach(slice);
  await checkSchema(context, ['group']);
  const found = await searchStored(es, products, selection, oneMore(slice), byProduct([]));
  const listings = found.listings.slice(0, slice.limit);
  const groups = await productGroups(
    context,
    listings.map(({ id, internal }) => ({ id, group: internal.group_id ?? id })),
  );
  return {
    total: found.total,
    has_more: found.listings.length > slice.limit,
    total_groups: totalGroups(found.aggregations),
    shown: listings.map((listing) => {
      const group = groups.get(listing.id);
      return { listing, group: group === undefined ? {} : { group } };
    }),
  };
}
