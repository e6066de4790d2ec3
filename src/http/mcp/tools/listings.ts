import { type Static, Type } from 'typebox';
import { filtersOfTool } from '../../../engine/queries/filters.js';
import { bestPrice } from '../../routes/best-price.js';
import { deals } from '../../routes/deals.js';
import { lookup } from '../../routes/lookup.js';
import { product } from '../../routes/product.js';
import { search } from '../../routes/search.js';
import type { EmptySchema } from '../../../schemas/explain.js';
import type { Product } from '../../../schemas/product.js';
import {
  detailsOf,
  includeFor,
  type Item,
  ItemSchema,
  itemsOf,
  lineOf,
  rankBy,
  totalOf,
  view,
} from '../item.js';
import { quoted } from '../text.js';
import { argumentsOf, asText, type Api, type ToolArguments, type ToolResult, type Tool } from '../tool.js';

interface Page<One extends Product = Product> {
  total: number;
  offset: number;
  has_more: boolean;
  items: One[];
  interpreted?: { parameter: string; value: string }[];
  empty?: Empty;
  matched?: { mode: string; all_words: number };
}

type Empty = Static<typeof EmptySchema>;

const PageSchema = Type.Object({
  total: Type.Integer({ description: 'All that match' }),
  offset: Type.Integer(),
  has_more: Type.Boolean(),
  items: Type.Array(ItemSchema),
});

const limit = Type.Integer({ minimum: 1, maximum: 100, default: 10 });
const offset = Type.Integer({ minimum: 0, default: 0 });
const interpret = Type.Boolean({
  default: false,
  description:
    'Apply words such as "under $50" or "cheapest" as filters and order; otherwise they are ignored',
});

function reasonOf(empty: Empty | undefined): string {
  if (empty === undefined) return 'Nothing matches';
  const { reason, without, did_you_mean: meant } = empty;
  const found = without.filter(({ total }) => total > 0);
  const relaxed = found.map(({ parameter, total }) => `${total} without ${parameter}`).join(', ');
  return [
    `Nothing matches: ${REASONS[reason]}`,
    ...(relaxed === '' ? [] : [`there are ${relaxed}`]),
    ...(meant === null ? [] : [`did you mean ${quoted(meant, 100)}`]),
  ].join('; ');
}

const REASONS: Record<Empty['reason'], string> = {
  filters: 'the filters leave none of the listings that the words find',
  unknown_words: 'no listing has any of the words',
  nothing: 'no listing has all of the words',
};

async function pageResult<One extends Product>(
  { operation, names }: { operation: string; names: readonly string[] },
  args: ToolArguments,
  { call, now }: Api,
  more: (listing: One) => string = () => '',
): Promise<ToolResult> {
  const query = {
    limit: '10',
    ...asText({ ...args, include: includeFor(args['view']) }, [...names, 'limit', 'offset', 'include']),
  };
  const page = await call<Page<One>>(operation, { query });
  const { total, offset: from, has_more, items, interpreted, matched, empty } = page;
  const applied = interpreted?.map(({ parameter, value }) => ({ parameter, value }));
  const converted = items.map(itemsOf(args['view'], now));
  const last = from + items.length;
  const matchesSomeWords = matched?.all_words === 0 && total > 0;
  return {
    structured: {
      total,
      offset: from,
      has_more,
      items: converted,
      ...(applied && { interpreted: applied }),
      ...(matchesSomeWords && { match: 'some' }),
    },
    lines: [
      ...(matchesSomeWords ? ['no listing has all the words; these have some of them'] : []),
      `${total} found${items.length === 0 ? '' : `, ${from + 1} to ${last} of them`}${has_more ? `; offset=${last} gives the next` : ''}`,
      ...(applied?.length
        ? [`read as ${applied.map(({ parameter, value }) => `${parameter}=${value}`).join(', ')}`]
        : []),
      ...items.map((listing, at) => `${from + at + 1}. ${lineOf(converted[at] as Item, more(listing))}`),
    ],
    ids: items.map(({ id }) => id),
    ...(total === 0 ? { empty: reasonOf(empty) } : {}),
  };
}

const SEARCH = ['q', 'sort', ...filtersOfTool('search_products')];

