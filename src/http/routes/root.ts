import { Type } from 'typebox';
import { type Described, endpoint } from '../endpoint.js';

/** The version of the contract, the first part of every path. */
const VERSION = 'v1';

export const ApiRootSchema = Type.Object(
  {
    api: Type.String({ description: 'Name of the API', examples: ['Product Catalog API'] }),
    version: Type.String({ description: 'Version label', examples: ['v1'] }),
    endpoints: Type.Record(Type.String(), Type.String(), {
      description: 'Short name → method and path',
      examples: [{ search: 'GET /v1/search' }],
    }),
    more: Type.Record(Type.String(), Type.String(), {
      description: 'The same for what the service offers besides',
      examples: [{ lookup: 'GET /v1/lookup' }],
    }),
    auth: Type.String({ description: 'How to authenticate' }),
    docs: Type.String({ description: 'Path of the interactive documentation', examples: ['/docs'] }),
  },
  { $id: 'ApiRoot' },
);

/**
 * The API at a glance, made of the list of endpoints.
 * @param listed asked at the first request, when the list is complete.
 */
export const apiRoot = (listed: () => readonly Described[]) =>
  endpoint({
    tag: 'Service',
    summary: 'The API at a glance',
    responses: { 200: { description: 'The API at a glance', schema: ApiRootSchema } },
    cost: () => null,
    handle: () => ({
      body: {
        api: 'Product Catalog API',
        version: VERSION,
        endpoints: named(listed(), (name) => (typeof name === 'string' ? name : undefined)),
        more: named(listed(), (name) => (typeof name === 'object' ? name.more : undefined)),
        auth: 'Every /v1 call needs a Bearer token: send "Authorization: Bearer <API_KEY>". Keys come from the operator, or from POST /v1/keys.',
        docs: '/docs',
      },
    }),
  });

/** Short name → method and path, of those endpoints that have one. */
const named = (
  listed: readonly Described[],
  nameOf: (name: Described['name']) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    listed.flatMap(({ name, method, path }) => {
      const short = nameOf(name);
      return short === undefined ? [] : [[short, `${method.toUpperCase()} ${path}`]];
    }),
  );
