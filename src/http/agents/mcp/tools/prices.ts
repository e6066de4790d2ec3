import { type Static, Type } from 'typebox';
import { notFound } from '../../../../platform/errors.js';
import type { NearestListing } from '../../../../schemas/explain.js';
import { ProductOffersSchema } from '../../../../schemas/offers.js';
import { PriceHistorySchema } from '../../../../schemas/price-history.js';
import type { Product } from '../../../../schemas/product.js';
import { optional } from '../../../../schemas/types.js';
import { condition, included, items, limitOf, listed, money, outputOf, view, withIncluded } from '../item.js';
import { nextPage, pageEnd } from '../page.js';
import { fittingItems, quoted } from '../text.js';
import { argumentsOf, ask, bare, derived, type Tool, type ToolResult } from '../tool.js';

interface OffersBody {
  items: (Product & { confidence: number })[];
  without_delivery?: number;
}

interface NearestBody {
  detail: string;
  nearest: (Product & NearestListing)[];
}

/** Says which listings are nearest to a product that was not found, and why each of them is not certainly the product. */
function nearestResult({ detail, nearest }: NearestBody, fields: unknown, now: Date): ToolResult {
  const [first] = nearest;
  if (first === undefined) throw notFound(detail);
  const { shown, lines } = listed(nearest, { view: fields, now, more: whyRejected });
  return {
    structured: { items: [], has_more: false, nearest: shown },
    lines,
    failed: { message: detail, call: { name: 'get_offers', arguments: { product_id: first.id } } },
  };
}

const REJECTED: Record<NearestListing['rejected'], string> = {
  accessory: 'an accessory',
  other_model: 'perhaps another product',
  other_size: 'another size',
  no_price: 'the product, without a price',
  dearer: 'the product, above the price limit',
  condition: 'the product, in another condition',
};

const whyRejected = ({ rejected, missing }: NearestListing): string => {
  const lacks = missing.length > 0 ? `lacks ${missing.map((word) => quoted(word, 40)).join(' ')}` : '';
  if (lacks !== '' && rejected === 'other_model') return lacks;
  return lacks === '' ? REJECTED[rejected] : `${REJECTED[rejected]}, ${lacks}`;
};

const BEST_PRICE = 'GET /v1/products/best-price';
/** The maximum number of offers that the endpoint returns, and the number that the tool requests by default. */
const [MOST_OFFERS, DEFAULT_OFFERS] = [20, 5];

export const findBestPrice: Tool = {
  name: 'find_best_price',
  title: 'Cheapest offers of a product',
  description:
    'Offers of exactly the product that q names, in stock first, then the cheapest; else the nearest listings.',
  input: argumentsOf(BEST_PRICE, {
    q: 'A name, an identifier or a URL',
    category: null,
    condition,
    rank_by: 'total: with delivery',
    include: included,
    limit: limitOf(MOST_OFFERS, DEFAULT_OFFERS),
    view,
  }),
  output: outputOf(
    {
      items,
      has_more: Type.Boolean(),
      without_delivery: Type.Optional(Type.Integer()),
      nearest: Type.Optional(items),
    },
    'confidence rejected missing delivery total_price unit_price',
  ),
  async run(args, api) {
    const wanted = args['limit'] ?? DEFAULT_OFFERS;
    const most = Number(wanted);
    const body = await ask<OffersBody | NearestBody>(api, BEST_PRICE, {
      ...withIncluded(args),
      // One more listing is requested, to see whether there are more, and because the endpoint returns no confidence with a limit of 1.
      limit: most >= 1 && most < MOST_OFFERS ? most + 1 : wanted,
      nearest: true,
    });
    const { now } = api;
    if ('nearest' in body) return nearestResult(body, args['view'], now);
    const { items: found, without_delivery } = body;
    const offers = found.slice(0, most);
    const more = ({ confidence }: { confidence: number }) => `confidence ${confidence}`;
    const { shown, lines, ids } = listed(offers, { view: args['view'], now, more });
    const has_more = found.length > shown.length;
    const rest = shown.length < offers.length ? 'the others do not fit' : `limit=${MOST_OFFERS} gives more`;
    return {
      structured: { items: shown, has_more, ...(without_delivery !== undefined && { without_delivery }) },
      lines: [...(has_more ? [`the first ${shown.length}; ${rest}`] : []), ...lines],
      ids,
    };
  },
};

