import { Type, type Static } from 'typebox';
import { ProductOffersSchema } from '../../../../schemas/offers.js';
import { condition, included, items, limitOf, listed, outputOf, view, withIncluded } from '../item.js';
import { nextPage, pageEnd } from '../page.js';
import { quoted } from '../text.js';
import { argumentsOf, ask, bare, derived, type Tool } from '../tool.js';

const OPERATION = 'GET /v1/products/{product_id}/offers';
const DEFAULT_LIMIT = 10;

export const getOffers: Tool = {
  name: 'get_offers',
  title: 'A product and its offers',
  showsPrices: true,
  description: 'All offers of the product of a listing, in any shop, the cheapest first.',
  input: argumentsOf(OPERATION, {
    product_id: '',
    in_stock: null,
    currency: '',
    condition,
    sort: null,
    rank_by: 'total: with delivery',
    include: included,
    offset: '',
    limit: limitOf(100, DEFAULT_LIMIT),
    view,
  }),
  output: outputOf(
    {
      ...derived(ProductOffersSchema, {
        ...bare('group_id basis name brand total'),
        sources: 'How many shops',
        price_range: Type.Unknown(),
        ...bare('best_offer_id offset has_more without_delivery'),
      }),
      next_offset: Type.Optional(Type.Integer()),
      offers: items,
    },
    'match_score match_reasons price_rank price_converted delivery total_price unit_price',
  ),
  async run(args, api) {
    const found = await ask<Static<typeof ProductOffersSchema>>(api, OPERATION, {
      ...withIncluded(args),
      limit: args['limit'] ?? DEFAULT_LIMIT,
    });
    const { linked_at: _linked, gtins: _gtins, models: _models, limit: _limit, ...product } = found;
    const { name, total, sources, price_range, offset } = product;
    const fields = args['view'];
    const offers = found.offers.map(({ match_reasons, price_converted, ...offer }) =>
      fields === 'full' ? { ...offer, match_reasons, price_converted } : offer,
    );
    const { shown, lines, ids } = listed(offers, { view: fields, now: api.now, offset });
    const end = pageEnd(offset, shown.length, total);
    const range =
      price_range === null ? '' : `, ${price_range.currency ?? ''} ${price_range.min} to ${price_range.max}`;
    return {
      structured: { ...product, ...end, offers: shown },
      lines: [`${quoted(name, 150)}: ${total} offers of ${sources} shops${range}${nextPage(end)}`, ...lines],
      ids,
      ...(total === 0
        ? { empty: 'Nothing matches: no offer of the product passes in_stock, currency or condition' }
        : {}),
    };
  },
};
