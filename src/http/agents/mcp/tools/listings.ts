import { Type } from 'typebox';
import { filtersOfTool } from '../../../../engine/queries/filters.js';
import { ApiError, invalid } from '../../../../platform/errors.js';
import { MatchedSchema } from '../../../../schemas/explain.js';
import type { Product } from '../../../../schemas/product.js';
import { InterpretedSchema } from '../../../../schemas/search.js';
import { integer, optional } from '../../../../schemas/types.js';
import { plainApostrophes } from '../../../../text/fold.js';
import * as shared from '../item.js';
import { FACETS_OUTPUT, pageResult, PAGE } from '../page.js';
import { fittingItems, MAX_CHARACTERS, quoted } from '../text.js';
import { argumentsOf, ask, ATTRIBUTES, bare, derived, type Members, type Tool } from '../tool.js';

const { condition, included, outputOf, singleItem, view, withIncluded } = shared;
const limit = shared.limitOf(100, 10);

/** Descriptions of filters that are shorter than those of the parameters; filters that are not listed keep theirs. */
const FILTER_TEXTS: Members = {
  category: 'Part of the category name',
  category_path: 'First levels, such as Electronics > TVs',
  brand: 'Full names',
  condition,
  max_unit_price: 'With unit_per and one currency',
  max_age_s: 'Seconds since seen, at most',
  ...bare('min_price max_price min_rating source currency has_image price_currency'),
};

const filtersOf = (tool: Parameters<typeof filtersOfTool>[0]): Members =>
  Object.fromEntries(filtersOfTool(tool).map((name) => [name, FILTER_TEXTS[name] ?? null]));

const [SEARCH, DEALS, LOOKUP] = ['GET /v1/search', 'GET /v1/deals', 'GET /v1/lookup'];
const PRODUCT = 'GET /v1/products/{product_id}';

export const searchProducts: Tool = {
  name: 'search_products',
  title: 'Search listings',
  description:
    'Listings of all shops by words, model number or identifier, and filters; the best match first.',
  input: argumentsOf(SEARCH, {
    q: 'Words, model or identifier',
    ...bare('match sort'),
    unit_per: 'Unit of unit prices',
    ...filtersOf('search_products'),
    [ATTRIBUTES]: Type.Optional(
      Type.Unsafe({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Such as {"colour": "black"}; facets=attributes lists names',
      }),
    ),
    facets: 'Counts by brand, category, source, price, rating, availability, attributes or attr.NAME',
    interpret: 'false: words such as "under $50" or "cheapest" only match',
    include: included,
    limit,
    offset: '',
    view: optional.Enum(['compact', 'full'], { description: 'full: every field' }),
  }),
  output: outputOf(
    {
      ...PAGE,
      matched: optional.Object(
        derived(MatchedSchema, {
          mode: 'any or all of the words',
          all_words: 'With every word, unfiltered',
          kind: '',
          corrected: '',
        }),
      ),
      interpreted: optional.Array(Type.Object(derived(InterpretedSchema, bare('parameter value')))),
      facets: FACETS_OUTPUT,
    },
    'delivery total_price unit_price',
  ),
  run(args, api) {
    const asks = (name: string) => (args[name] ?? null) !== null;
    return pageResult(
      { operation: SEARCH },
      {
        ...args,
        // The endpoint counts the listings with all words only if `match` is given. Agents often pass on what a person asked for.
        ...(asks('q') && { match: args['match'] ?? 'auto', interpret: args['interpret'] ?? true }),
        ...(asks('facets') && { facet_limit: FACET_VALUES }),
        ...(asks('unit_per') && { include: [args['include'] ?? [], 'unit_price'].flat() }),
      },
      api,
    );
  },
};

/** The number of values of each facet, which is as many as fit into a line of text. */
const FACET_VALUES = 15;

