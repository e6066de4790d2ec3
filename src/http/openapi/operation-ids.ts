import { nameOf } from '../../telemetry/request-record.js';
import type { Described } from '../endpoint.js';

/** The operation ids of endpoints for which they differ from the name in the API root. */
const FUNCTIONS: Record<string, string> = {
  'get /': 'welcome',
  'get /v1': 'apiRoot',
  'get /v1/products': 'listProducts',
  'get /v1/products/export': 'exportProducts',
  'get /v1/products/compare': 'compare',
  'post /v1/products/compare': 'compareMany',
  'post /v1/products/compare/diff': 'diff',
  'get /v1/products/{product_id}': 'getProduct',
  'post /v1/keys': 'createKey',
  'get /v1/keys': 'listKeys',
  'delete /v1/keys/{key_id}': 'revokeKey',
  'post /v1/keys/{key_id}/rotate': 'rotateKey',
  'post /v1/token': 'createToken',
  'get /v1/alerts': 'listAlerts',
  'get /v1/alerts/{alert_id}': 'getAlert',
  'get /track/{product_id}': 'track',
  'get /llms.txt': 'llmsText',
  'get /.well-known/api-catalog': 'apiCatalog',
  'get /.well-known/ai-catalog.json': 'aiCatalog',
  'get /mcp/server-card': 'serverCard',
  'post /ucp/v1/catalog/search': 'ucpSearch',
  'post /ucp/v1/catalog/lookup': 'ucpLookup',
  'post /ucp/v1/catalog/product': 'ucpProduct',
  'post /ucp/mcp': 'ucpMcp',
};

const camel = (words: string): string =>
  words.replaceAll(/[^a-zA-Z0-9]+([a-zA-Z0-9])?/g, (_all, letter: string | undefined) =>
    (letter ?? '').toUpperCase(),
  );

/** The id of an operation in the OpenAPI document. Client generators derive the name of a function from it. */
export function operationId(endpoint: Described): string {
  const { method, path } = endpoint;
  const name = FUNCTIONS[`${method} ${path}`] ?? nameOf(endpoint);
  if (name !== undefined) return camel(name);
  const words = camel(path.slice(1));
  return method === 'get' ? words.charAt(0).toLowerCase() + words.slice(1) : camel(`${method} ${path}`);
}
