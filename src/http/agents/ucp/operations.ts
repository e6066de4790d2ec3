import { hash } from 'node:crypto';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { MAX_RESULT_WINDOW } from '../../../engine/queries/selection.js';
import { CURRENCY_CODES } from '../../../listing/currency.js';
import { fromMinorUnits } from '../../../listing/price.js';
import { findProduct, findProducts, productsOfListings } from '../../../usecases/catalogue-products.js';
import type { Caller, Context } from '../../../usecases/context.js';
import type { SearchParameters } from '../../../usecases/search/parameters.js';
import { answerSearch } from '../../../usecases/search/search.js';
import { type Described, type Endpoint, endpoint, post } from '../../endpoint.js';
import { UcpError } from './errors.js';
import { filtered, toUcpProduct, type UcpFilters } from './product.js';
import { type Capability, LOOKUP, SEARCH } from './releases.js';
import { documentation, LookupAnswer, ProductAnswer, SearchAnswer, ucpMcpPath } from './schemas.js';
import type { FoundPageSchema } from '../../../schemas/search.js';
import { optional } from '../../../schemas/types.js';

const MAX_IDS = 50;
const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;

/** The maximum number of characters of a description, in lists and for one product. */
const DESCRIBED = { list: 2_000, product: 50_000 };

const MinorUnits = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Id = Type.String({ minLength: 1, maxLength: 2_048 });

const SHARED = {
  context: optional.Object({ currency: optional.String({ minLength: 3, maxLength: 3 }) }),
  filters: optional.Object({
    categories: optional.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 }),
    price: optional.Object({ min: Type.Optional(MinorUnits), max: Type.Optional(MinorUnits) }),
  }),
};

const SearchBody = Type.Object(
  {
    ...SHARED,
    query: optional.String({ maxLength: 1_000 }),
    pagination: optional.Object({
      cursor: optional.String({ maxLength: 1_000 }),
      limit: optional.Integer({ minimum: 1 }),
    }),
  },
  { examples: [{ query: 'wireless headphones' }] },
);
const LookupBody = Type.Object(
  { ...SHARED, ids: Type.Array(Id, { minItems: 1, maxItems: MAX_IDS }) },
  { examples: [{ ids: ['l_4503599627370496'] }] },
);
const ProductBody = Type.Object({ ...SHARED, id: Id }, { examples: [{ id: 'l_4503599627370496' }] });

/** An operation of the protocol, which REST and MCP share. Its answer lacks the member `ucp`. */
export interface UcpOperation {
  capability: Capability;
  /** The path below the endpoint of REST, and the name of the tool. */
  path: string;
  tool: string;
  description: string;
  body: TObject;
  endpoint: Endpoint;
}

/** The answer of an operation; `status: error` is an outcome that the operation reports, not a failure. */
export interface UcpOutcome extends Record<string, unknown> {
  status?: 'error';
}

/** Defines an operation. @param answer the name of the schema of its answer, and the members of the schema. */
const operation = <Body extends TObject>(
  of: Omit<UcpOperation, 'endpoint' | 'body'> & { body: Body },
  answer: [$id: string, members: TProperties],
  handle: (context: Context, body: Static<Body>, caller: Caller) => Promise<UcpOutcome>,
): UcpOperation => {
  const definition = endpoint({
    tag: 'Agents',
    summary: of.description,
    ...documentation(of.capability, ...answer),
    body: of.body,
    handle: async (context, { body }, caller) => {
      const outcome = await handle(context, body as Static<Body>, caller);
      const found = (outcome['products'] as unknown[] | undefined)?.length ?? (outcome['product'] ? 1 : 0);
      return { body: outcome as never, event: { results: found } };
    },
  });
  return { ...of, endpoint: post(`/ucp/v1${of.path}`, 'read', definition) };
};

const info = (code: string, content: string) => ({ type: 'info', code, content });

/** Reads the filters of a request. Without a currency, price limits mean nothing, so they are ignored with a message. */
function readFilters({ filters = {}, context = {} }: Static<typeof SearchBody>) {
  const currency = context.currency?.toUpperCase();
  const { price, categories } = filters;
  const { min, max } = price ?? {};
  const isLimited = min !== undefined || max !== undefined;
  if (min !== undefined && max !== undefined && min > max)
    throw new UcpError(400, 'invalid_request', 'filters.price: min must not be greater than max');
  const read: UcpFilters = {
    categories,
    ...(isLimited && currency !== undefined ? { price: { min, max } as UcpFilters['price'], currency } : {}),
  };
  const messages = !isLimited
    ? []
    : currency === undefined
      ? [info('price_filter_ignored', 'filters.price needs context.currency, so it was ignored')]
      : [info('currency_not_converted', `filters.price selects products with a price in ${currency} only`)];
  return { filters: read, messages };
}

const displayOf = async ({ config, schemaVersion }: Context, maxDescription: number) => ({
  links: config,
  schema: await schemaVersion(),
  maxDescription,
});

