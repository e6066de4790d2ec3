import { Type, type Static } from 'typebox';
import { PriceHistorySchema } from '../../../../schemas/price-history.js';
import { Enum } from '../../../../schemas/types.js';
import { fittingItems } from '../text.js';
import { argumentsOf, ask, bare, derived, type Tool } from '../tool.js';

type History = Static<typeof PriceHistorySchema>;

const OPERATION = 'GET /v1/products/{product_id}/price-history';
const anything = Type.Unknown();

export const getPriceHistory: Tool = {
  name: 'get_price_history',
  title: 'Price history',
  showsPrices: true,
  description:
    'Past prices of a listing, and whether the current one is good. Points come only with view=full.',
  input: argumentsOf(OPERATION, {
    ...bare('product_id to interval'),
    days: null,
    from: 'ISO 8601',
    view: Type.Optional(Enum(['compact', 'full'], { default: 'compact' })),
  }),
  output: Type.Object({
    ...derived(PriceHistorySchema, bare('product_id currency from to interval')),
    statistics: Type.Unknown({ description: 'Decimal strings' }),
    position: anything,
    deal: anything,
    coverage: anything,
    points: Type.Optional(Type.Array(anything)),
    earlier_points: Type.Optional(Type.Integer({ description: 'Points left out' })),
  }),
  async run(args, api) {
    const history = await ask<History>(api, OPERATION, args);
    const { points: all, ...rest } = history;
    const isFull = args['view'] === 'full';
    const { shown } = fittingItems(isFull ? all.toReversed() : [], ({ at, price }) => [`${at}: ${price}`]);
    const points = shown.toReversed();
    const earlier = all.length - points.length;
    return {
      structured: isFull ? { ...rest, points, ...(earlier > 0 && { earlier_points: earlier }) } : rest,
      lines: [
        ...linesOf(history, points),
        ...(isFull && earlier > 0 ? [`${earlier} earlier points: give from and to, or interval`] : []),
      ],
      ids: [history.product_id],
    };
  },
};

function linesOf(history: History, points: History['points']): string[] {
  const { product_id: id, currency, statistics, position, deal, coverage } = history;
  if (statistics === null) return [`${id}: no price was ever observed`];
  const money = (price: string | null) => (price === null ? 'unknown' : `${currency ?? ''} ${price}`.trim());
  const on = (point: { at: string; price: string } | null) =>
    point === null ? 'unknown' : `${money(point.price)} on ${point.at.slice(0, 10)}`;
  return [
    `${id}: now ${money(statistics.current)}, verdict ${position.verdict} on ${position.basis_days} observed days`,
    `lowest ${on(statistics.lowest)}, highest ${on(statistics.highest)}, median ${money(statistics.median)}`,
    `lowest in 30 days ${money(statistics.lowest_30d)}, in 90 days ${money(statistics.lowest_90d)}, ever ${money(statistics.lowest_ever)}`,
    ...(deal === null
      ? []
      : [`a deal: ${deal.discount_pct} % below ${money(deal.original_price)}, ${deal.price_basis}`]),
    `first observed ${coverage.first_observed_at}, last checked ${coverage.last_checked ?? 'unknown'}, price changes: ${statistics.changes}`,
    ...points.map(({ at, price }) => `${at}: ${price}`),
  ];
}
