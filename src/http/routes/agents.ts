import { Type } from 'typebox';
import type { Described } from '../endpoint.js';
import { documentedAs } from '../../schemas/types.js';

const NOTHING = Type.Object({});

/** Of whatever a program reads to find out what there is; the texts themselves are made in `src/http/mcp/discovery.ts`. */
const document = (path: string, type: string, summary: string, example: unknown): Described => ({
  method: 'get',
  path,
  access: 'open',
  tag: 'Agents',
  summary,
  pathParameters: NOTHING,
  query: NOTHING,
  body: null,
  responses: {
    200: {
      description: summary,
      content: { [type]: { schema: typeof example === 'string' ? Type.String() : ANYTHING, example } },
    },
    304: { description: 'Unchanged since the answer with the `ETag` that `If-None-Match` names' },
  },
});

const ANYTHING = Type.Object({}, { additionalProperties: true });

/** JSON-RPC allows a string as well. The documents state one type, because typed clients would have to cast a union. */
const rpcId = (documented: string | string[], description: string) =>
  documentedAs(Type.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'], description }), {
    type: documented,
  });

const RpcSchema = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(
      rpcId(
        ['integer', 'null'],
        'The `id` of the request (a string if the request had one); null: it could not be read',
      ),
    ),
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
        { description: 'In place of `result`' },
      ),
    ),
  },
  { description: 'A JSON-RPC 2.0 answer: `result`, or `error`', $id: 'RpcAnswer' },
);

const REFUSED = {
  schema: RpcSchema,
  example: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Bad Request' } },
};

/** What speaks protocols of its own: `src/http/mcp` answers it. */
export const agentPaths: readonly [mcp: Described, ...documents: Described[]] = [
  {
    method: 'post',
    path: '/mcp',
    access: 'key',
    tag: 'Agents',
    name: { more: 'mcp' },
    summary: 'The Model Context Protocol: tools for agents',
    description:
      'Streamable HTTP without sessions, answered in JSON: revision 2026-07-28, and 2025-11-25, 2025-06-18 and 2025-03-26 ' +
      'by `initialize`. One message a request, each of which counts once. `Accept` must name `application/json` and ' +
      '`text/event-stream`, as the protocol has it. Errors but 401 are JSON-RPC errors. `tools/list` tells the tools.',
    pathParameters: NOTHING,
    query: NOTHING,
    body: Type.Object(
      {
        jsonrpc: Type.Literal('2.0'),
        id: Type.Optional(
          rpcId(
            'integer',
            'A number that the client chooses for this request; a string is accepted as well. A notification has none',
          ),
        ),
        method: Type.String({ description: 'Such as `tools/call`' }),
        params: Type.Optional(Type.Object({}, { additionalProperties: true })),
      },
      {
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
        description:
          'What the method answers; a tool that could not do what it was asked says so in its result',
        schema: RpcSchema,
        example: { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '…' }] } },
      },
      202: { description: 'A notification was taken' },
      400: { description: 'No JSON, no JSON-RPC, or a revision that is not spoken here', ...REFUSED },
      403: { description: 'A page of another origin asks', ...REFUSED },
      404: { description: 'No such method', ...REFUSED },
      406: { description: '`Accept` does not name both media types', ...REFUSED },
      413: { description: 'The body is too large', ...REFUSED },
      415: { description: 'The body is not `application/json`', ...REFUSED },
      429: { description: 'Too many requests in this minute', ...REFUSED },
      500: { description: 'A mistake of the service', ...REFUSED },
      503: { description: 'Something that the service needs is away for now', ...REFUSED },
    },
  },
  document('/mcp/server-card', 'application/mcp-server-card+json', 'What there is at `/mcp` (SEP-2127)', {
    name: 'example.catalogue/product-catalogue',
    version: '1.0.0',
    title: 'Product catalogue',
    description: 'Listings of many shops: search, the cheapest offer of a product, price history, deals.',
    websiteUrl: 'https://catalogue.example/docs',
    remotes: [{ type: 'streamable-http', url: 'https://catalogue.example/mcp' }],
  }),
  document(
    '/llms.txt',
    'text/markdown',
    'The service in one page for language models',
    '# Product catalogue\n\n> Listings of many shops: search, the cheapest offer of a product, price history, deals.',
  ),
  document(
    '/.well-known/api-catalog',
    'application/linkset+json',
    'Links to the API’s documents (RFC 9727)',
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
  document('/.well-known/ai-catalog.json', 'application/ai-catalog+json', 'What agents can use here', {
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