export const searchProducts: Tool = {
  name: 'search_products',
  title: 'Search listings',
  description:
    'Listings of all shops by words, model number or identifier, and filters; the best match first.',
  input: argumentsOf(search.query, SEARCH, { interpret, limit, offset, view }),
  output: Type.Object({ ...PageSchema.properties, match: Type.Optional(Type.Literal('some')) }),
  run(args, api) {
    const names = [...SEARCH, 'interpret', 'match'];
    // The endpoint says whether the listings have all words of the query only if `match` is given. The agent
    // needs to know that in any other order than relevance.
    const { sort = 'relevance', interpret: isInterpreted = false } = args;
    const match = sort === 'relevance' && isInterpreted !== true ? {} : { match: 'auto' };
    return pageResult({ operation: 'GET /v1/search', names }, { ...args, ...match }, api);
  },
};

const DEALS = ['q', ...filtersOfTool('get_deals'), 'min_discount_pct'];

export const getDeals: Tool = {
  name: 'get_deals',
  title: 'Deals',
  description: 'Listings that cost less than usual: in stock first, then the deepest discount.',
  input: argumentsOf(deals.query, DEALS, { limit, offset, view }),
  output: PageSchema,
  run: (args, api) =>
    pageResult<Product & { discount_pct: number; original_price: string }>(
      { operation: 'GET /v1/deals', names: [...DEALS, 'out_of_stock'] },
      // Deals that are out of stock come last, because an agent is looking for something that can be bought.
      { ...args, out_of_stock: 'last' },
      api,
      (deal) => `${deal.discount_pct} % below ${deal.original_price}`,
    ),
};

const IDENTIFIERS = ['gtin', 'sku', 'source', 'model', 'brand', 'url'];

export const lookUp: Tool = {
  name: 'lookup',
  title: 'Look up an identifier',
  description: 'Listings with exactly one of gtin, sku (+ source), model (+ brand) or url.',
  input: argumentsOf(lookup.query, IDENTIFIERS, { limit, offset, view }),
  output: PageSchema,
  run: (args, api) => pageResult({ operation: 'GET /v1/lookup', names: IDENTIFIERS }, args, api),
};

export const getProduct: Tool = {
  name: 'get_product',
  title: 'One listing',
  description: 'A listing by its id.',
  input: argumentsOf(product.pathParameters, ['product_id'], { view }),
  output: Type.Object({ item: ItemSchema }),
  async run(args, { call, now }) {
    const path = asText(args, ['product_id']);
    const query = asText({ include: includeFor(args['view']) }, ['include']);
    const listing = await call<Product>('GET /v1/products/{product_id}', { path, query });
    const item = itemsOf(args['view'], now)(listing);
    return { structured: { item }, lines: detailsOf(item), ids: [listing.id] };
  },
};

export const findBestPrice: Tool = {
  name: 'find_best_price',
  title: 'Cheapest offers of a product',
  description:
    'Offers of exactly the product that q names: in stock first, then the cheapest. No accessories, no other models.',
  input: argumentsOf(bestPrice.query, ['q', 'category'], {
    rank_by: rankBy,
    limit: Type.Integer({ minimum: 1, maximum: 20, default: 5 }),
    view,
  }),
  output: Type.Object({ items: Type.Array(ItemSchema) }),
  async run(args, { call, now }) {
    const { limit: wanted = '5', ...query } = asText({ ...args, include: includeFor(args['view']) }, [
      'q',
      'category',
      'rank_by',
      'limit',
      'include',
    ]);
    // At least two listings are requested, because with a limit of 1 the endpoint returns no confidence.
    const parameters = { ...query, limit: wanted === '1' ? '2' : wanted };
    const { items: found, without_delivery } = await call<{
      items: (Product & { confidence: number })[];
      without_delivery?: number;
    }>('GET /v1/products/best-price', { query: parameters });
    const items = found.slice(0, Number(wanted)).map(itemsOf(args['view'], now));
    return {
      structured: { items, ...(without_delivery !== undefined && { without_delivery }) },
      lines: items.map(
        (item, at) =>
          `${at + 1}. ${lineOf(item, [...totalOf(item), `sure by ${item.confidence}`].join(', '))}`,
      ),
      ids: items.map(({ id }) => id),
    };
  },
};
