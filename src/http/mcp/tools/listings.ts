import { type Static, Type } from 'typebox';
import { bestPrice } from '../../routes/best-price.js';
import { deals } from '../../routes/deals.js';
import { lookup } from '../../routes/lookup.js';
import { product } from '../../routes/product.js';
import { search } from '../../routes/search.js';
import type { EmptySchema } from '../../../schemas/explain.js';
import type { Product } from '../../../schemas/product.js';
import { type Item, ItemSchema, itemsOf, lineOf, view } from '../compact.js';
import { detailsOf } from '../details.js';
import { quoted } from '../text.js';
import { argumentsOf, asText, type Api, type Arguments, type Shown, type Tool } from '../tool.js';

/** A page of listings, as search, deals and look-up answer it. */
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

/** Why nothing matches, in a sentence. */
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

/** A page, asked for and shown. */
async function pageOf<One extends Product>(
  { operation, names }: { operation: string; names: readonly string[] },
  args: Arguments,
  { ask, now }: Api,
  more: (listing: One) => string = () => '',
): Promise<Shown> {
  const query = { limit: '10', ...asText(args, [...names, 'limit', 'offset']) };
  const page = await ask<Page<One>>(operation, { query });
  const { total, offset: from, has_more, items, interpreted, matched, empty } = page;
  const read = interpreted?.map(({ parameter, value }) => ({ parameter, value }));
  const shown = items.map(itemsOf(args['view'], now));
  const last = from + items.length;
  const some = matched?.all_words === 0 && total > 0;
  return {
    structured: {
      total,
      offset: from,
      has_more,
      items: shown,
      ...(read && { interpreted: read }),
      ...(some && { match: 'some' }),
    },
    lines: [
      ...(some ? ['no listing has all the words; these have some of them'] : []),
      `${total} found${items.length === 0 ? '' : `, ${from + 1} to ${last} of them`}${has_more ? `; offset=${last} gives the next` : ''}`,
      ...(read?.length
        ? [`read as ${read.map(({ parameter, value }) => `${parameter}=${value}`).join(', ')}`]
        : []),
      ...items.map((listing, at) => `${from + at + 1}. ${lineOf(shown[at] as Item, more(listing))}`),
    ],
    ids: items.map(({ id }) => id),
    ...(total === 0 ? { nothing: reasonOf(empty) } : {}),
  };
}

const SEARCH = [
  'q',
  'sort',
  'category',
  'brand',
  'source',
  'min_price',
  'max_price',
  'currency',
  'min_rating',
  'in_stock',
];

export const searchProducts: Tool = {
  name: 'search_products',
  title: 'Search listings',
  description:
    'Listings of all shops by words, model number or identifier, and filters; the best match first.',
  input: argumentsOf(search.query, SEARCH, { interpret, limit, offset, view }),
  output: Type.Object({ ...PageSchema.properties, match: Type.Optional(Type.Literal('some')) }),
  run(args, api) {
    const names = [...SEARCH, 'interpret', 'match'];
    // Relevance puts what fits best first. In another order the agent has to know what the listings have in common.
    const { sort = 'relevance', interpret: isInterpreted = false } = args;
    const match = sort === 'relevance' && isInterpreted !== true ? {} : { match: 'auto' };
    return pageOf({ operation: 'GET /v1/search', names }, { ...args, ...match }, api);
  },
};

const DEALS = ['q', 'category', 'brand', 'source', 'max_price', 'min_discount_pct'];

export const getDeals: Tool = {
  name: 'get_deals',
  title: 'Deals',
  description: 'Listings that cost less than usual: in stock first, then the deepest discount.',
  input: argumentsOf(deals.query, DEALS, { limit, offset, view }),
  output: PageSchema,
  run: (args, api) =>
    pageOf<Product & { discount_pct: number; original_price: string }>(
      { operation: 'GET /v1/deals', names: [...DEALS, 'out_of_stock'] },
      // What cannot be bought is no deal for who asks by an agent.
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
  run: (args, api) => pageOf({ operation: 'GET /v1/lookup', names: IDENTIFIERS }, args, api),
};

export const getProduct: Tool = {
  name: 'get_product',
  title: 'One listing',
  description: 'A listing by its id.',
  input: argumentsOf(product.pathParameters, ['product_id'], { view }),
  output: Type.Object({ item: ItemSchema }),
  async run(args, { ask, now }) {
    const path = asText(args, ['product_id']);
    const listing = await ask<Product>('GET /v1/products/{product_id}', { path });
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
    limit: Type.Integer({ minimum: 1, maximum: 20, default: 5 }),
    view,
  }),
  output: Type.Object({ items: Type.Array(ItemSchema) }),
  async run(args, { ask, now }) {
    const { limit: wanted = '5', ...query } = asText(args, ['q', 'category', 'limit']);
    // One alone would come without its confidence.
    const asked = { ...query, limit: wanted === '1' ? '2' : wanted };
    const { items: found } = await ask<{ items: (Product & { confidence: number })[] }>(
      'GET /v1/products/best-price',
      { query: asked },
    );
    const items = found.slice(0, Number(wanted)).map(itemsOf(args['view'], now));
    return {
      structured: { items },
      lines: items.map((item, at) => `${at + 1}. ${lineOf(item, `sure by ${item.confidence}`)}`),
      ids: items.map(({ id }) => id),
    };
  },
};
