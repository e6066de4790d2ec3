import { Type, type Static } from 'typebox';
import { offers } from '../../routes/offers.js';
import type { ProductOffersSchema } from '../../../schemas/offers.js';
import { includeFor, ItemSchema, itemsOf, lineOf, rankBy, totalOf, view } from '../item.js';
import { quoted } from '../text.js';
import { argumentsOf, asText, type Tool } from '../tool.js';

type Offers = Static<typeof ProductOffersSchema>;

const PARAMETERS = ['in_stock', 'currency', 'sort', 'rank_by', 'limit', 'offset'];
const DEFAULT_LIMIT = 10;

export const getOffers: Tool = {
  name: 'get_offers',
  title: 'A product and its offers',
  description: 'Every offer of the product that a listing is of, in any shop, the cheapest first.',
  input: {
    ...argumentsOf(offers.query, ['in_stock', 'currency', 'sort', 'offset'], {
      product_id: Type.Integer(),
      rank_by: rankBy,
      limit: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }),
      view,
    }),
    required: ['product_id'],
  },
  output: Type.Object({
    group_id: Type.Integer(),
    name: Type.String(),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    offers: Type.Array(ItemSchema),
  }),
  async run(args, { call, now }) {
    const found = await call<Offers>('GET /v1/products/{product_id}/offers', {
      path: asText(args, ['product_id']),
      query: {
        limit: String(DEFAULT_LIMIT),
        ...asText({ ...args, include: includeFor(args['view']) }, [...PARAMETERS, 'include']),
      },
    });
    const { group_id, basis, name, brand, total, sources, price_range, best_offer_id, without_delivery } =
      found;
    const whole = found.offers.map(itemsOf(args['view'], now));
    const items =
      args['view'] === 'full'
        ? whole
        : whole.map(({ match_reasons: _reasons, price_converted: _converted, ...item }) => item);
    const { offset, has_more } = found;
    const range =
      price_range === null ? '' : `, ${price_range.currency ?? ''} ${price_range.min} to ${price_range.max}`;
    return {
      structured: {
        group_id,
        basis,
        name,
        brand,
        total,
        sources,
        price_range,
        best_offer_id,
        offset,
        has_more,
        ...(without_delivery !== undefined && { without_delivery }),
        offers: items,
      },
      lines: [
        `${quoted(name, 80)}: ${total} offers of ${sources} shops${range}`,
        ...items.map((item, at) => `${offset + at + 1}. ${lineOf(item, totalOf(item).join(''))}`),
        ...(has_more ? [`offset=${offset + items.length} gives the next`] : []),
      ],
      ids: items.map(({ id }) => id),
    };
  },
};
