import express, { type Router } from 'express';
import type { Config } from '../../platform/config/config.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/version.js';
import type { Described } from '../endpoint.js';
import { docsAnchor } from '../openapi/openapi.js';
import { staticAnswer } from '../transfer/response-body.js';
import { INSTRUCTIONS, PROTOCOL_VERSIONS } from './mcp/server.js';
import { tools } from './mcp/tools/index.js';

/** Response headers that allow pages of any site to read the discovery documents. */
const PUBLIC_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'public, max-age=3600',
  Link: '</.well-known/api-catalog>; rel="api-catalog"',
};

/**
 * The routes of the discovery documents, which describe the service to agents. Requests for them need no API
 * key and count towards no rate limit.
 */
export function discoveryRoutes(
  described: readonly Described[],
  { publicUrl, publicReadLimit }: Config,
): Router {
  const router = express.Router();
  const serve = (path: string, type: string, document: string | object) => {
    const content = typeof document === 'string' ? document : JSON.stringify(document);
    router.get(path, staticAnswer({ type, content, headers: PUBLIC_HEADERS }));
  };
  serve('/llms.txt', 'text/markdown; charset=utf-8', llmsText(described, publicUrl, publicReadLimit));
  serve(
    '/.well-known/api-catalog',
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    apiCatalog(publicUrl),
  );
  serve('/.well-known/ai-catalog.json', 'application/ai-catalog+json', aiCatalog(publicUrl));
  serve(
    '/mcp/server-card',
    'application/mcp-server-card+json',
    serverCard(publicUrl, publicReadLimit === null),
  );
  return router;
}

const TITLE = 'Product catalogue';
const SUMMARY = 'Listings of many shops: search, the cheapest offer of a product, price history, deals.';

/** Describes the service on one page in the format of llmstxt.org. */
function llmsText(
  described: readonly Described[],
  publicUrl: string,
  publicReadLimit: number | null,
): string {
  const tags = [...new Set(described.map(({ tag }) => tag))];
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
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      described
        .filter((one) => one.tag === tag)
        .map(lineOf)
        .join('\n'),
    ]),
  ].join('\n\n');
}

function apiCatalog(publicUrl: string): object {
  return {
    linkset: [
      {
        anchor: `${publicUrl}/.well-known/api-catalog`,
        item: [{ href: `${publicUrl}/v1` }, { href: `${publicUrl}/mcp` }],
      },
      {
        anchor: `${publicUrl}/v1`,
        'service-desc': [
          { href: `${publicUrl}/openapi.json`, type: 'application/vnd.oai.openapi+json;version=3.1' },
        ],
        'service-doc': [
          { href: `${publicUrl}/docs`, type: 'text/html' },
          { href: `${publicUrl}/llms.txt`, type: 'text/markdown' },
        ],
        status: [{ href: `${publicUrl}/health`, type: 'application/json' }],
      },
      {
        anchor: `${publicUrl}/mcp`,
        'service-desc': [{ href: `${publicUrl}/mcp/server-card`, type: 'application/mcp-server-card+json' }],
      },
    ],
  };
}

function aiCatalog(publicUrl: string): object {
  const { hostname } = new URL(publicUrl);
  const urn = (kind: string) => `urn:air:${hostname}:${kind}:${SERVICE_NAME}`;
  return {
    specVersion: '1.0',
    host: { displayName: TITLE, identifier: hostname, documentationUrl: `${publicUrl}/docs` },
    entries: [
      {
        identifier: urn('mcp'),
        type: 'application/mcp-server-card+json',
        url: `${publicUrl}/mcp/server-card`,
        tags: ['shopping', 'prices', 'product search'],
      },
      {
        identifier: urn('api'),
        type: 'application/vnd.oai.openapi+json',
        url: `${publicUrl}/openapi.json`,
        displayName: `${TITLE} API`,
        description: SUMMARY,
      },
    ],
  };
}

function serverCard(publicUrl: string, needsKey: boolean): object {
  const namespace = new URL(publicUrl).hostname
    .replaceAll(/[^a-z0-9.-]/gi, '')
    .split('.')
    .reverse()
    .join('.');
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: `${namespace}/${SERVICE_NAME}`,
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
            variables: { key: { description: 'API key', isRequired: needsKey, isSecret: true } },
          },
        ],
      },
    ],
  };
}
