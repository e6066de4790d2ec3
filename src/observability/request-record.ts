import type { Request, RequestHandler, Response } from 'express';
import { keyOf } from '../access/authenticate.js';
import type { KeyIdentity } from '../access/identity.js';
import type { AnswerEvent } from '../answer.js';
import type { Endpoint } from '../endpoint.js';
import { type DependencyTimings, timingsOf } from './dependency-timings.js';

/** A request and its answer, told when it is over. Texts are as the client sent them: nothing is redacted yet. */
export interface RequestRecord {
  /** When the request came. */
  at: Date;
  requestId: string;
  method: string;
  /** Without the query. */
  path: string;
  /** The pattern that the path matched, such as `/v1/products/{product_id}`, else `unknown`. */
  route: string;
  endpoint: Endpoint | null;
  status: number;
  /** Whether the client was gone before its answer was. */
  aborted: boolean;
  /** From the first header to the last byte, in ms. */
  duration: number;
  timings: DependencyTimings;
  /** Bytes of the body; null where they were not counted beforehand. */
  bytes: number | null;
  userAgent: string | null;
  key: KeyIdentity | null;
  /** What the endpoint says of it; undefined where it says nothing. */
  event: AnswerEvent | undefined;
}

/** Durations as ECS has them. */
export const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);

/** Is told of every request. Called while requests wait: it must be quick, and must not throw. */
export interface Observer {
  /** An endpoint takes the request, which ends later; not called where no endpoint does. */
  began?(endpoint: Endpoint): void;
  ended(record: RequestRecord): void;
}

/** Tells observers of each request when its answer has gone out, or its client has. */
export function observe(observers: readonly Observer[], now: () => Date): RequestHandler {
  return (request, response, next) => {
    const at = now();
    const started = performance.now();
    const [path = ''] = request.originalUrl.split('?', 1);
    response.once('close', () => {
      const duration = performance.now() - started;
      const record = { at, path, duration, timings: timingsOf(response), ...answered(request, response) };
      for (const observer of observers) observer.ended(record);
    });
    next();
  };
}

/** The first handler of an endpoint: from here on the request is known to be its. */
export function servedBy(endpoint: Endpoint, observers: readonly Observer[]): RequestHandler {
  const told = observers.filter(({ began }) => began !== undefined);
  return (_request, response, next) => {
    response.locals.endpoint = endpoint;
    for (const observer of told) observer.began?.(endpoint);
    next();
  };
}

function answered(
  request: Request,
  response: Response,
): Omit<RequestRecord, 'at' | 'path' | 'timings' | 'duration'> {
  const { locals } = response;
  const endpoint = (locals.endpoint as Endpoint | undefined) ?? null;
  const length = response.getHeader('Content-Length');
  return {
    requestId: String(locals.requestId),
    method: request.method,
    route: endpoint?.path ?? routeOf(request),
    endpoint,
    status: response.statusCode,
    aborted: !response.writableFinished,
    bytes: length === undefined ? null : Number(length),
    userAgent: request.headers['user-agent'] ?? null,
    key: keyOf(response),
    event: locals.event as AnswerEvent | undefined,
  };
}

/** Of the docs pages, and of a path that is known but not with this method; Express writes parameters as `:name`. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path.replaceAll(/:(\w+)/g, '{$1}') : 'unknown';
}
