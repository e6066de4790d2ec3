import { type TSchema, Type } from 'typebox';
import { filtersOfTool } from '../../../../engine/queries/filters.js';
import { SORT_NAMES } from '../../../../engine/queries/sorts.js';
import { deals } from '../../../routes/deals.js';
import { lookup } from '../../../routes/lookup.js';
import { product } from '../../../routes/product.js';
import { search } from '../../../routes/search.js';
import { ApiError } from '../../../../platform/errors.js';
import type { Product } from '../../../../schemas/product.js';
import { Enum } from '../../../../schemas/types.js';
import { UNIT_PRICE_UNITS } from '../../../../schemas/unit-price.js';
import {
  condition,
  detailsOf,
  included,
  includeFor,
  item as itemSchema,
  outputOf,
  singleItem,
  view,
} from '../item.js';
import { FACETS_OUTPUT, facetsArgument, pageResult, PAGE } from '../page.js';
import { MAX_CHARACTERS, quoted } from '../text.js';
import { argumentsOf, asText, ATTRIBUTES, type Tool } from '../tool.js';

const limit = Type.Integer({ minimum: 1, maximum: 100, default: 10 });
const offset = Type.Integer({ minimum: 0, default: 0 });
const interpret = Type.Boolean({ description: 'Apply words such as "under $50" or "cheapest"' });
const words = Type.String({ description: 'Words, model or identifier' });
const category_path = Type.Unsafe<string[]>({
  type: 'array',
  items: { type: 'string' },
  description: 'First levels, such as Electronics > TVs',
});
const currency = Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' } });
/** The arguments of searches and deals whose descriptions are shorter than those of the parameters. */
const shared = {
  category: Type.String({ description: 'Part of the category name' }),
  brand: Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' }, description: 'Full names' }),
  condition,
};
const attributes: TSchema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Such as {"colour": "black"}; facets=attributes lists names',
};

const SEARCH = ['q', 'match', 'sort', 'unit_per', ...filtersOfTool('search_products')];

export const searchProducts: Tool = {
  name: 'search_products',
  title: 'Search listings',
  description:
    'Listings of all shops by words, model number or identifier, and filters; the best match first.',
  input: argumentsOf(search.query, SEARCH, {
    q: words,
    ...shared,
    match: Enum(['auto', 'all', 'any']),
    sort: Enum(SORT_NAMES),
    unit_per: Enum(UNIT_PRICE_UNITS, { description: 'Unit of unit prices' }),
    max_unit_price: Type.Number({ description: 'With unit_per and one currency' }),
    max_age_s: Type.Integer({ minimum: 1, description: 'Seconds since seen, at most' }),
    category_path,
    currency,
    has_image: Type.Boolean(),
    price_currency: Type.String(),
    [ATTRIBUTES]: attributes,
    facets: facetsArgument,
    interpret,
    include: included,
    limit,
    offset,
    view: Enum(['compact', 'full'], { description: 'full: every field' }),
  }),
  output: outputOf(
    {
      ...PAGE,
      matched: Type.Optional(
        Type.Object({
          mode: Type.String({ description: 'any or all of the words' }),
          all_words: Type.Integer({ description: 'With every word, unfiltered' }),
          kind: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        }),
      ),
      interpreted: Type.Optional(Type.Array(Type.Object({ parameter: Type.String(), value: Type.String() }))),
      facets: FACETS_OUTPUT,
    },
    'delivery',
    'total_price',
    'unit_price',
  ),
  run(args, api) {
    const names = [...SEARCH, 'interpret', 'facets', 'facet_limit'];
    const { q, facets } = args;
    // The endpoint says how many listings have all words of the query only if `match` is given.
    const match = q === undefined || q === null ? {} : { match: args['match'] ?? 'auto' };
    // Names of facets are separated by commas, because attributes may have a vertical bar in their name.
    const counted =
      facets === undefined || facets === null
        ? {}
        : { facets: [facets].flat().join(','), facet_limit: FACET_VALUES };
    const include =
      (args['unit_per'] ?? null) === null ? {} : { include: [args['include'] ?? [], 'unit_price'].flat() };
    return pageResult(
      { operation: 'GET /v1/search', names },
      { ...args, ...match, ...counted, ...include },
      api,
    );
  },
};