export const getDeals: Tool = {
  name: 'get_deals',
  title: 'Deals',
  description: 'Listings that cost less than usual: in stock first, then the deepest discount.',
  input: argumentsOf(DEALS, {
    q: null,
    ...filtersOf('get_deals'),
    ...bare('min_discount_pct offset'),
    limit,
    view,
  }),
  output: outputOf(PAGE, 'original_price discount_pct price_basis lowest_price_30d'),
  run: (args, api) =>
    pageResult<Product & { discount_pct: number; original_price: string; price_basis: string }>(
      {
        operation: DEALS,
        emptyBecause: `no listing that passes costs at least ${String((args['min_discount_pct'] ?? 10) as number)} % less than usual`,
        more: (deal) => `${deal.discount_pct} % below ${deal.original_price}, ${deal.price_basis}`,
      },
      // Deals that are out of stock come last, because an agent is looking for something that can be bought.
      { ...args, out_of_stock: 'last' },
      api,
    ),
};

export const lookUp: Tool = {
  name: 'lookup',
  title: 'Look up an identifier',
  description: 'Listings with exactly one of gtin, sku (+ source), model (+ brand) or url.',
  needsOneOf: ['gtin', 'sku', 'model', 'url'],
  input: argumentsOf(LOOKUP, {
    gtin: 'GTIN, EAN, UPC or ISBN',
    sku: null,
    model: null,
    source: 'With sku',
    brand: 'With model',
    url: 'The page of the listing at the shop',
    limit,
    offset: '',
    view,
  }),
  output: outputOf({ ...PAGE, in_store: Type.Optional(Type.Boolean()) }),
  async run(args, api) {
    try {
      return await pageResult({ operation: LOOKUP }, args, api);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const companion = ['source', 'brand'].find((name) => (args[name] ?? null) !== null);
      const narrowed = companion === undefined ? '' : ` with this ${companion}`;
      return {
        structured: { total: 0, offset: 0, has_more: false, items: [] },
        lines: [],
        empty: `Nothing matches: no listing${narrowed} has this identifier`,
      };
    }
  },
};

export const getProduct: Tool = {
  name: 'get_product',
  title: 'One listing',
  description: 'A listing by its id.',
  input: argumentsOf(PRODUCT, { product_id: null, view }),
  output: outputOf({ item: shared.item }),
  async run(args, api) {
    const listing = await ask<Product>(api, PRODUCT, withIncluded(args));
    const item = singleItem(args['view'], api.now, listing);
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
  const lines = shared.detailsOf(fields, MAX_VALUE_CHARACTERS);
  const room = MAX_CHARACTERS - lines.join('\n').length - 'description: ""'.length - 1;
  return typeof description === 'string' && room > 0
    ? [...lines, `description: ${quoted(description, room)}`]
    : lines;
}

const [CATEGORIES_BY_DEFAULT, MOST_CATEGORIES] = [50, 500];

export const listCategories: Tool = {
  name: 'list_categories',
  title: 'Categories',
  description: 'Categories with their number of listings, the largest first.',
  input: Type.Object({
    contains: optional.text('Part of the name'),
    limit: shared.limitOf(MOST_CATEGORIES, CATEGORIES_BY_DEFAULT),
  }),
  output: Type.Object({
    total: integer('All that match'),
    categories: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() })),
  }),
  async run({ contains = '', limit = CATEGORIES_BY_DEFAULT }, { call }) {
    const most = Number(limit);
    if (!(Number.isInteger(most) && most >= 1 && most <= MOST_CATEGORIES)) {
      const msg = `Input should be an integer from 1 to ${MOST_CATEGORIES}`;
      throw invalid([{ loc: ['query', 'limit'], msg, type: 'value_error' }]);
    }
    const all = (await call<{ categories: { name: string; count: number }[] }>('GET /v1/categories', {}))
      .categories;
    const folded = (text: string) => plainApostrophes(text.toLowerCase());
    const part = folded(String(contains as string));
    const found = all.filter(({ name }) => folded(name).includes(part));
    const { shown: categories, lines } = fittingItems(found.slice(0, most), ({ name, count }) => [
      `${quoted(name, 100)} ${count}`,
    ]);
    const shown = found.length > categories.length ? `, the largest ${categories.length} of them` : '';
    return {
      structured: { total: found.length, categories },
      lines: [`${found.length} categories${shown}`, ...lines],
      ...(found.length === 0 ? { empty: 'Nothing matches: no category has that in its name' } : {}),
    };
  },
};
