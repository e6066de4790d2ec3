import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { trustProxies } from '../platform/access/address.js';
import { agentHandler, answerInJsonRpc, discoveryRoutes, ownOrigin } from './mcp/agents.js';
import { docsRoutes } from './openapi/docs.js';
import { createAdmissionControl } from './admission/admission-control.js';
import type { Context } from '../usecases/context.js';
import type { Endpoint } from './endpoint.js';
import { agentPaths } from './routes/agents.js';
import { endpoints } from './routes/index.js';
import { answerErrors, forgivePercent, insistOnHttp, requestId } from './middleware.js';
import type { Logger } from '../telemetry/logger.js';
import { requestLog } from '../telemetry/request-log.js';
import { observe, type Observer, servedBy } from '../telemetry/request-record.js';
import { timedForRedis } from '../telemetry/dependency-timings.js';
import { createUploadSlots, type Pools } from './admission/pools.js';
import { openApiDocument } from './openapi/openapi.js';
import { type Perform, performer } from './perform.js';
import { redactor } from '../telemetry/redact.js';
import type { Caches } from './response-cache.js';
import { readUpload } from './transfer/upload.js';
import { endpointHandler, expressPath, methodNotAllowed, pathNotFound, readBody } from './router.js';

/** What the app is made of besides what handlers may use. */
export interface AppOptions {
  /** Of the endpoints that are `cached`. */
  caches: Caches;
  /** For whatever is worked on. */
  pools: Pools;
  logger: Logger;
  /** Besides the log: events, metrics. */
  observers?: readonly Observer[];
  /** Besides the endpoints, such as the pictures of the demo's catalogue. */
  routes?: readonly RequestHandler[];
}

/**
 * The whole service as an Express app: middleware, endpoints, errors, in the order of a request.
 * Order of the checks: unknown path 404, wrong method 405, then 401, 429, 422 and 400, then the handler's 404.
 */
export function createApp(
  context: Context,
  { caches, pools, logger, observers = [], routes = [] }: AppOptions,
): Express {
  const { config, access, now } = context;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  trustProxies(app, config.trustProxy);
  // Parsed once per request in the router; of repeated parameters the last counts.
  app.set('query parser', false);

  const { logSample: sample, logSlowMs: slowMs, jwtSecrets } = config;
  const lines = requestLog(logger, { redact: redactor(config), sample, slowMs, secret: jwtSecrets[0] });
  const observed = [lines, ...observers];
  app.use(requestId, observe(observed, now), insistOnHttp, forgivePercent);
  app.use(securityHeaders(), uncached);
  if (config.corsOrigins.length > 0) app.use(cors(corsOptions(config.corsOrigins)));

  const admission = createAdmissionControl(pools.light);
  const withKey = (limit: RequestHandler) => [
    admission.enter,
    timedForRedis(limit),
    access.requireKey,
    admission.leave,
  ];
  const guards: Record<Endpoint['access'], RequestHandler[]> = {
    open: [],
    counted: [admission.enter, timedForRedis(access.limitAddress), admission.leave],
    key: withKey(access.limit),
    suggestions: withKey(access.limitSuggestions),
    writer: [
      ...withKey(access.limitWrites),
      access.requireWriter,
      readUpload(createUploadSlots(config.workers)),
    ],
    // An operator can still revoke a key that brings the load.
    admin: [timedForRedis(access.count)],
  };
  const performers = new Map<string, Perform>();
  const register = (endpoint: Endpoint) => {
    const perform = performer(endpoint, context, { caches, pools });
    performers.set(`${endpoint.method.toUpperCase()} ${endpoint.path}`, perform);
    app[endpoint.method](
      expressPath(endpoint.path),
      servedBy(endpoint, observed),
      ...guards[endpoint.access],
      ...(endpoint.body === null ? [] : [readBody]),
      ...(endpoint.access === 'admin' ? [access.refuseStrangers] : []),
      endpointHandler(endpoint, context, perform),
    );
  };
  // A static path with another method must not be taken for one with a parameter.
  const isStatic = ({ path }: Endpoint) => !path.includes('{');
  endpoints.filter(isStatic).forEach(register);
  app.use(methodNotAllowed(endpoints.filter(isStatic)));
  endpoints.filter((one) => !isStatic(one)).forEach(register);
  const [mcp] = agentPaths;
  const described = [...endpoints, ...agentPaths];
  app.post(
    mcp.path,
    servedBy(mcp, observed),
    ...guards.key,
    ownOrigin(config),
    readBody,
    agentHandler(performers, { now, logger }),
    answerInJsonRpc,
  );
  app.use(discoveryRoutes(described, config));
  app.use(docsRoutes(openApiDocument(described)));
  for (const route of routes) app.use(route);
  app.use(methodNotAllowed(described));
  app.use(pathNotFound);
  app.use(answerErrors(logger));
  return app;
}

/** Whatever says nothing else, errors above all: no cache on the way may keep it. */
const uncached: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Whether there is TLS in front is the operator's to say, at the proxy that ends it.
    strictTransportSecurity: false,
  });
}

function corsOptions(origins: string[]): cors.CorsOptions {
  return {
    origin: origins.includes('*') ? '*' : origins,
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'If-None-Match',
      'Mcp-Method',
      'Mcp-Name',
      'Mcp-Protocol-Version',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'Content-Disposition',
      'ETag',
      'Link',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Request-Id',
      'X-Total-Count',
    ],
    maxAge: 600,
  };
}
