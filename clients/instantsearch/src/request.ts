import type { Query, QueryParameters } from './types.js';

/** A query that the API cannot answer as InstantSearch would expect. The message names the alternative. */
export class UnsupportedQueryError extends Error {
  override name = 'UnsupportedQueryError';
}

/** The parameters of a request to `GET /v1/search`. */
export interface ApiRequest {
  /** The parameters that are no filters, facets or paging. */
  base: Record<string, string>;
  /** For each filter parameter of the API, its values. */
  filters: ReadonlyMap<string, readonly string[]>;
  facets: readonly string[];
  facetLimit: number;
  page: number;
  hitsPerPage: number;
}

const HITS_PER_PAGE = 20;
const FACET_LIMIT = 100;

/** What `facets: ['*']` stands for, which `dynamicWidgets` sends. */
const ALL_FACETS = [
  'category_path',
  'brand',
  'source',
  'currency',
  'condition',
  'availability',
  'rating',
  'price',
  'attributes',
];

/** Facets whose values filter the listings by the parameter of the same name. */
const VALUE_FILTERS = ['brand', 'source', 'currency', 'condition', 'category', 'category_path'];

/** The limits of numeric attributes, by the name of the attribute and the operator. */
const LIMITS: Readonly<Record<string, string>> = {
  'price>=': 'min_price',
  'price<=': 'max_price',
  'rating>=': 'min_rating',
};

/** The parameter of the API that each attribute of InstantSearch filters by, for requests that must agree. */
const FILTERS_OF_FACET: Readonly<Record<string, readonly string[]>> = {
  availability: ['in_stock'],
  price: ['min_price', 'max_price'],
  rating: ['min_rating'],
};

const LEVEL = /^category_path\.lvl\d+$/;

/** The facet of the API for an attribute of InstantSearch, such as `category_path` for `category_path.lvl1`. */
export const apiFacet = (attribute: string): string => (LEVEL.test(attribute) ? 'category_path' : attribute);

/**
 * Translates a query of InstantSearch.
 * @throws UnsupportedQueryError if the API cannot answer it.
 */
export function toApiRequest({ indexName, params = {} }: Query): ApiRequest {
  refuseUnknown(params);
  const [, sort] = /:(.+)$/.exec(indexName) ?? [];
  const named = typeof params.facets === 'string' ? [params.facets] : (params.facets ?? []);
  const facets = named.flatMap((name) => (name === '*' ? ALL_FACETS : [apiFacet(name)]));
  const isByPath = facets.includes('category_path');
  return {
    base: {
      ...(params.query ? { q: params.query } : {}),
      // The API sorts by relevance only if there is a text.
      ...(sort === undefined ? {} : { sort }),
    },
    filters: filtersOf(params),
    facets: [...new Set(facets)],
    // All levels of a hierarchical menu are needed, not only its most frequent values.
    facetLimit: isByPath ? FACET_LIMIT : Math.min(params.maxValuesPerFacet ?? 10, FACET_LIMIT),
    page: params.page ?? 0,
    hitsPerPage: params.hitsPerPage ?? HITS_PER_PAGE,
  };
}

/** Parameters of queries that would change the result, and that the API does not have. */
const UNSUPPORTED = [
  'filters',
  'optionalFilters',
  'tagFilters',
  'aroundLatLng',
  'aroundLatLngViaIP',
  'insideBoundingBox',
  'insidePolygon',
  'distinct',
];

function refuseUnknown(params: QueryParameters): void {
  const given = UNSUPPORTED.filter((name) => {
    const value = params[name];
    return (
      value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
    );
  });
  if (given.length > 0) {
    throw new UnsupportedQueryError(
      `The catalogue has no ${given.join(', ')}; filter with widgets, or with the option "parameters" of the client.`,
    );
  }
}

