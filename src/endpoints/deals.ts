import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchStored } from '../elasticsearch/pages.js';
import { dealsSelection } from '../queries/deals.js';
import { toDeal } from '../results/deals.js';
import { pageFrame } from '../results/page.js';
import { Decimal, money } from '../schemas/types.js';
import { filterParameters } from '../schemas/filters.js';
import { paging, SearchPageSchema } from '../schemas/page.js';
import { ProductSchema } from '../schemas/product.js';
import { checkOffset, costOfList } from './shared/paging.js';

const DealSchema = Type.Object(
  {
    ...ProductSchema.properties,
    original_price: money('The reference price: what the listing usually cost'),
    discount_pct: Type.Number({
      description: 'How far the price is below the reference, in percent, two decimals',
    }),
    price_basis: Type.Enum(['observed', 'declared'], {
      description:
        'Where the reference comes from: observed history, or the feed where there are less than 7 days of it',
    }),
    lowest_price_30d: money('Lowest price of the last 30 days'),
  },
  { $id: 'Deal', description: 'A listing that costs less than it usually did' },
);

const DealPageSchema = Type.Object(
  { ...SearchPageSchema.properties, items: Type.Array(DealSchema) },
  { $id: 'DealPage', description: 'One page of deals' },
);

export const deals = endpoint({
  tag: 'Listings',
  summary: 'Listings priced below their own history, the deepest discount first',
  description:
    'The reference is the time-weighted median of the 90 days before the current price came into force: a price ' +
    'raised for a day before a sale makes no deal.',
  query: Type.Object({
    category: filterParameters.category,
    min_discount_pct: Type.Optional(
      Decimal({ minimum: 0, maximum: 100, default: 10, description: 'Smallest discount, inclusive' }),
    ),
    ...paging(20),
  }),
  responses: {
    200: { description: 'A page of deals', schema: DealPageSchema },
    400: { description: 'An offset past the last page' },
  },
  cost: ({ query: { limit = 20, offset = 0 } }) => costOfList({ limit, offset }),
  async handle({ es, products, config, now }, { query }) {
    const { min_discount_pct: minDiscountPct = '10', limit = 20, offset = 0 } = query;
    checkOffset(offset);
    const at = now();
    const selection = dealsSelection({ ...query, minDiscountPct }, at);
    const { total, listings } = await searchStored(es, products, selection, { limit, offset });
    const items = listings.map((listing) => toDeal(listing, at, config));
    const frame = pageFrame({ total, items: items.length }, { limit, offset });
    return { body: { ...frame, items }, event: { results: total } };
  },
});
