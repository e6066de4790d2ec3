import { Type } from 'typebox';
import type { Answer } from '../answer.js';
import { endpoint, type Endpoint } from '../endpoint.js';

/** The version of the contract, the first part of every path. */
const VERSION = 'v1';

export const ApiRootSchema = Type.Object(
  {
    api: Type.String({ description: 'Name of the API' }),
    version: Type.String({ description: 'Version label' }),
    endpoints: Type.Record(Type.String(), Type.String(), {
      description: 'Short name → method and path',
    }),
    auth: Type.String({ description: 'How to authenticate' }),
    docs: Type.String({ description: 'Path of the interactive documentation' }),
  },
  { $id: 'ApiRoot' },
);

/**
 * `GET /` and `GET /v1`: the same object, made of the list of endpoints.
 * @param listed asked at the first request, when the list is complete.
 */
export function rootEndpoints(listed: () => readonly Endpoint[]): Endpoint[] {
  const body = () => ({
    api: 'Product Catalog API',
    version: VERSION,
    endpoints: Object.fromEntries(
      listed().flatMap(({ name, method, path }) =>
        name === undefined ? [] : [[name, `${method.toUpperCase()} ${path}`]],
      ),
    ),
    auth: 'Every /v1 call needs a Bearer token: send "Authorization: Bearer <API_KEY>". Keys come from the operator, or from POST /v1/keys.',
    docs: '/docs',
  });
  const handle = (): Answer => ({ body: body() });
  const responses = { 200: { description: 'The API at a glance', schema: ApiRootSchema } };
  const tag = 'Service';
  return [
    endpoint({
      method: 'get',
      path: '/',
      access: 'counted',
      tag,
      summary: 'The API at a glance, for newcomers',
      responses,
      handle,
    }),
    endpoint({
      method: 'get',
      path: '/v1',
      access: 'key',
      tag,
      summary: 'The API at a glance',
      responses,
      handle,
    }),
  ];
}