function filtersOf({ facetFilters = [], numericFilters = [] }: QueryParameters): Map<string, string[]> {
  const filters = new Map<string, string[]>();
  const set = (parameter: string, values: readonly string[]) => {
    if (filters.has(parameter)) {
      throw new UnsupportedQueryError(
        `A listing must have one of the values of ${parameter}, not several at once: use operator "or".`,
      );
    }
    filters.set(parameter, [...values]);
  };
  for (const filter of alternativesOf(facetFilters)) {
    const alternatives = filter.map(readFacetFilter);
    const [{ attribute } = { attribute: '' }] = alternatives;
    if (alternatives.some((one) => one.attribute !== attribute))
      throw new UnsupportedQueryError('Filters of several attributes cannot be alternatives.');
    const [parameter, values] = valueFilter(
      attribute,
      alternatives.map(({ value }) => value),
    );
    set(parameter, values);
  }
  for (const alternatives of alternativesOf(numericFilters)) {
    const [, attribute = '', operator = '', value = ''] =
      /^(.+?)(<=|>=|!=|=|<|>)(.+)$/.exec(alternatives[0] ?? '') ?? [];
    if (alternatives.length !== 1) throw new UnsupportedQueryError('Numeric filters cannot be alternatives.');
    if (attribute === 'price' && operator === '=') {
      set('min_price', [value]);
      set('max_price', [value]);
      continue;
    }
    // The rating menu also states the highest rating that there is.
    if (attribute === 'rating' && operator === '<=' && Number(value) >= 5) continue;
    const parameter = LIMITS[`${attribute}${operator}`];
    if (parameter === undefined) {
      throw new UnsupportedQueryError(
        `The catalogue cannot filter by ${attribute} ${operator}; there are ${Object.keys(LIMITS).join(', ')} and price=.`,
      );
    }
    set(parameter, [value]);
  }
  return filters;
}

/** The filters that all apply, each as a list of alternatives. */
const alternativesOf = (filters: unknown): string[][] =>
  (Array.isArray(filters) ? filters : [filters]).map((filter: unknown) =>
    (Array.isArray(filter) ? filter.flat(Infinity) : [filter]).map(String),
  );

function readFacetFilter(filter: string): { attribute: string; value: string } {
  const colon = filter.indexOf(':');
  const [attribute, value] = [filter.slice(0, colon), filter.slice(colon + 1)];
  if (attribute.startsWith('-') || value.startsWith('-'))
    throw new UnsupportedQueryError(`The catalogue cannot exclude values: ${filter}`);
  // InstantSearch escapes a value that begins with a minus.
  return { attribute, value: value.startsWith('\\-') ? value.slice(1) : value };
}

function valueFilter(
  attribute: string,
  values: readonly string[],
): [parameter: string, values: readonly string[]] {
  const facet = apiFacet(attribute);
  if (VALUE_FILTERS.includes(facet) || facet.startsWith('attr.')) return [facet, values];
  if (
    facet === 'availability' &&
    values.length === 1 &&
    ['in_stock', 'out_of_stock'].includes(values[0] ?? '')
  )
    return ['in_stock', [String(values[0] === 'in_stock')]];
  throw new UnsupportedQueryError(
    facet === 'availability'
      ? 'availability is filtered by in_stock or by out_of_stock: use the widget toggleRefinement.'
      : `The catalogue cannot filter by ${attribute}; there are ${VALUE_FILTERS.join(', ')}, availability and attr.NAME.`,
  );
}

/**
 * The query string of a request, with the parameters that all requests of the client have. Its order does not depend on that of the
 * filters, so that the same search has the same address.
 */
export function toQueryString(request: ApiRequest, parameters: Readonly<Record<string, string>>): string {
  const { base, filters, facets, facetLimit, page, hitsPerPage } = request;
  const query = new URLSearchParams({ ...parameters, ...base });
  const pairs = [...filters].flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  for (const [name, value] of pairs.sort()) query.append(name, value);
  if (facets.length > 0) {
    query.set('facets', facets.join(','));
    query.set('facet_limit', String(facetLimit));
  }
  // The API returns at least one item.
  query.set('limit', String(Math.max(1, Math.min(hitsPerPage, 100))));
  if (page > 0) query.set('offset', String(page * hitsPerPage));
  if (hitsPerPage > 0) query.set('highlight', 'true');
  return query.toString();
}

/**
 * Whether the facets of one request are also those of another one. InstantSearch sends a further query for
 * each facet that it filters by, without the filter of that facet, but facets of the API ignore their own
 * filter anyway.
 */
export function hasSameFacets(asked: ApiRequest, answered: ApiRequest): boolean {
  if (JSON.stringify(asked.base) !== JSON.stringify(answered.base)) return false;
  return asked.facets.every((facet) => {
    const own = FILTERS_OF_FACET[facet] ?? [facet];
    return filtersBesides(asked, own) === filtersBesides(answered, own);
  });
}

const filtersBesides = ({ filters }: ApiRequest, own: readonly string[]): string =>
  JSON.stringify(
    [...filters]
      .filter(([name]) => !own.includes(name))
      .map(([name, values]) => [name, [...values].sort()])
      .sort(),
  );
