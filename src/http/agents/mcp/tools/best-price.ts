import { Type } from 'typebox';
import { bestPrice } from '../../../routes/best-price.js';
import { notFound } from '../../../../platform/errors.js';
import type { NearestListing } from '../../../../schemas/explain.js';
import type { Product } from '../../../../schemas/product.js';
import { condition, included, includeFor, items, itemsOf, linesOf, outputOf, rankBy, view } from '../item.js';
import { fittingItems, quoted } from '../text.js';
import { argumentsOf, asText, type Tool, type ToolResult } from '../tool.js';

interface OffersBody {
  items: (Product & { confidence: number })[];
  without_delivery?: number;
}

interface NearestBody {
  detail: string;
  nearest: (Product & NearestListing)[];
}

/** Says which listings are nearest to a product that was not found, and why each of them is not certainly the product. */
function nearestResult({ detail, nearest }: NearestBody, view: unknown, now: Date): ToolResult {
  const [first] = nearest;
  if (first === undefined) throw notFound(detail);
  const { shown, lines } = fittingItems(nearest.map(itemsOf(view, now)), (item, at) =>
    linesOf(item, view, { number: `${at + 1}.`, more: reasonOf(item) }),
  );
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

const reasonOf = ({ rejected, missing }: NearestListing): string => {
  const lacks = missing.length > 0 ? `lacks ${missing.map((word) => quoted(word, 40)).join(' ')}` : '';
  if (lacks !== '' && rejected === 'other_model') return lacks;
  return lacks === '' ? REJECTED[rejected] : `${REJECTED[rejected]}, ${lacks}`;
};

/** The maximum number of offers of `find_best_price`. */
const MOST_OFFERS = 20;

export const findBestPrice: Tool = {
  name: 'find_best_price',
  title: 'Cheapest offers of a product',
  description:
    'Offers of exactly the product that q names, in stock first, then the cheapest; else the nearest listings.',
  input: argumentsOf(bestPrice.query, ['q', 'category'], {
    condition,
    q: Type.String({ description: 'A name, an identifier or a URL' }),
    rank_by: rankBy,
    include: included,
    limit: Type.Integer({ minimum: 1, maximum: MOST_OFFERS, default: 5 }),
    view,
  }),
  output: outputOf(
    {
      items,
      has_more: Type.Boolean(),
      without_delivery: Type.Optional(Type.Integer()),
      nearest: Type.Optional(items),
    },
    'confidence',
    'rejected',
    'missing',
    'delivery',
    'total_price',
    'unit_price',
  ),
  async run(args, { call, now }) {
    const { limit: wanted = '5', ...query } = asText({ ...args, include: includeFor(args).join() }, [
      'q',
      'category',
      'condition',
      'rank_by',
      'limit',
      'include',
    ]);
    const most = Number(wanted);
    // One more listing is requested, to see whether there are more, and because the endpoint returns no confidence with a limit of 1.
    const parameters = { ...query, limit: most >= 1 && most < MOST_OFFERS ? String(most + 1) : wanted };
    const body = await call<OffersBody | NearestBody>('GET /v1/products/best-price', {
      query: { ...parameters, nearest: 'true' },
    });
    if ('nearest' in body) return nearestResult(body, args['view'], now);
    const { items: found, without_delivery } = body;
    const converted = found.slice(0, most).map(itemsOf(args['view'], now));
    const { shown, lines } = fittingItems(converted, (item, at) =>
      linesOf(item, args['view'], { number: `${at + 1}.`, more: `confidence ${item.confidence}` }),
    );
    const has_more = found.length > shown.length;
    const more =
      shown.length < converted.length ? 'the others do not fit' : `limit=${MOST_OFFERS} gives more`;
    return {
      structured: { items: shown, has_more, ...(without_delivery !== undefined && { without_delivery }) },
      lines: [...(has_more ? [`the first ${shown.length}; ${more}`] : []), ...lines],
      ids: shown.map(({ id }) => id),
    };
  },
};
