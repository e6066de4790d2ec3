import express, { type RequestHandler, type Router } from 'express';
import type { Described, Endpoint } from '../../endpoint.js';
import type { Perform } from '../../perform.js';
import { requesterOf } from '../../router.js';
import { readBody, parseBody } from '../../transfer/request-body.js';
import { sendBytes, staticAnswer } from '../../transfer/response-body.js';
import { answerInJsonRpc, countBatch, requireOwnOrigin } from '../mcp/agents.js';
import { ApiError } from '../../../platform/errors.js';
import type { Config } from '../../../platform/config/config.js';
import type { Logger } from '../../../telemetry/logger.js';
import { agentPaths } from '../paths.js';
import { answerInUcp } from './errors.js';
import { ucpAgentHandler } from './mcp.js';
import { OPERATIONS } from './operations.js';
import { performOperation, type Performed } from './perform-operation.js';
import { type Platforms, profileUrl } from './platforms.js';
import { basePath, CURRENT, profileOf, RELEASES } from './releases.js';

interface UcpOptions {
  config: Config;
  logger: Logger;
  /** The checks of a request that only reads. */
  checks: readonly RequestHandler[];
  /** Counts a request, as `checks` does. */
  limit: RequestHandler;
  /** Creates the function that runs an endpoint. */
  performerOf(endpoint: Endpoint): Perform;
  /** Creates the handler that records the metrics and events of requests to a path. */
  servedBy(described: Described): RequestHandler;
  platforms: Platforms | null;
}

const [mcp] = agentPaths;

const CACHED = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' };

const PATHS = RELEASES.map(basePath).flatMap((base) => [
  `${base}/mcp`,
  ...OPERATIONS.map(({ path }) => `${base}/v1${path}`),
]);

/** The routes of the Universal Commerce Protocol: profiles, REST and MCP, for each release. */
export function ucpRoutes({
  config,
  logger,
  checks,
  limit,
  performerOf,
  servedBy,
  platforms,
}: UcpOptions): Router {
  const router = express.Router();
  const operations: Performed[] = OPERATIONS.map((one) => ({ ...one, perform: performerOf(one.endpoint) }));
  for (const release of RELEASES) {
    const content = JSON.stringify(profileOf(release, config.publicUrl));
    const path = release === CURRENT ? '/.well-known/ucp' : `/.well-known/ucp/${release}`;
    router.get(path, staticAnswer({ type: 'application/json', content, headers: CACHED }));
    for (const operation of operations) {
      router.post(
        `${basePath(release)}/v1${operation.path}`,
        servedBy(operation.endpoint),
        ...checks,
        readBody,
        async (request, response) => {
          const profile = profileUrl(request.get('ucp-agent'));
          const given = { profile, served: release, body: parseBody(request) };
          const answer = await performOperation(operation, given, requesterOf(request, response), platforms);
          if (answer === null) return;
          response.type('application/json');
          sendBytes(request, response, Buffer.from(JSON.stringify(answer)));
        },
      );
    }
    router.post(
      `${basePath(release)}/mcp`,
      servedBy({ ...mcp, path: '/ucp/mcp' }),
      ...checks,
      requireOwnOrigin(config),
      readBody,
      countBatch(limit),
      ucpAgentHandler({ operations, release, platforms, logger }),
      answerInJsonRpc,
    );
  }
  router.all(PATHS, (_request, _response, next) => {
    next(new ApiError(405, 'Method Not Allowed', { Allow: 'POST' }));
  });
  router.use('/ucp', answerInUcp(logger));
  return router;
}
