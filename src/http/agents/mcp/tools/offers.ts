import { Type, type Static } from 'typebox';
import { offers } from '../../../routes/offers.js';
import type { ProductOffersSchema } from '../../../../schemas/offers.js';
import { condition, included, includeFor, items, itemsOf, linesOf, outputOf, rankBy, view } from '../item.js';
import { fittingItems, quoted } from '../text.js';
import { argumentsOf, asText, type Tool } from '../tool.js';

type Offers = Static<typeof ProductOffersSchema>;

const PARAMETERS = ['in_stock', 'currency', 'condition', 'sort', 'rank_by', 'limit', 'offset'];
const DEFAULT_LIMIT = 10;

export const getOffers: Tool = {
  name: 'get_offers',
  title: 'A product and its offers',
  showsPrices: true,
  description: 'All offers of the product of a listing, in any shop, the cheapest first.',
  input: {
    ...argumentsOf(offers.query, ['in_stock', 'currency', 'sort'], {
      offset: Type.Integer({ minimum: 0, default: 0 }),
      currency: Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' } }),
      product_id: Type.Integer(),
      condition,
      rank_by: rankBy,
      include: included,
      limit: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }),
      view,
    }),
    required: ['product_id'],
  },
  output: outputOf(
    {
      group_id: Type.Integer(),
      basis: Type.String(),
      name: Type.String(),
      brand: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      total: Type.Integer(),
      sources: Type.Integer({ description: 'How many shops' }),
      price_range: Type.Unknown(),
      best_offer_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      offset: Type.Integer(),
      has_more: Type.Boolean(),
      next_offset: Type.Optional(Type.Integer()),
      without_delivery: Type.Optional(Type.Integer()),
      offers: items,
    },
    'match_score',
    'match_reasons',
    'price_rank',
    'price_converted',
    'delivery',
    'total_price',
    'unit_price',
  ),
  async run(args, { call, now }) {
    const found = await call<Offers>('GET /v1/products/{product_id}/offers', {
      path: asText(args, ['product_id']),
      query: {
        limit: String(DEFAULT_LIMIT),
        ...asText({ ...args, include: includeFor(args).join() }, [...PARAMETERS, 'include']),
      },
    });
    const { group_id, basis, name, brand, total, sources, price_range, best_offer_id, without_delivery } =
      found;
    const whole = found.offers.map(itemsOf(args['view'], now));
    const offered =
      args['view'] === 'full'
        ? whole
        : whole.map(({ match_reasons: _reasons, price_converted: _converted, ...item }) => item);
    const { offset } = found;
    const { shown, lines } = fittingItems(offered, (item, at) =>
      linesOf(item, args['view'], { number: `${offset + at + 1}.` }),
    );
    const next = offset + shown.length;
    const has_more = shown.length > 0 && next < total;
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
        ...(has_more && { next_offset: next }),
        ...(without_delivery !== undefined && { without_delivery }),
        offers: shown,
      },
      lines: [
        `${quoted(name, 150)}: ${total} offers of ${sources} shops${range}${has_more ? `; offset=${next} gives the next` : ''}`,
        ...lines,
      ],
      ids: shown.map(({ id }) => id),
      ...(total === 0
        ? { empty: 'Nothing matches: no offer of the product passes in_stock, currency or condition' }
        : {}),
    };
  },
};
