import { apiFacet, type ApiRequest, hasSameFacets, toApiRequest, toQueryString } from './request.js';
import { hasFacets, toFacetValues, toResult } from './response.js';
import type { ApiPage, FacetValues, Query, QueryParameters, Result } from './types.js';

export { UnsupportedQueryError } from './request.js';
export type { FacetValues, Hit, Query, Result } from './types.js';

type Parameters = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** The URL of the service, without a trailing slash; empty for the origin of the page. */
  url: string;
  /** The API key, or a function that returns it; without one, requests have no `Authorization`. */
  key?: string | (() => string | null) | undefined;
  /** Parameters that every search has, such as `{group: 'product', match: 'all'}`, or a function that returns them for a sort order. */
  parameters?: Parameters | ((sort: string | undefined) => Parameters);
  /** Called with the path of each request, such as `/v1/search?q=kettle`, also if its answer is known already. */
  onRequest?(path: string): void;
  /** Sends a request; `fetch` unless given. */
  fetch?: typeof fetch;
}

/** The object that InstantSearch needs as `searchClient`. */
export interface SearchClient {
  // InstantSearch types hits by a parameter that no implementation can satisfy.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  search(queries: readonly Query[]): Promise<{ results: any[] }>;
  // It is called with a list of queries, although its type says otherwise.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  searchForFacetValues(queries: any): Promise<any>;
  clearCache(): Promise<void>;
}

/** The API has refused a request, or cannot be reached. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
  /** The status of the response, or 0 if there was none. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ApiAnswer {
  page: ApiPage;
  milliseconds: number;
}

/** How long, in ms, an answer is used again, and how many answers are kept. */
const CACHE_MS = 30_000;
const CACHED = 50;

/** Creates the `searchClient` for InstantSearch: https://www.algolia.com/doc/api-reference/widgets/instantsearch/js/ */
export function createSearchClient(options: ClientOptions): SearchClient {
  const { parameters = {}, onRequest } = options;
  const queryOf = (request: ApiRequest) =>
    toQueryString(request, typeof parameters === 'function' ? parameters(request.base['sort']) : parameters);
  const cache = new Map<string, { answer: Promise<ApiAnswer>; until: number }>();

  /** Sends a request, unless it was sent a moment ago: some widgets repeat the query when they appear. */
  function read(path: string): Promise<ApiAnswer> {
    onRequest?.(path);
    const now = performance.now();
    const cached = cache.get(path);
    if (cached !== undefined && cached.until > now) return cached.answer;
    const answer = request(path);
    if (cache.size >= CACHED) cache.clear();
    cache.set(path, { answer, until: now + CACHE_MS });
    answer.catch(() => cache.delete(path));
    return answer;
  }

  async function request(path: string): Promise<ApiAnswer> {
    const began = performance.now();
    const { url, key, fetch: send = fetch } = options;
    const bearer = typeof key === 'function' ? key() : key;
    const response = await send(`${url}${path}`, {
      headers: { Accept: 'application/json', ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}) },
    }).catch((error: unknown) => {
      throw new CatalogueError(0, `The catalogue cannot be reached: ${String(error)}`);
    });
    const body = (await response.json().catch(() => null)) as (ApiPage & { detail?: unknown }) | null;
    if (!response.ok || body === null)
      throw new CatalogueError(response.status, detailOf(body, response.status));
    return { page: body, milliseconds: performance.now() - began };
  }

  const search = (request: ApiRequest) => read(`/v1/search?${queryOf(request)}`);

  return {
    async search(queries) {
      const requests = queries.map(toApiRequest);
      const results = queries.map(async (query, at): Promise<Result> => {
        const request = requests[at] as ApiRequest;
        // Queries whose facets another query of the same batch has need no request of their own.
        const other = requests.find((one) => one.hitsPerPage > 0 && hasSameFacets(request, one));
        if (request.hitsPerPage === 0 && other !== undefined) {
          const { page, milliseconds } = await search(other);
          if (hasFacets(page, query)) return toResult(query, request, page, milliseconds);
        }
        const { page, milliseconds } = await search(request);
        return toResult(query, request, page, milliseconds);
      });
      return { results: await Promise.all(results) };
    },

    async searchForFacetValues(queries: readonly Query[]): Promise<FacetValues[]> {
      return Promise.all(
        queries.map(async (query) => {
          const params: QueryParameters = query.params ?? {};
          const { facetName = '', facetQuery = '', maxFacetHits = 10 } = params;
          const request = toApiRequest({ ...query, params: { ...params, facets: [facetName] } });
          const facetLimit = Math.min(100, apiFacet(facetName) === 'category_path' ? 100 : maxFacetHits);
          const path = queryOf({ ...request, facetLimit, page: 0, hitsPerPage: 0 });
          const text =
            facetQuery.trim() === ''
              ? ''
              : `&${new URLSearchParams({ facet_q: `${apiFacet(facetName)}:${facetQuery}` })}`;
          const { page, milliseconds } = await read(`/v1/search?${path}${text}`);
          return toFacetValues(page, params, milliseconds);
        }),
      );
    },

    clearCache() {
      cache.clear();
      return Promise.resolve();
    },
  };
}

/** The findings of an error of the API, as one text. */
function detailOf(body: { detail?: unknown } | null, status: number): string {
  const detail = body?.detail;
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) {
    return detail
      .map(({ loc = [], msg = '' }: { loc?: unknown[]; msg?: string }) => `${loc.slice(1).join('.')}: ${msg}`)
      .join('; ');
  }
  return `The catalogue answered with status ${status}`;
}
