import express, { type Router } from 'express';
import { createDocumentFetcher } from '../../platform/fetch-document.js';
import type { Context } from '../../usecases/context.js';
import type { Described } from '../endpoint.js';
import { endpoints } from '../routes/index.js';
import { readBody } from '../transfer/request-body.js';
import { documentPaths, serveDocuments } from './documents.js';
import { agentHandler, answerInJsonRpc, countBatch, requireOwnOrigin } from './mcp/handler.js';
import { mcpPath } from './mcp/path.js';
import { challengeClients, oauthRoutes, serveMetadata } from './oauth/routes.js';
import type { AgentOptions } from './options.js';
import { ucpPaths } from './ucp/operations.js';
import { createPlatforms } from './ucp/platforms.js';
import { ucpRoutes } from './ucp/routes.js';

/** The paths for agents, which follow other protocols than the endpoints. */
export const agentPaths: readonly Described[] = [mcpPath, ...documentPaths, ...ucpPaths];

export const documentedPaths: readonly Described[] = [...endpoints, ...agentPaths];

/** The routes of the protocols of agents: MCP, UCP and OAuth. Each has its own checks. */
export function agentRoutes(options: AgentOptions): Router {
  const { context, logger, checks, limit, servedBy } = options;
  const { config } = context;
  const router = express.Router();
  router.post(
    mcpPath.path,
    servedBy(mcpPath),
    ...checks.read.beforeBody,
    requireOwnOrigin(config),
    readBody,
    countBatch(limit),
    agentHandler(options),
    ...(config.oauthIssuer === null ? [] : [challengeClients(config.publicUrl)]),
    answerInJsonRpc(logger),
  );
  const documents = createDocumentFetcher({ allowedHosts: config.documentAllowedHosts });
  router.use(ucpRoutes(options, config.ucpFetchesProfiles ? createPlatforms(documents) : null));
  if (config.oauthIssuer !== null) router.use(oauthRoutes(options, config.oauthIssuer, documents));
  return router;
}

export function agentDocuments({ config }: Context): Router {
  const router = express.Router();
  serveDocuments(router, { ...config, described: documentedPaths });
  if (config.oauthIssuer !== null) serveMetadata(router, config.publicUrl, config.oauthIssuer);
  return router;
}
