import { Type } from 'typebox';
import { notFound } from '../../../../platform/errors.js';
import type { NearestListing } from '../../../../schemas/explain.js';
import type { Product } from '../../../../schemas/product.js';
import { condition, included, items, limitOf, listed, outputOf, view, withIncluded } from '../item.js';
import { quoted } from '../text.js';
import { argumentsOf, ask, type Tool, type ToolResult } from '../tool.js';

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

const OPERATION = 'GET /v1/products/best-price';
/** The maximum number of offers of the endpoint, and the number of the tool by default. */
const [MOST_OFFERS, DEFAULT_OFFERS] = [20, 5];

export const findBestPrice: Tool = {
  name: 'find_best_price',
  title: 'Cheapest offers of a product',
  description:
    'Offers of exactly the product that q names, in stock first, then the cheapest; else the nearest listings.',
  input: argumentsOf(OPERATION, {
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
    const body = await ask<OffersBody | NearestBody>(api, OPERATION, {
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
