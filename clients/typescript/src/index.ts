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

/**
 * A client whose paths, parameters and answers are typed: `GET('/v1/search', {params: {query: {q: 'kettle'}}})` gives
 * `{data, error, response}`; `error` is the body of an answer that is no 2xx, and nothing is thrown for one.
 */
export function createClient({ url, key, fetch }: Options): Client<paths> {
  return createFetchClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
    // The members of an object, such as `{"attr.colour": "black"}`, are parameters; lists are repeated by default.
    querySerializer: { object: { style: 'form', explode: true } },
    ...(fetch === undefined ? {} : { fetch }),
  });
}
