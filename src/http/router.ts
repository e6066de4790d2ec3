import { Readable } from 'node:stream';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { keyOf } from '../platform/access/key.js';
import { addressOf, networkOf } from '../platform/access/client-address.js';
import { ApiError, notFound } from '../platform/errors.js';
import { timingsOf } from '../telemetry/dependency-timings.js';
import { traceOfRequest } from '../telemetry/request-record.js';
import type { Context } from '../usecases/context.js';
import type { Described, Endpoint } from './endpoint.js';
import { requestIdOf } from './middleware.js';
import type { Perform, Requester } from './perform.js';
import { parseBody } from './transfer/request-body.js';
import { send } from './transfer/response-body.js';
import { enforceReadRate, EXPORT_READ_RATE } from './transfer/transfer-rate.js';
import type { RawParameters } from './validation.js';

export const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** The handler of an endpoint, which runs after its checks and after `readBody`. */
export function endpointHandler(endpoint: Endpoint, context: Context, perform: Perform): RequestHandler {
  return async (request, response) => {
    const input = {
      path: request.params as Record<string, string>,
      query: queryOf(request),
      body: endpoint.body === null ? undefined : parseBody(request),
    };
    const answer = await perform(input, requesterOf(request, response));
    if (answer === null) return;
    response.locals.event = answer.event;
    if (answer.body instanceof Readable)
      enforceReadRate(response, EXPORT_READ_RATE, keyIsUsable(context, response));
    await send(request, response, answer);
  };
}

/** Checks whether the API key is still usable, because it may be revoked during a long response. */
const keyIsUsable =
  ({ keys }: Context, response: Response) =>
  async (): Promise<boolean> => {
    const key = keyOf(response);
    return key === null || (await keys.find({ id: key.id })) !== null;
  };

export function requesterOf(request: Request, response: Response): Requester {
  const key = keyOf(response);
  const presentedAs = /^bearer +svc_/i.test(request.get('authorization') ?? '') ? 'raw' : 'token';
  return {
    caller: {
      method: request.method,
      requestId: requestIdOf(response),
      client: key?.id ?? `address:${networkOf(addressOf(request))}`,
      address: () => addressOf(request),
      adminSecret: request.get('x-admin-secret'),
      upload: Buffer.isBuffer(request.body) ? request.body : null,
      idempotencyKey: request.get('idempotency-key'),
      isDisconnected: () => response.destroyed,
      key: key === null ? null : { ...key, presentedAs },
    },
    timings: timingsOf(response),
    trace: traceOfRequest(response),
  };
}

/** The values of each query parameter in order. A text with an invalid percent escape is kept as it is. */
function queryOf(request: Request): RawParameters {
  const start = request.url.indexOf('?');
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))) {
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, [value]);
    else earlier.push(value);
  }
  return Object.fromEntries(values);
}

/** Passes requests for these static paths to a router, as Express matches them, and saves others the search in its routes. */
export function onPaths(endpoints: readonly Described[], router: RequestHandler): RequestHandler {
  const paths = new Set(endpoints.map(({ path }) => path));
  return (request, response, next) => {
    const path = request.path.toLowerCase();
    const isKnown = paths.has(path) || (path.endsWith('/') && paths.has(path.slice(0, -1)));
    if (isKnown) void router(request, response, next);
    else next();
  };
}

/** Answers 405 with `Allow` for a method that a path lacks. As in routing, static paths come first. */
export function methodNotAllowed(endpoints: readonly Described[]): RequestHandler {
  const router = express.Router({ caseSensitive: false });
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const methods = endpoints
      .filter((endpoint) => endpoint.path === path)
      .map(({ method }) => method.toUpperCase());
    const allow = methods.includes('GET')
      ? ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET')]
      : methods;
    router.all(expressPath(path), refuseMethod(allow.join(', ')));
  }
  return router;
}

/** Returns a handler that rejects each request with 405. @param allow the value of `Allow`; by default that of a document. */
export const refuseMethod =
  (allow = 'GET, HEAD'): RequestHandler =>
  (_request, _response, next) =>
    next(new ApiError(405, 'Method Not Allowed', { Allow: allow }));

export const pathNotFound: RequestHandler = (_request, _response, next) => next(notFound());
