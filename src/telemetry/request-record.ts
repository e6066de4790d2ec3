import type { Request, RequestHandler, Response } from 'express';
import { keyOf } from '../platform/access/authenticate.js';
import type { KeyIdentity } from '../platform/access/key.js';
import type { AnswerEvent } from '../platform/answer.js';
import { type DependencyTimings, timingsOf } from './dependency-timings.js';

interface ServedEndpoint {
  /** The route pattern of the endpoint, such as `/v1/products/{product_id}`. */
  path: string;
  /**
   * The short name of the endpoint. It is the member `more` if the original specification of the API does not
   * list the endpoint.
   */
  name?: string | { more: string };
  /** Set for an endpoint that monitoring systems call: its successful requests are not logged. */
  probe?: true;
  /** The access rule of the endpoint, such as `open` or `key`. */
  access: string;
}

/** The short name of an endpoint, or undefined if it has none. */
export const nameOf = ({ name }: Pick<ServedEndpoint, 'name'>): string | undefined =>
  typeof name === 'object' ? name.more : name;

/** A finished request and its response. Texts are as the client sent them, not redacted. */
export interface RequestRecord {
  at: Date;
  requestId: string;
  /** The trace id of the W3C `traceparent` header or of the trace that begins here, or null. */
  traceId: string | null;
  /** The position of the request in its trace, or null if the request is not traced. */
  trace: RequestTrace | null;
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
  /** Details of the request that only the endpoint knows, if it provides any. */
  event: AnswerEvent | undefined;
}

/** The position of a request in its distributed trace. */
export interface RequestTrace {
  traceId: string;
  spanId: string;
  /** The id of the caller's span, or null if the trace begins here. */
  parentId: string | null;
  /** When the request arrived, on the monotonic clock, in ms. */
  began: number;
}

/** Converts milliseconds to nanoseconds, the unit of durations in the Elastic Common Schema. */
export const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);

/** Observes every request. Its methods run while requests wait, so they must be fast and must not throw. */
export interface Observer {
  /** Called when an endpoint begins to process a request. */
  began?(endpoint: ServedEndpoint): void;
  ended(record: RequestRecord): void;
  /** Starts or continues the trace of a request. Only the observer that exports spans has this method. */
  begin?(traceparent: string | string[] | undefined): RequestTrace | null;
}

/**
 * Creates a middleware that notifies the observers when a request has been answered, or when its connection
 * is closed before that.
 */
export function observe(observers: readonly Observer[], now: () => Date): RequestHandler {
  const tracing = observers.find(({ begin }) => begin !== undefined);
  return (request, response, next) => {
    const at = now();
    const started = performance.now();
    const trace = tracing?.begin?.(request.headers['traceparent']) ?? null;
    if (trace !== null) timingsOf(response).waits = [];
    const [path = ''] = request.originalUrl.split('?', 1);
    response.once('close', () => {
      const duration = performance.now() - started;
      const traceId = trace?.traceId ?? traceIdOf(request.headers['traceparent']);
      const timings = timingsOf(response);
      const record = { at, path, duration, timings, traceId, trace, ...answered(request, response) };
      for (const observer of observers) observer.ended(record);
    });
    next();
  };
}

/** Returns a function that creates the first handler of an endpoint, which assigns the request to the endpoint. */
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

function answered(
  request: Request,
  response: Response,
): Omit<RequestRecord, 'at' | 'path' | 'timings' | 'duration' | 'traceId' | 'trace'> {
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

/** The header `traceparent` (https://www.w3.org/TR/trace-context). Later versions may append fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Parses the header `traceparent`. @returns null if it is missing, malformed, or sent more than once. */
export function parentOf(
  header: string | string[] | undefined,
): { traceId: string; spanId: string; sampled: boolean } | null {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The trace id of a `traceparent` header, or null. */
const traceIdOf = (header: string | string[] | undefined): string | null => parentOf(header)?.traceId ?? null;

/**
 * The route pattern of a request that belongs to no endpoint, such as one for a docs page. A parameter, which
 * Express writes as `:name`, becomes `{name}`.
 */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path.replaceAll(/:(\w+)/g, '{$1}') : 'unknown';
}