/** The number of values of each facet, which is as many as fit into a line of text. */
const FACET_VALUES = 15;

const DEALS = ['q', ...filtersOfTool('get_deals'), 'min_discount_pct'];

export const getDeals: Tool = {
  name: 'get_deals',
  title: 'Deals',
  description: 'Listings that cost less than usual: in stock first, then the deepest discount.',
  input: argumentsOf(deals.query, DEALS, { ...shared, category_path, limit, offset, view }),
  output: outputOf(PAGE, 'original_price', 'discount_pct', 'price_basis', 'lowest_price_30d'),
  run: (args, api) =>
    pageResult<Product & { discount_pct: number; original_price: string; price_basis: string }>(
      {
        operation: 'GET /v1/deals',
        names: [...DEALS, 'out_of_stock'],
        emptyBecause: `no listing that passes costs at least ${asText(args, ['min_discount_pct'])['min_discount_pct'] ?? '10'} % less than usual`,
        more: (deal) => `${deal.discount_pct} % below ${deal.original_price}, ${deal.price_basis}`,
      },
      // Deals that are out of stock come last, because an agent is looking for something that can be bought.
      { ...args, out_of_stock: 'last' },
      api,
    ),
};

const IDENTIFIERS = ['gtin', 'sku', 'source', 'model', 'brand', 'url'];

export const lookUp: Tool = {
  name: 'lookup',
  title: 'Look up an identifier',
  description: 'Listings with exactly one of gtin, sku (+ source), model (+ brand) or url.',
  input: argumentsOf(lookup.query, ['sku', 'model'], {
    gtin: Type.String({ description: 'GTIN, EAN, UPC or ISBN' }),
    source: Type.String({ description: 'With sku' }),
    brand: Type.String({ description: 'With model' }),
    url: Type.String({ description: 'The page of the listing at the shop' }),
    limit,
    offset,
    view,
  }),
  output: outputOf({ ...PAGE, in_store: Type.Optional(Type.Boolean()) }),
  async run(args, api) {
    try {
      return await pageResult({ operation: 'GET /v1/lookup', names: IDENTIFIERS }, args, api);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const companion = IDENTIFIERS_WITH.find((name) => (args[name] ?? null) !== null);
      const narrowed = companion === undefined ? '' : ` with this ${companion}`;
      return {
        structured: { total: 0, offset: 0, has_more: false, items: [] },
        lines: [],
        empty: `Nothing matches: no listing${narrowed} has this identifier`,
      };
    }
  },
};

/** The arguments that narrow a look-up down. */
const IDENTIFIERS_WITH = ['source', 'brand'];

export const getProduct: Tool = {
  name: 'get_product',
  title: 'One listing',
  description: 'A listing by its id.',
  input: argumentsOf(product.pathParameters, ['product_id'], { view }),
  output: outputOf({ item: itemSchema }),
  async run(args, { call, now }) {
    const path = asText(args, ['product_id']);
    const query = asText({ include: includeFor(args).join() }, ['include']);
    const listing = await call<Product>('GET /v1/products/{product_id}', { path, query });
    const item = singleItem(args['view'], now, listing);
    return {
      structured: { item },
      lines: linesOfListing(args['view'] === 'full' ? { ...item, description: listing.description } : item),
      ids: [listing.id],
    };
  },
};

const MAX_VALUE_CHARACTERS = 900;

/** Formats a listing with one line per field. The description comes last and has the room that the others leave. */
export function linesOfListing({ description, ...fields }: object & { description?: unknown }): string[] {
  const lines = detailsOf(fields, MAX_VALUE_CHARACTERS);
  const room = MAX_CHARACTERS - lines.join('\n').length - 'description: ""'.length - 1;
  return typeof description === 'string' && room > 0
    ? [...lines, `description: ${quoted(description, room)}`]
    : lines;
}
