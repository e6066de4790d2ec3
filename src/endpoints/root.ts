import { Type } from 'typebox';
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
 * The API at a glance, made of the list of endpoints.
 * @param listed asked at the first request, when the list is complete.
 */
export const apiRoot = (listed: () => readonly Endpoint[]) =>
  endpoint({
    tag: 'Service',
    summary: 'The API at a glance',
    responses: { 200: { description: 'The API at a glance', schema: ApiRootSchema } },
    cost: () => null,
    handle: () => ({
      body: {
        api: 'Product Catalog API',
        version: VERSION,
        endpoints: Object.fromEntries(
          listed().flatMap(({ name, method, path }) =>
            name === undefined ? [] : [[name, `${method.toUpperCase()} ${path}`]],
          ),
        ),
        auth: 'Every /v1 call needs a Bearer token: send "Authorization: Bearer <API_KEY>". Keys come from the operator, or from POST /v1/keys.',
        docs: '/docs',
      },
    }),
  });
