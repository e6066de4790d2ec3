import express, { type Express, type IRouter, type RequestHandler } from 'express';
import { trustProxies } from '../platform/access/client-address.js';
import { timedForRedis } from '../telemetry/dependency-timings.js';
import type { Logger } from '../telemetry/logger.js';
import type { ProcessorTime } from '../telemetry/processor-time.js';
import { redactor } from '../telemetry/redact.js';
import { requestLog } from '../telemetry/request-event.js';
import { endpointRecorder, observe, type Observer } from '../telemetry/request-record.js';
import type { Context } from '../usecases/context.js';
import { createAccessChecks, createRateLimits } from './access-checks.js';
import type { Pools } from './admission/pools.js';
import { agentDocuments, agentRoutes, documentedPaths } from './agents/index.js';
import type { Endpoint } from './endpoint.js';
import { answerErrors } from './errors.js';
import { explorerRoutes, redirectBrowsers } from './explorer.js';
import {
  commonHeaders,
  corsHeaders,
  escapeStrayPercent,
  inSequence,
  requestId,
  requireValidHttp,
} from './middleware.js';
import { boundOpenPaths } from './open-paths.js';
import { docsRoutes } from './openapi/docs.js';
import { openApiDocument } from './openapi/openapi.js';
import { type Perform, performer } from './perform.js';
import { pictureRoutes } from './pictures.js';
import type { Caches } from './response-cache.js';
import { endpointHandler, expressPath, methodNotAllowed, onPaths, pathNotFound } from './router.js';
import { endpoints } from './routes/index.js';
import { readBody } from './transfer/request-body.js';

interface AppOptions {
  caches: Caches;
  pools: Pools;
  processorTime: ProcessorTime;
  logger: Logger;
  /** Receivers of the records of requests, in addition to the log: events, metrics, tracing. */
  observers?: readonly Observer[];
  /** Further request handlers for paths that are no endpoints, such as the pictures of the demo. */
  routes?: readonly RequestHandler[];
}

/**
 * Creates the Express app. The order of the checks:
 *
 * 1. 400 and 417 for input that violates HTTP, 404 for an unknown path, 405 for another method;
 * 2. 503 by admission control, 429 by the rate limit, 401 without a usable key, 403 for a key that may not write;
 * 3. 413, 415 and 408 while the body is read, 422 with every finding of validation;
 * 4. 503 without a concurrency slot; then the handler's own errors, such as 404.
 */
export function createApp(
  context: Context,
  { caches, pools, processorTime, logger, observers = [], routes = [] }: AppOptions,
): Express {
  const { config, access, now } = context;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  // Express does not parse the query string, because the app's own router does.
  app.set('query parser', false);
  trustProxies(app, config.trustProxy);

  const { logSample: sample, jwtSecrets } = config;
  const log = requestLog(logger, { redact: redactor(config), sample, secret: jwtSecrets[0] });
  const allObservers = [log, processorTime, ...observers];
  const servedBy = endpointRecorder(allObservers);
  const limits = createRateLimits(access);
  const checks = createAccessChecks(access, limits, pools);
  const performerOf = (endpoint: Endpoint) => performer(endpoint, context, { caches, pools, processorTime });

  const begin: RequestHandler = (_request, _response, next) => {
    processorTime.begin();
    next();
  };
  const arrival = [begin, requestId, observe(allObservers, now), requireValidHttp, escapeStrayPercent];
  app.use(inSequence(...arrival, commonHeaders));
  if (config.corsOrigins.length > 0) app.use(corsHeaders(config.corsOrigins));

  const performers = new Map<string, Perform>();
  const register = (router: IRouter, endpoint: Endpoint) => {
    const perform = performerOf(endpoint);
    performers.set(`${endpoint.method.toUpperCase()} ${endpoint.path}`, perform);
    const { beforeBody, afterBody } = checks[endpoint.access];
    router[endpoint.method](
      expressPath(endpoint.path),
      inSequence(
        servedBy(endpoint),
        ...beforeBody,
        ...(endpoint.body === null ? [] : [readBody]),
        ...afterBody,
        endpointHandler(endpoint, context, perform),
      ),
    );
  };
  // Paths with parameters would also match static paths, so that static paths and their 405 responses come first.
  const isStatic = ({ path }: Endpoint) => !path.includes('{');
  const staticPaths = endpoints.filter(isStatic);
  if (config.explorer) app.get('/', redirectBrowsers);
  const ofStaticPaths = express.Router();
  for (const endpoint of staticPaths) register(ofStaticPaths, endpoint);
  ofStaticPaths.use(methodNotAllowed(staticPaths));
  app.use(onPaths(staticPaths, ofStaticPaths));
  for (const endpoint of endpoints) if (!isStatic(endpoint)) register(app, endpoint);

  const limit = timedForRedis(limits.limit);
  if (config.agents)
    app.use(agentRoutes({ context, logger, checks, limit, performers, performerOf, servedBy }));
  // All paths below are open: they need no key and have no rate limit.
  app.use(boundOpenPaths());
  const described = config.agents ? documentedPaths : endpoints;
  if (config.agents) app.use(agentDocuments(context));
  app.use(docsRoutes(openApiDocument(described, config), config.explorer));
  if (config.pictures !== null) app.use(pictureRoutes(config.pictures.folder));
  for (const route of routes) app.use(route);
  if (config.explorer) app.use(explorerRoutes(config));
  app.use(methodNotAllowed(described));
  app.use(pathNotFound);
  app.use(answerErrors(logger));
  return app;
}
