import createFetchClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type { components, operations, paths } from './schema.js';

/** A listing as every response contains it. */
export type Product = components['schemas']['Product'];

export interface Options {
  /** The address of the service, such as `https://catalogue.example`. */
  url: string;
  /** An API key, or a token of `POST /v1/token`. */
  key: string;
  /** A function that is used instead of the platform's own `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a client whose paths, parameters and responses are typed. For example,
 * `GET('/v1/search', {params: {query: {q: 'kettle'}}})` returns `{data, error, response}`. If the status of the
 * response is not 2xx, `error` is its body; no exception is thrown.
 */
export function createClient({ url, key, fetch }: Options): Client<paths> {
  return createFetchClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
    // The members of an object, such as `{"attr.colour": "black"}`, become parameters. The values of a list
    // become repeated parameters, which is the default.
    querySerializer: { object: { style: 'form', explode: true } },
    ...(fetch === undefined ? {} : { fetch }),
  });
}
