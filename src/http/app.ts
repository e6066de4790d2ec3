import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { trustProxies } from '../access/address.js';
import { docsRoutes } from './docs.js';
import type { Context, Endpoint } from '../endpoint.js';
import { endpoints } from '../endpoints/index.js';
import { accessLog, answerErrors, forgivePercent, insistOnHttp, requestId } from './middleware.js';
import type { Logger } from '../observability/logger.js';
import { observe, type Observer, servedBy } from '../observability/request-record.js';
import { waitingForRedis } from '../observability/dependency-timings.js';
import { openApiDocument } from './openapi.js';
import { redactor } from '../observability/redact.js';
import { endpointHandler, expressPath, methodNotAllowed, pathNotFound, readBody } from './router.js';

/**
 * The whole service as an Express app: middleware, endpoints, errors, in the order of a request.
 * @param observers besides the log: events, metrics.
 * @param routes besides the endpoints, such as the pictures of the demo's catalogue.
 * Order of the checks: unknown path 404, wrong method 405, then 401, 429, 422 and 400, then the handler's 404.
 */
export function createApp(
  context: Context,
  logger: Logger,
  {
    observers = [],
    routes = [],
  }: { observers?: readonly Observer[]; routes?: readonly RequestHandler[] } = {},
): Express {
  const { config, access, now } = context;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  trustProxies(app, config.trustProxy);
  // Parsed once per request in the router; of repeated parameters the last counts.
  app.set('query parser', false);

  const observed = [accessLog(logger, redactor(config)), ...observers];
  app.use(requestId, observe(observed, now), insistOnHttp, forgivePercent);
  app.use(securityHeaders(), uncached);
  if (config.corsOrigins.length > 0) app.use(cors(corsOptions(config.corsOrigins)));

  const identify = waitingForRedis(access.identify);
  const limit = waitingForRedis(access.limit);
  const guards: Record<Endpoint['access'], RequestHandler[]> = {
    open: [],
    counted: [limit],
    key: [identify, limit, access.requireKey],
    admin: [waitingForRedis(access.count)],
  };
  for (const endpoint of endpoints) {
    app[endpoint.method](
      expressPath(endpoint.path),
      servedBy(endpoint, observed),
      ...guards[endpoint.access],
      ...(endpoint.body === null ? [] : [readBody]),
      ...(endpoint.access === 'admin' ? [access.refuseStrangers] : []),
      endpointHandler(endpoint, context),
    );
  }
  app.use(docsRoutes(openApiDocument(endpoints)));
  for (const route of routes) app.use(route);
  app.use(methodNotAllowed(endpoints));
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
    allowedHeaders: ['Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id'],
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
