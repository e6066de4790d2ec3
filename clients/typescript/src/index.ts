import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type { components, operations, paths } from './schema.js';

/** A listing as every answer shows it. */
export type Product = components['schemas']['Product'];

export interface Options {
  /** Where the service is, such as `https://catalogue.example`. */
  url: string;
  /** An API key, or a token of `POST /v1/token`. */
  key: string;
  /** In place of the platform's own. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Parameters whose values a comma parts; in all others it is `|`. */
const BY_COMMA = new Set(['facets', 'fields']);

/** Lists stand in one parameter; the members of an object, such as `{"attr.colour": "black"}`, are parameters. */
function serialized(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) search.set(name, value.join(BY_COMMA.has(name) ? ',' : '|'));
    else if (typeof value === 'object')
      for (const [member, inner] of Object.entries(value)) add(member, inner);
    else search.set(name, String(value));
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  return search.toString();
}

/**
 * A client whose paths, parameters and answers are typed: `GET('/v1/search', {params: {query: {q: 'kettle'}}})` gives
 * `{data, error, response}`; `error` is the body of an answer that is no 2xx, and nothing is thrown for one.
 */
export function createClient({ url, key, fetch }: Options): Client<paths> {
  return createFetchClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
    querySerializer: serialized,
    ...(fetch === undefined ? {} : { fetch }),
  });
}
