import cors from 'cors';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { oauthResource } from '../../../platform/access/oauth-grants.js';
import { ApiError } from '../../../platform/errors.js';
import type { DocumentFetcher } from '../../../platform/fetch-document.js';
import { type Described, NO_INPUT } from '../../endpoint.js';
import { toApiError } from '../../errors.js';
import { methodNotAllowed } from '../../router.js';
import { readBody } from '../../transfer/request-body.js';
import { serveDocument } from '../documents.js';
import type { AgentOptions } from '../options.js';
import { decide, showConsent } from './authorize.js';
import { createClients, type OAuthContext } from './clients.js';
import { answerInOAuth } from './requests.js';
import { exchange, register, revoke } from './tokens.js';

/** The authorization server for `/mcp`: registration, consent, tokens and revocation. */
export function oauthRoutes(
  { context: { config, access, keys, sealed, now }, logger, checks, servedBy }: AgentOptions,
  issuer: string,
  documents: DocumentFetcher,
): Router {
  const router = express.Router();
  const { grants } = access;
  const context: OAuthContext = {
    ...{ issuer, resource: oauthResource(config.publicUrl), grants, keys, sealed, now },
    clients: createClients(grants, documents, config.oauthRedirectSchemes),
  };
  const paths: Described[] = [];
  const at = (method: 'get' | 'post', path: string, ...handlers: RequestHandler[]) => {
    const described: Described = { ...PATH, method, path };
    paths.push(described);
    router[method](path, servedBy(described), ...checks.counted.beforeBody, ...handlers);
  };
  at('get', '/oauth/authorize', showConsent(context));
  at('post', '/oauth/authorize', readBody, decide(context));
  // Clients in browsers call these. They read no cookie, so any origin may.
  const open = cors({
    origin: '*',
    methods: ['POST'],
    allowedHeaders: ['Content-Type', 'Mcp-Protocol-Version'],
    maxAge: 600,
  });
  const handlers = { token: exchange(context), register: register(context), revoke: revoke(context) };
  for (const [name, handler] of Object.entries(handlers)) {
    router.options(`/oauth/${name}`, open);
    at('post', `/oauth/${name}`, open, readBody, handler);
  }
  router.use(methodNotAllowed(paths));
  router.use('/oauth', answerInOAuth(logger));
  return router;
}

/** The paths of OAuth are not part of the OpenAPI document, but requests to them are recorded. */
const PATH = { access: 'counted', tag: 'Agents', summary: 'OAuth', ...NO_INPUT, responses: {} } as const;

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

const resourcePath = (publicUrl: string): string =>
  RESOURCE_METADATA + new URL(oauthResource(publicUrl)).pathname;

/** Adds to a 401 where the protected resource is described (RFC 9728, section 5.1). */
export function challengeClients(publicUrl: string): ErrorRequestHandler {
  const challenge = `Bearer resource_metadata="${new URL(publicUrl).origin}${resourcePath(publicUrl)}"`;
  return (thrown, _request, _response, next) => {
    const { status, detail, headers } = toApiError(thrown);
    next(status === 401 ? new ApiError(401, detail, { ...headers, 'WWW-Authenticate': challenge }) : thrown);
  };
}

/** Serves the descriptions of the protected resource (RFC 9728) and of the authorization server (RFC 8414). */
export function serveMetadata(router: Router, publicUrl: string, issuer: string): void {
  // Some clients look for the metadata of the resource at the root.
  for (const path of [resourcePath(publicUrl), RESOURCE_METADATA])
    serveDocument(router, path, {
      resource: oauthResource(publicUrl),
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Product catalogue',
      resource_documentation: `${publicUrl}/docs`,
    });
  serveDocument(router, '/.well-known/oauth-authorization-server', {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
}
