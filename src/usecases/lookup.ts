import type { Context } from './context.js';
import { searchListings } from '../engine/search-listings.js';
import { type Identifier, type ReadIdentifier, readIdentifier } from '../engine/queries/lookup.js';
import { currentCatalogue } from '../engine/queries/selection.js';
import { byStockAndPrice } from '../engine/queries/sorts.js';
import { searchEach } from '../engine/multi-search.js';
import { notFound, type ValidationIssue } from '../platform/errors.js';
import type { Include, PageQuery } from '../schemas/include.js';
import { includeRequest, pageOf, productWith } from '../products/included.js';
import { checkInclude, checkOffset, checkSchema, pageFrame } from '../products/list-requests.js';

const TYPES = ['gtin', 'sku', 'model', 'url'] as const;
/** The query parameters that are allowed only together with one type of identifier, each with this type. */
const COMPANIONS = { source: 'sku', brand: 'model' } as const;

type LookupQuery = PageQuery & Partial<Record<(typeof TYPES)[number] | keyof typeof COMPANIONS, string>>;

/** Reports an error unless the query has exactly one valid identifier and no parameter of another type of identifier. */
export function lookupIssues(query: LookupQuery): ValidationIssue[] {
  const [first, ...others] = typesIn(query);
  const choice = `exactly one of ${TYPES.join(', ')}`;
  if (first === undefined)
    return [{ loc: ['query', 'gtin'], msg: `Field required: ${choice}`, type: 'missing' }];
  const issue = (name: string, msg: string) => ({ loc: ['query', name], msg, type: 'value_error' });
  const misplaced = (['source', 'brand'] as const).filter(
    (name) => query[name] !== undefined && COMPANIONS[name] !== first,
  );
  const read = readIdentifier(identifierOf(query, first));
  return [
    // An empty identifier is not reported here, because the request schema already reports it.
    ...('wrong' in read && query[first] !== '' ? [issue(first, read.wrong)] : []),
    ...others.map((name) => issue(name, `Value error, give ${choice}`)),
    ...misplaced.map((name) => issue(name, `Value error, only allowed with ${COMPANIONS[name]}`)),
  ];
}

const typesIn = (query: LookupQuery) => TYPES.filter((name) => query[name] !== undefined);

const identifierOf = (query: LookupQuery, type: (typeof TYPES)[number]): Identifier => ({
  type,
  value: query[type] ?? '',
  source: query.source,
  brand: query.brand,
});

/** Looks up a query for which `lookupIssues` reports nothing. @throws ApiError 404 without a listing, 400 for a large offset. */
export async function lookUp(context: Context, query: LookupQuery) {
  const { es, products, rates } = context;
  const { limit = 20, offset = 0, include } = query;
  const read = readIdentifier(identifierOf(query, typesIn(query)[0] ?? 'gtin'));
  if ('wrong' in read) throw new Error(read.wrong);
  checkOffset(offset);
  await checkInclude(context, include);
  const selection = { query: read.query, sort: byStockAndPrice(rates) };
  const page = { slice: { limit, offset }, request: includeRequest(include) };
  const { total, hits } = await searchListings(es, currentCatalogue(products), selection, page);
  const event = { results: total };
  if (total === 0) {
    await checkSearchable(context, [read]);
    throw notFound('No listing has this identifier', event);
  }
  const frame = pageFrame({ total, items: hits.length }, { limit, offset });
  const found = { ...frame, match: 'exact' as const, ...markInStore(read) };
  const body = pageOf(found, hits, context, include);
  return { body, event };
}

interface LookupRequest {
  identifiers: (Omit<Identifier, 'value'> & { value: string | number })[];
  limit?: number;
  include?: Include;
}

/** Returns the listings of each of several identifiers, by one request to the engine. Results report invalid identifiers. */
export async function lookUpMany(context: Context, { identifiers, limit = 5, include = [] }: LookupRequest) {
  const { es, products, rates } = context;
  const inputs = identifiers.map((input) => ({ ...input, value: String(input.value) }));
  const reads = inputs.map(readIdentifier);
  const queries = reads.map((read) => ('query' in read ? read.query : null));
  await checkInclude(context, include);
  const { _source: source } = includeRequest(include);
  const page = { sort: byStockAndPrice(rates), size: limit, source };
  const found = await searchEach(es, products, queries, page);
  const unfound = reads.filter((_, i) => found[i]?.total === 0);
  await checkSearchable(context, unfound);
  const results = inputs.map((input, i) => {
    const read = reads[i] ?? { wrong: '' };
    const { total, listings } = found[i] ?? { total: 0, listings: [] };
    return {
      input,
      match: total > 0 ? ('exact' as const) : ('none' as const),
      ...('wrong' in read ? { normalised: null, reason: read.wrong } : { normalised: read.normalised }),
      total,
      ...markInStore(read),
      items: listings.map((listing) => productWith(include, listing, context)),
    };
  });
  const hits = results.filter(({ total }) => total > 0).length;
  return { body: { results, found: hits, missing: results.length - hits }, event: { results: hits } };
}

/** Marks a result as that of an in-store number, because listings with the same one may be different products. */
const markInStore = (read: ReadIdentifier): { in_store?: true } =>
  'inStore' in read && read.inStore === true ? { in_store: true } : {};

/** @throws ApiError 503 if nothing was found because the index has an earlier schema, in which URLs cannot be searched. */
function checkSearchable(context: Context, reads: readonly ReadIdentifier[]): Promise<void> {
  const versions = reads.map((read) => ('schema' in read ? (read.schema ?? 0) : 0));
  return checkSchema(context, { 'look-up by URL': Math.max(0, ...versions) });
}
