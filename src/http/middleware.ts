import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { ApiError, badRequest } from '../platform/errors.js';

const VALID_REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;

export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const id = given !== undefined && VALID_REQUEST_ID.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
};

export const requestIdOf = (response: Response): string => String(response.locals.requestId);

const HTTP_VERSIONS = new Set(['1.0', '1.1']);

/** Refuses requests that violate HTTP. Node would refuse them too, but without a body and a request id. */
export const requireValidHttp: RequestHandler = (request, response, next) => {
  const { headers, rawHeaders, httpVersion } = request;
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text)).length;
  if (!HTTP_VERSIONS.has(httpVersion) || hosts > 1 || (httpVersion === '1.1' && hosts === 0)) {
    // The end of a request that violates HTTP cannot be determined, so the connection is closed.
    response.setHeader('Connection', 'close');
    throw badRequest('Bad Request');
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    throw new ApiError(417, 'Expectation failed');
  next();
};

/** Combines handlers into one layer. Each layer of Express takes about a microsecond, and a request passes a dozen. */
export function inSequence(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const callFrom = (at: number): void => {
      const handler = handlers[at];
      if (handler === undefined) return next();
      const passOn = (error?: unknown) => {
        if (error === undefined) callFrom(at + 1);
        else next(error);
      };
      try {
        // By its type, a handler returns nothing, but Express also accepts handlers that return a promise.
        const result: unknown = handler(request, response, passOn);
        if (result instanceof Promise) result.catch(next);
      } catch (error) {
        next(error);
      }
    };
    callFrom(0);
  };
}

/** Escapes an invalid `%` in a path, so that the path is unknown or its parameter invalid, but the request is not broken. */
export const escapeStrayPercent: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  try {
    decodeURIComponent(path);
  } catch {
    request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // HSTS is not set here, because it is configured at the proxy that terminates TLS.
  strictTransportSecurity: false,
});

/** The headers that Helmet sets. They are the same for every response, and setting them takes a fraction of its middleware. */
function headersOfHelmet(): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const setHeader = (name: string, value: string) => headers.push([name, value]);
  const recorder = { setHeader, removeHeader: () => undefined } as unknown as ServerResponse;
  securityHeaders({} as IncomingMessage, recorder, () => undefined);
  return headers;
}

/** Caches must not store a response, unless its endpoint allows it. Errors are never stored. */
const COMMON_HEADERS = [...headersOfHelmet(), ['Cache-Control', 'no-store'] as const];

export const commonHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of COMMON_HEADERS) response.setHeader(name, value);
  next();
};

export const corsHeaders = (origins: string[]): RequestHandler =>
  cors({
    origin: origins.includes('*') ? '*' : origins,
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'Mcp-Method',
      'Mcp-Name',
      'Mcp-Protocol-Version',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'Content-Disposition',
      'ETag',
      'Idempotency-Replayed',
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
  });
