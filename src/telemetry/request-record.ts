import type { Request, RequestHandler, Response } from 'express';
import { type KeyIdentity, keyOf } from '../platform/access/key.js';
import type { AnswerEvent } from '../platform/answer.js';
import { type DependencyTimings, timingsOf } from './dependency-timings.js';
import { type RequestTrace, traceOf } from './trace-context.js';

interface ServedEndpoint {
  /** The route pattern of the endpoint, such as `/v1/products/{product_id}`. */
  path: string;
  /** The short name of the endpoint, in the member `more` if the original specification of the API does not list it. */
  name?: string | { more: string };
  /** Set for an endpoint of monitoring systems, whose successful requests are not logged. */
  probe?: true;
  access: string;
}

export const nameOf = ({ name }: Pick<ServedEndpoint, 'name'>): string | undefined =>
  typeof name === 'object' ? name.more : name;

/** A finished request and its response. Texts are as the client sent them, not redacted. */
export interface RequestRecord {
  at: Date;
  requestId: string;
  trace: RequestTrace;
  method: string;
  path: string;
  /** The route pattern of the request, such as `/v1/products/{product_id}`, or `unknown`. */
  route: string;
  endpoint: ServedEndpoint | null;
  status: number;
  /** Whether the client disconnected before the response was complete. */
  aborted: boolean;
  /** The duration of the request from the first header to the last byte, in ms. */
  duration: number;
  timings: DependencyTimings;
  /** The size of the response body in bytes, or null for a streamed response. */
  bytes: number | null;
  userAgent: string | null;
  key: KeyIdentity | null;
  event: AnswerEvent | undefined;
}

/** Converts milliseconds to nanoseconds, the unit of durations in the Elastic Common Schema. */
export const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);

/** Observes every request. Its methods run while requests wait, so they must be fast and must not throw. */
export interface Observer {
  began?(endpoint: ServedEndpoint): void;
  ended(record: RequestRecord): void;
  /** The share of the traces that begin here whose spans are exported. Only the observer that exports spans has it. */
  traceRatio?: number;
}

/** The position of a request in its trace, after `observe`. */
export const traceOfRequest = ({ locals }: Response): RequestTrace => locals.trace as RequestTrace;

/** Creates a middleware that notifies the observers when a request has been answered, or its connection is closed before. */
export function observe(observers: readonly Observer[], now: () => Date): RequestHandler {
  const ratio = observers.find(({ traceRatio }) => traceRatio !== undefined)?.traceRatio;
  return (request, response, next) => {
    const at = now();
    const started = performance.now();
    const trace = traceOf(request.headers['traceparent'], String(response.locals.requestId), ratio ?? 0);
    response.locals.trace = trace;
    if (ratio !== undefined && trace.isSampled) timingsOf(response).waits = [];
    const [path = ''] = request.originalUrl.split('?', 1);
    response.once('close', () => {
      const duration = performance.now() - started;
      const timings = timingsOf(response);
      const record = { at, path, duration, timings, trace, ...answered(request, response) };
      for (const observer of observers) observer.ended(record);
    });
    next();
  };
}

/** Creates the first handler of an endpoint, which assigns the request to it. */
export function endpointRecorder(
  observers: readonly Observer[],
): (endpoint: ServedEndpoint) => RequestHandler {
  const notified = observers.filter(({ began }) => began !== undefined);
  return (endpoint) => (_request, response, next) => {
    response.locals.endpoint = endpoint;
    for (const observer of notified) observer.began?.(endpoint);
    next();
  };
}

function answered(request: Request, response: Response) {
  const { locals } = response;
  const endpoint = (locals.endpoint as ServedEndpoint | undefined) ?? null;
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

/** The route pattern of a request that belongs to no endpoint, such as a docs page, with `{name}` for the `:name` of Express. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path.replaceAll(/:(\w+)/g, '{$1}') : 'unknown';
}
