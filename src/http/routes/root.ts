import { Type } from 'typebox';
import { type Described, endpoint } from '../endpoint.js';
import { component, text } from '../../schemas/types.js';
import { nameOf } from '../../telemetry/request-record.js';

const VERSION = 'v1';
const AUTH =
  'Every /v1 call needs a Bearer token: send "Authorization: Bearer <API_KEY>". Keys come from the operator, or from POST /v1/keys.';

const ApiRootSchema = component('ApiRoot', {
  api: text('Name of the API', 'Product Catalog API'),
  version: text('Version label', 'v1'),
  endpoints: Type.Record(Type.String(), Type.String(), {
    description: 'The method and path of each endpoint, by the short name of the endpoint',
    examples: [{ search: 'GET /v1/search' }],
  }),
  more: Type.Record(Type.String(), Type.String(), {
    description: 'The same for additional endpoints',
    examples: [{ lookup: 'GET /v1/lookup' }],
  }),
  auth: text('How to authenticate', AUTH),
  docs: text('Path of the interactive documentation', '/docs'),
});

/** Describes the endpoints of the API. @param listed a function, because the list of endpoints contains this one. */
export const apiRoot = (listed: () => readonly Described[]) =>
  endpoint({
    tag: 'Service',
    summary: 'Describe the API',
    description: 'Returns the path of each endpoint by its name.',
    responses: { 200: { description: 'The endpoints of the API', schema: ApiRootSchema } },
    pool: null,
    handle: ({ config: { agents, publicReadLimit } }) => ({
      body: {
        api: 'Product Catalog API',
        version: VERSION,
        endpoints: named(listed(), 'string'),
        more: { ...named(listed(), 'object'), ...(agents && { mcp: 'POST /mcp' }) },
        auth:
          publicReadLimit === null
            ? AUTH
            : `Reading needs no key, up to ${publicReadLimit} requests a minute. For more, send "Authorization: Bearer <API_KEY>"; keys come from the operator.`,
        docs: '/docs',
      },
    }),
  });

/** The endpoints by name. @param type `string` for those of the original specification, `object` for additional ones. */
const named = (listed: readonly Described[], type: 'string' | 'object'): Record<string, string> =>
  Object.fromEntries(
    listed
      .filter(({ name }) => typeof name === type)
      .map((one) => [nameOf(one), `${one.method.toUpperCase()} ${one.path}`]),
  );