const OFFERS = 'GET /v1/products/{product_id}/offers';
const OFFERS_BY_DEFAULT = 10;

export const getOffers: Tool = {
  name: 'get_offers',
  title: 'A product and its offers',
  showsPrices: true,
  description: 'All offers of the product of a listing, in any shop, the cheapest first.',
  input: argumentsOf(OFFERS, {
    product_id: '',
    in_stock: null,
    currency: '',
    condition,
    sort: null,
    rank_by: 'total: with delivery',
    include: included,
    offset: '',
    limit: limitOf(100, OFFERS_BY_DEFAULT),
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
    const found = await ask<Static<typeof ProductOffersSchema>>(api, OFFERS, {
      ...withIncluded(args),
      limit: args['limit'] ?? OFFERS_BY_DEFAULT,
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

type History = Static<typeof PriceHistorySchema>;

const HISTORY = 'GET /v1/products/{product_id}/price-history';
const anything = Type.Unknown();

export const getPriceHistory: Tool = {
  name: 'get_price_history',
  title: 'Price history',
  showsPrices: true,
  description:
    'Past prices of a listing, and whether the current one is good. Points come only with view=full.',
  input: argumentsOf(HISTORY, {
    ...bare('product_id to interval'),
    days: null,
    from: 'ISO 8601',
    view: optional.Enum(['compact', 'full'], { default: 'compact' }),
  }),
  output: Type.Object({
    ...derived(PriceHistorySchema, bare('product_id currency from to interval')),
    statistics: Type.Unknown({ description: 'Decimal strings' }),
    position: anything,
    deal: anything,
    coverage: anything,
    points: optional.Array(anything),
    earlier_points: optional.integer('Points left out'),
  }),
  async run(args, api) {
    const history = await ask<History>(api, HISTORY, args);
    const { points: all, ...rest } = history;
    const isFull = args['view'] === 'full';
    const { shown } = fittingItems(isFull ? all.toReversed() : [], ({ at, price }) => [`${at}: ${price}`]);
    const points = shown.toReversed();
    const earlier = all.length - points.length;
    return {
      structured: isFull ? { ...rest, points, ...(earlier > 0 && { earlier_points: earlier }) } : rest,
      lines: [
        ...linesOfHistory(history, points),
        ...(isFull && earlier > 0 ? [`${earlier} earlier points: give from and to, or interval`] : []),
      ],
      ids: [history.product_id],
    };
  },
};

function linesOfHistory(history: History, points: History['points']): string[] {
  const { product_id: id, currency, statistics, position, deal, coverage } = history;
  if (statistics === null) return [`${id}: no price was ever observed`];
  const known = (price: string | null) => (price === null ? 'unknown' : money(price, currency));
  const on = (point: { at: string; price: string } | null) =>
    point === null ? 'unknown' : `${known(point.price)} on ${point.at.slice(0, 10)}`;
  return [
    `${id}: now ${known(statistics.current)}, verdict ${position.verdict} on ${position.basis_days} observed days`,
    `lowest ${on(statistics.lowest)}, highest ${on(statistics.highest)}, median ${known(statistics.median)}`,
    `lowest in 30 days ${known(statistics.lowest_30d)}, in 90 days ${known(statistics.lowest_90d)}, ever ${known(statistics.lowest_ever)}`,
    ...(deal === null
      ? []
      : [`a deal: ${deal.discount_pct} % below ${known(deal.original_price)}, ${deal.price_basis}`]),
    `first observed ${coverage.first_observed_at}, last checked ${coverage.last_checked ?? 'unknown'}, price changes: ${statistics.changes}`,
    ...points.map(({ at, price }) => `${at}: ${price}`),
  ];
}
