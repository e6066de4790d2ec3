import { Type } from 'typebox';
import { component, documentedAs, integer, optional, text } from '../../../schemas/types.js';
import { type Described, NO_INPUT } from '../../endpoint.js';

const ANYTHING = Type.Object({}, { additionalProperties: true });

/** The id of a JSON-RPC message. A string is accepted but not documented: a union of types is awkward in generated clients. */
const rpcId = (documented: string | string[], description: string) =>
  documentedAs(Type.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'], description }), {
    type: documented,
  });

const RpcSchema = component('RpcAnswer', 'A JSON-RPC 2.0 response, with `result` or `error`', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(rpcId(['integer', 'null'], 'The `id` of the request; null if it could not be read')),
  result: optional.Object(
    {},
    { additionalProperties: true, description: 'The result of the method, as the protocol defines it' },
  ),
  error: optional.Object(
    {
      code: integer('An error code of JSON-RPC 2.0 or of MCP', -32_602),
      message: text('What went wrong'),
      data: Type.Optional(ANYTHING),
    },
    { description: 'The error; present instead of `result`' },
  ),
});

const REFUSALS = {
  400: 'The body is not JSON or not JSON-RPC, or the protocol revision is not supported',
  403: 'The request comes from a web page of another origin',
  404: 'The method does not exist',
  406: '`Accept` does not contain both media types',
  413: 'The body is too large',
  415: 'The body is not `application/json`',
  429: 'The rate limit is exceeded',
  500: 'An internal error',
  503: 'The service is overloaded, or a dependency is temporarily unavailable',
};

export const mcpPath: Described = {
  method: 'post',
  path: '/mcp',
  access: 'read',
  tag: 'Agents',
  name: { more: 'mcp' },
  summary: 'Use the API as tools over the Model Context Protocol',
  description:
    'Streamable HTTP without sessions, with JSON responses. The protocol revision is 2026-07-28; 2025-11-25, 2025-06-18 and ' +
    '2025-03-26 can be negotiated by `initialize`. A request contains one message and ' +
    'counts once; in revision 2025-03-26 it may be a batch of up to 20 messages, each of which counts. As the protocol requires, `Accept` ' +
    'must contain `application/json` and `text/event-stream`. All errors except 401 are JSON-RPC errors. `tools/list` lists the tools.',
  ...NO_INPUT,
  body: Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(
        rpcId(
          'integer',
          'A number that identifies the request. A string is accepted as well. Notifications have no `id`',
        ),
      ),
      method: text('The method, such as `tools/call`'),
      params: optional.Object({}, { additionalProperties: true }),
    },
    {
      $id: 'RpcCall',
      examples: [
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'search_products', arguments: { q: 'wireless headphones', limit: 5 } },
        },
      ],
    },
  ),
  responses: {
    200: {
      description: 'The response of the method. If a tool fails, its result contains the error',
      schema: RpcSchema,
      example: { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '…' }] } },
    },
    202: { description: 'The notification was accepted' },
    ...Object.fromEntries(
      Object.entries(REFUSALS).map(([status, description]) => [status, { description, schema: RpcSchema }]),
    ),
  },
};
