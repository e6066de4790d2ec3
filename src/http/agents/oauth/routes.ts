import cors from 'cors';
import express, { type RequestHandler, type Router } from 'express';
import { oauthResource } from '../../../platform/access/oauth-grants.js';
import type { DocumentFetcher } from '../../../platform/fetch-document.js';
import { type Described, NO_INPUT } from '../../endpoint.js';
import { methodNotAllowed } from '../../router.js';
import { readBody } from '../../transfer/request-body.js';
import type { AgentOptions } from '../options.js';
import { decide, showConsent } from './authorize.js';
import { createClients } from './clients.js';
import type { OAuthContext } from './context.js';
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