const withMessages = (messages: object[]) => (messages.length === 0 ? {} : { messages });

const search = operation(
  {
    capability: SEARCH,
    path: '/catalog/search',
    tool: 'search_catalog',
    description: 'Search for products by words, category and price',
    body: SearchBody,
  },
  ['UcpPage', SearchAnswer],
  async (context, body, caller) => {
    const { query = '', pagination = {} } = body;
    const { filters, messages } = readFilters(body);
    const { categories = [], price, currency } = filters;
    if (query.trim() === '' && categories.length === 0 && body.filters?.price === undefined)
      throw new UcpError(400, 'invalid_request', 'A search needs a query or a filter');
    const limit = Math.min(pagination.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
    const about = hash('sha256', JSON.stringify([query, categories, price, currency]), 'base64url');
    const offset = offsetOf(context, pagination.cursor, about);
    const pageOf = async (category: Pick<SearchParameters, 'category' | 'category_path'>) => {
      const wanted: SearchParameters = {
        q: query,
        group: 'product',
        limit,
        offset,
        fields: ['id'],
        // The protocol requires a price for every product, so listings without a price or a currency are filtered out.
        min_price:
          price?.min === undefined || currency === undefined ? '0' : fromMinorUnits(price.min, currency),
        ...(price?.max === undefined || currency === undefined
          ? {}
          : { max_price: fromMinorUnits(price.max, currency) }),
        currency: currency === undefined ? [...CURRENCY_CODES] : [currency],
        ...category,
      };
      const { body: json } = await answerSearch(context, wanted, caller);
      // The search use case returns its page as JSON bytes.
      return JSON.parse(String(json)) as Static<typeof FoundPageSchema>;
    };
    const [category, ...others] = categories;
    let page = await pageOf(category === undefined ? {} : { category_path: [...categories] });
    // A feed may state a category without a path, which is then the only level.
    if (page.total === 0 && category !== undefined && others.length === 0) page = await pageOf({ category });
    const products = await productsOfListings(
      context,
      page.items.map(({ id }) => id),
    );
    const display = await displayOf(context, DESCRIBED.list);
    const next = offset + limit;
    const hasNext = page.has_more && next + limit < MAX_RESULT_WINDOW;
    return {
      products: products.map((product) => toUcpProduct(product, display)),
      pagination: {
        ...(hasNext ? { cursor: context.sealed.seal({ about, offset: next }, CURSOR) } : {}),
        has_next_page: hasNext,
        total_count: page.total_groups,
      },
      ...withMessages(messages),
    };
  },
);

const CURSOR = 'ucp';

function offsetOf({ sealed }: Context, cursor: string | undefined, about: string): number {
  if (cursor === undefined || cursor === '') return 0;
  const content = sealed.open(cursor, CURSOR) as { about: string; offset: number } | null;
  if (content?.about !== about)
    throw new UcpError(400, 'invalid_cursor', 'pagination.cursor is not a cursor of this search');
  return content.offset;
}

const lookup = operation(
  {
    capability: LOOKUP,
    path: '/catalog/lookup',
    tool: 'lookup_catalog',
    description: 'Look up products by id, listing id, GTIN, source:sku or https URL',
    body: LookupBody,
  },
  ['UcpProducts', LookupAnswer],
  async (context, body) => {
    const { filters, messages } = readFilters(body);
    const ids = [...new Set(body.ids)];
    const found = await findProducts(context, ids);
    const resolved = new Set(found.flatMap(({ inputs }) => [...inputs.values()].flat().map(({ id }) => id)));
    const missing = ids.filter((id) => !resolved.has(id));
    const display = await displayOf(context, DESCRIBED.list);
    const products = found.map((product) => filtered(product, filters)).filter((product) => product !== null);
    return {
      products: products.map((product) => toUcpProduct(product, display, product.inputs)),
      ...withMessages([...missing.map((id) => info('not_found', id)), ...messages]),
    };
  },
);

const product = operation(
  {
    capability: LOOKUP,
    path: '/catalog/product',
    tool: 'get_product',
    description: 'Retrieve a product with its offers by any identifier of a look-up',
    body: ProductBody,
  },
  ['UcpOneProduct', ProductAnswer],
  async (context, body) => {
    const { filters, messages } = readFilters(body);
    const found = await findProduct(context, body.id);
    const kept = found === null ? null : filtered(found, filters);
    if (kept === null) {
      const content = `Product not found: ${body.id}`;
      return {
        status: 'error',
        messages: [{ type: 'error', code: 'not_found', content, severity: 'unrecoverable' }],
      };
    }
    const display = await displayOf(context, DESCRIBED.product);
    return { product: toUcpProduct(kept, display), ...withMessages(messages) };
  },
);

export const OPERATIONS: readonly UcpOperation[] = [search, lookup, product];

/** The paths of UCP in the OpenAPI document. Those of earlier releases differ only in their base. */
export const ucpPaths: readonly Described[] = [...OPERATIONS.map(({ endpoint: one }) => one), ucpMcpPath];
