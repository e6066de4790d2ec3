import { Type } from 'typebox';
import type { Described } from '../endpoint.js';
import { documentedAs } from '../../schemas/types.js';

const NOTHING = Type.Object({});

/** Describes a discovery document. Its content is created in `src/http/agents/discovery.ts`. */
const document = (path: string, type: string, summary: string, example: unknown): Described => ({
  method: 'get',
  path,
  access: 'open',
  tag: 'Agents',
  summary,
  description: 'Needs no key and counts towards no limit.',
  pathParameters: NOTHING,
  query: NOTHING,
  body: null,
  responses: {
    200: {
      description: 'The document',
      content: { [type]: { schema: typeof example === 'string' ? Type.String() : ANYTHING, example } },
    },
    304: {
      description: 'The document has not changed since the response whose `ETag` is in `If-None-Match`',
    },
  },
});

const ANYTHING = Type.Object({}, { additionalProperties: true });

/**
 * The id of a JSON-RPC message. JSON-RPC also allows a string, which is accepted but not documented, because
 * a type of integer or string is awkward in generated clients.
 */
const rpcId = (documented: string | string[], description: string) =>
  documentedAs(Type.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'], description }), {
    type: documented,
  });

const RpcSchema = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(rpcId(['integer', 'null'], 'The `id` of the request; null if it could not be read')),
    result: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'The result of the method, as the protocol defines it' },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ description: 'An error code of JSON-RPC 2.0 or of MCP', examples: [-32_602] }),
          message: Type.String({ description: 'What went wrong' }),
          data: Type.Optional(ANYTHING),
        },
        { description: 'The error; present instead of `result`' },
      ),
    ),
  },
  { description: 'A JSON-RPC 2.0 response, with `result` or `error`', $id: 'RpcAnswer' },
);

const REFUSED = { schema: RpcSchema };

/** The endpoints for agents. They are handled in `src/http/agents`, because they follow other protocols. */
export const agentPaths: readonly [mcp: Described, ...documents: Described[]] = [
  {
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
    pathParameters: NOTHING,
    query: NOTHING,
    body: Type.Object(
      {
        jsonrpc: Type.Literal('2.0'),
        id: Type.Optional(
          rpcId(
            'integer',
            'A number that identifies the request. A string is accepted as well. Notifications have no `id`',
          ),
        ),
        method: Type.String({ description: 'The method, such as `tools/call`' }),
        params: Type.Optional(Type.Object({}, { additionalProperties: true })),
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
      400: {
        description: 'The body is not JSON or not JSON-RPC, or the protocol revision is not supported',
        ...REFUSED,
      },
      403: { description: 'The request comes from a web page of another origin', ...REFUSED },
      404: { description: 'The method does not exist', ...REFUSED },
      406: { description: '`Accept` does not contain both media types', ...REFUSED },
      413: { description: 'The body is too large', ...REFUSED },
      415: { description: 'The body is not `application/json`', ...REFUSED },
      429: { description: 'The rate limit is exceeded', ...REFUSED },
      500: { description: 'An internal error', ...REFUSED },
      503: {
        description: 'The service is overloaded, or a dependency is temporarily unavailable',
        ...REFUSED,
      },
    },
  },
  document(
    '/mcp/server-card',
    'application/mcp-server-card+json',
    'Describe the MCP server at `/mcp` (SEP-2127)',
    {
      name: 'example.catalogue/product-catalogue',
      version: '1.0.0',
      title: 'Product catalogue',
      description: 'Listings of many shops: search, the cheapest offer of a product, price history, deals.',
      websiteUrl: 'https://catalogue.example/docs',
      remotes: [{ type: 'streamable-http', url: 'https://catalogue.example/mcp' }],
    },
  ),
  document(
    '/llms.txt',
    'text/markdown',
    'Describe the service for language models',
    '# Product catalogue\n\n> Listings of many shops: search, the cheapest offer of a product, price history, deals.',
  ),
  document(
    '/.well-known/api-catalog',
    'application/linkset+json',
    'List the documents of the API (RFC 9727)',
    {
      linkset: [
        {
          anchor: 'https://catalogue.example/v1',
          'service-desc': [
            {
              href: 'https://catalogue.example/openapi.json',
              type: 'application/vnd.oai.openapi+json;version=3.1',
            },
          ],
        },
      ],
    },
  ),
  document(
    '/.well-known/ucp',
    'application/json',
    'Describe the catalogue by the Universal Commerce Protocol',
    {
      ucp: {
        version: '2026-08-25',
        services: {
          'dev.ucp.shopping': [
            { version: '2026-08-25', transport: 'rest', endpoint: 'https://catalogue.example/ucp/v1' },
          ],
        },
        payment_handlers: {},
      },
    },
  ),
  document(
    '/.well-known/ucp/2026-04-08',
    'application/json',
    'Describe the catalogue by the earlier release of the Universal Commerce Protocol',
    { ucp: { version: '2026-04-08', services: {}, payment_handlers: {} } },
  ),
  document('/.well-known/ai-catalog.json', 'application/ai-catalog+json', 'List what agents can use', {
    specVersion: '1.0',
    host: { displayName: 'Product catalogue', documentationUrl: 'https://catalogue.example/docs' },
    entries: [
      {
        identifier: 'urn:air:catalogue.example:mcp:product-catalogue',
        type: 'application/mcp-server-card+json',
        url: 'https://catalogue.example/mcp/server-card',
      },
    ],
  }),
];
