import cors from 'cors';
import express, { type RequestHandler, type Router } from 'express';
import { oauthResource } from '../../../platform/access/oauth-grants.js';
import { ApiError } from '../../../platform/errors.js';
import type { DocumentFetcher } from '../../../platform/fetch-document.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Described } from '../../endpoint.js';
import { agentPaths } from '../paths.js';
import { readBody } from '../../transfer/request-body.js';
import { staticAnswer } from '../../transfer/response-body.js';
import { decide, showConsent } from './authorize.js';
import { createClients } from './clients.js';
import type { OAuthContext } from './context.js';
import { answerInOAuth } from './errors.js';
import { resourceMetadata, resourceMetadataPaths, serverMetadata } from './metadata.js';
import { exchange, register, revoke } from './tokens.js';

interface OAuthOptions {
  issuer: string;
  publicUrl: string;
  services: Pick<OAuthContext, 'grants' | 'keys' | 'sealed' | 'now'>;
  documents: DocumentFetcher;
  /** The schemes of applications that redirect URIs may have, besides reversed domain names. */
  redirectSchemes: readonly string[];
  logger: Logger;
  /** The checks of a request that anybody may send, with the limit of its address. */
  checks: readonly RequestHandler[];
  /** Records requests to a path. */
  servedBy(described: Described): RequestHandler;
}

const METADATA = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' };

/** The authorization server for `/mcp`: metadata, registration, consent, tokens and revocation. */
export function oauthRoutes({
  issuer,
  publicUrl,
  services,
  documents,
  redirectSchemes,
  logger,
  checks,
  servedBy,
}: OAuthOptions): Router {
  const router = express.Router();
  const context: OAuthContext = {
    issuer,
    resource: oauthResource(publicUrl),
    clients: createClients(services.grants, documents, redirectSchemes),
    ...services,
  };
  const serveDocument = (path: string, document: object) => {
    router.get(
      path,
      staticAnswer({ type: 'application/json', content: JSON.stringify(document), headers: METADATA }),
    );
  };
  for (const path of resourceMetadataPaths(publicUrl))
    serveDocument(path, resourceMetadata(publicUrl, issuer));
  serveDocument('/.well-known/oauth-authorization-server', serverMetadata(issuer));

  const [mcp] = agentPaths;
  const at = (method: 'get' | 'post', path: string, ...handlers: RequestHandler[]) =>
    router[method](path, servedBy({ ...mcp, method, path, access: 'counted' }), ...checks, ...handlers);
  at('get', '/oauth/authorize', showConsent(context));
  at('post', '/oauth/authorize', readBody, decide(context));
  // Clients in browsers call these. They read no cookie, so any origin may.
  const open = cors({
    origin: '*',
    methods: ['POST'],
    allowedHeaders: ['Content-Type', 'Mcp-Protocol-Version'],
    maxAge: 600,
  });
  const PUBLIC: Record<string, RequestHandler> = {
    '/oauth/token': exchange(context),
    '/oauth/register': register(context),
    '/oauth/revoke': revoke(context),
  };
  for (const [path, handler] of Object.entries(PUBLIC)) {
    router.options(path, open);
    at('post', path, open, readBody, handler);
  }
  router.all(['/oauth/authorize', ...Object.keys(PUBLIC)], (request, _response, next) => {
    const Allow = request.path === '/oauth/authorize' ? 'GET, HEAD, POST' : 'POST';
    next(new ApiError(405, 'Method Not Allowed', { Allow }));
  });
  router.use('/oauth', answerInOAuth(logger));
  return router;
}
