import type { Router } from 'express';
import { Type } from 'typebox';
import type { Config } from '../../platform/config/config.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/version.js';
import { type Described, NO_INPUT } from '../endpoint.js';
import { docsAnchor } from '../openapi/openapi.js';
import { staticAnswer } from '../transfer/response-body.js';
import { INSTRUCTIONS, PROTOCOL_VERSIONS } from './mcp/server.js';
import { tools } from './mcp/tools/index.js';
import { profileOf, profilePath, RELEASES } from './ucp/releases.js';

/** The service that the documents describe. `described` are the paths of its API. */
export type Site = Pick<Config, 'publicUrl' | 'publicReadLimit'> & { described: readonly Described[] };

interface Document {
  path: string;
  type: string;
  summary: string;
  content(site: Site): string | object;
  /** The example in the OpenAPI document, if it is shorter than the content of the document for the example site. */
  example?: object;
}

const TITLE = 'Product catalogue';
const SUMMARY = 'Listings of many shops: search, the cheapest offer of a product, price history, deals.';

const DOCUMENTS: readonly Document[] = [
  {
    path: '/mcp/server-card',
    type: 'application/mcp-server-card+json',
    summary: 'Describe the MCP server at `/mcp` (SEP-2127)',
    content: ({ publicUrl, publicReadLimit }) => ({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
      name: `${reversed(new URL(publicUrl).hostname)}/${SERVICE_NAME}`,
      version: SERVICE_VERSION,
      title: TITLE,
      description: SUMMARY,
      websiteUrl: `${publicUrl}/docs`,
      remotes: [
        {
          type: 'streamable-http',
          url: `${publicUrl}/mcp`,
          supportedProtocolVersions: PROTOCOL_VERSIONS,
          headers: [
            {
              name: 'Authorization',
              description: 'Bearer and an API key of this service, or a token of POST /v1/token',
              value: 'Bearer {key}',
              variables: {
                key: { description: 'API key', isRequired: publicReadLimit === null, isSecret: true },
              },
            },
          ],
        },
      ],
    }),
  },
  {
    path: '/llms.txt',
    type: 'text/markdown; charset=utf-8',
    summary: 'Describe the service for language models',
    content: llmsText,
  },
  {
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    summary: 'List the documents of the API (RFC 9727)',
    content({ publicUrl }) {
      const link = (path: string, type?: string) => ({ href: `${publicUrl}${path}`, ...(type && { type }) });
      return {
        linkset: [
          { anchor: `${publicUrl}/.well-known/api-catalog`, item: [link('/v1'), link('/mcp')] },
          {
            anchor: `${publicUrl}/v1`,
            'service-desc': [link('/openapi.json', 'application/vnd.oai.openapi+json;version=3.1')],
            'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/markdown')],
            status: [link('/health', 'application/json')],
          },
          {
            anchor: `${publicUrl}/mcp`,
            'service-desc': [link('/mcp/server-card', 'application/mcp-server-card+json')],
          },
        ],
      };
    },
  },
  ...RELEASES.map((release, at) => ({
    path: profilePath(release),
    type: 'application/json',
    summary: `Describe the catalogue by ${at === 0 ? '' : 'the earlier release of '}the Universal Commerce Protocol`,
    content: ({ publicUrl }: Site) => profileOf(release, publicUrl),
    example: { ucp: { version: release, services: {}, capabilities: {}, payment_handlers: {} } },
  })),
  {
    path: '/.well-known/ai-catalog.json',
    type: 'application/ai-catalog+json',
    summary: 'List what agents can use',
    content({ publicUrl }) {
      const { hostname } = new URL(publicUrl);
      const entry = (kind: string, type: string, path: string) => ({
        identifier: `urn:air:${hostname}:${kind}:${SERVICE_NAME}`,
        type,
        url: `${publicUrl}${path}`,
      });
      return {
        specVersion: '1.0',
        host: { displayName: TITLE, identifier: hostname, documentationUrl: `${publicUrl}/docs` },
        entries: [
          {
            ...entry('mcp', 'application/mcp-server-card+json', '/mcp/server-card'),
            tags: ['shopping', 'prices', 'product search'],
          },
          {
            ...entry('api', 'application/vnd.oai.openapi+json', '/openapi.json'),
            displayName: `${TITLE} API`,
            description: SUMMARY,
          },
        ],
      };
    },
  },
];

const reversed = (hostname: string): string =>
  hostname
    .replaceAll(/[^a-z0-9.-]/gi, '')
    .split('.')
    .reverse()
    .join('.');

/** Describes the service on one page in the format of llmstxt.org. */
function llmsText({ described, publicUrl, publicReadLimit }: Site): string {
  const lineOf = (one: Described) =>
    `- [${one.method.toUpperCase()} ${one.path}](${publicUrl}/docs${docsAnchor(one)}): ${one.summary}`;
  return [
    `# ${TITLE}`,
    `> ${SUMMARY}`,
    (publicReadLimit === null
      ? 'Every `/v1` path and `/mcp` need `Authorization: Bearer KEY`; keys come from the operator. '
      : `Reading needs no key, up to ${publicReadLimit} requests a minute; with \`Authorization: Bearer KEY\` the limit is ` +
        'higher, and keys come from the operator. ') +
      'Responses are JSON, prices are decimal strings, and times are ISO 8601 in UTC. Errors have `detail`, which reports all findings at once.',
    INSTRUCTIONS,
    '## Documents',
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): every path, parameter and response\n- [Documentation](${publicUrl}/docs): the same, with requests to try out`,
    '## Tools for agents',
    `Model Context Protocol at ${publicUrl}/mcp (Streamable HTTP).`,
    tools.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n'),
    ...[...new Set(described.map(({ tag }) => tag))].flatMap((tag) => [
      `## ${tag}`,
      described.flatMap((one) => (one.tag === tag ? [lineOf(one)] : [])).join('\n'),
    ]),
  ].join('\n\n');
}

const EXAMPLE: Site = { publicUrl: 'https://catalogue.example', publicReadLimit: null, described: [] };

const abridged = (example: object): unknown =>
  JSON.parse(JSON.stringify(example), (_name, value: unknown) =>
    Array.isArray(value) ? value.slice(0, 1) : value,
  );

export const documentPaths: readonly Described[] = DOCUMENTS.map((document) => {
  const { path, type, summary, example = document.content(EXAMPLE) } = document;
  const documented =
    typeof example === 'string'
      ? { schema: Type.String(), example: example.split('\n\n', 2).join('\n\n') }
      : { schema: Type.Object({}, { additionalProperties: true }), example: abridged(example) };
  return {
    method: 'get',
    path,
    access: 'open',
    tag: 'Agents',
    summary,
    description: 'Needs no key and counts towards no limit.',
    ...NO_INPUT,
    responses: {
      200: { description: 'The document', content: { [type.split(';', 1)[0] ?? type]: documented } },
      304: {
        description: 'The document has not changed since the response whose `ETag` is in `If-None-Match`',
      },
    },
  };
});

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'public, max-age=3600',
  Link: '</.well-known/api-catalog>; rel="api-catalog"',
};

/** Serves a document that pages of any site may read, without a key and a rate limit. */
export function serveDocument(
  router: Router,
  path: string,
  content: string | object,
  type = 'application/json',
) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  router.get(path, staticAnswer({ type, content: text, headers: HEADERS }));
}

export function serveDocuments(router: Router, site: Site): void {
  for (const { path, type, content } of DOCUMENTS) serveDocument(router, path, content(site), type);
}
