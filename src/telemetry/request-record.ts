import type { Request, RequestHandler, Response } from 'express';
import { keyOf } from '../platform/access/authenticate.js';
import type { KeyIdentity } from '../platform/access/identity.js';
import type { AnswerEvent } from '../platform/answer.js';
import { type DependencyTimings, timingsOf } from './dependency-timings.js';

/** An endpoint, as far as logs, metrics and traces describe it. */
export interface ServedEndpoint {
  /** The pattern, such as `/v1/products/{product_id}`. */
  path: string;
  /** The short name; `more` is a name for an endpoint that the original specification does not list. */
  name?: string | { more: string };
  /** Monitoring systems call it every second: it is counted, but successful calls are not logged. */
  probe?: true;
  /** Who may call it, see `AccessRule`. */
  access: string;
}

/** The short name of an endpoint, or undefined if it has none. */
export const nameOf = ({ name }: Pick<ServedEndpoint, 'name'>): string | undefined =>
  typeof name === 'object' ? name.more : name;

/** A request and its answer, told when it is over. Texts are as the client sent them: nothing is redacted yet. */
export interface RequestRecord {
  /** When the request came. */
  at: Date;
  requestId: string;
  /** Of the W3C `traceparent` that the client sent, or of the trace that begins here; null: it is of none. */
  traceId: string | null;
  /** What spans are made of; null: none are. */
  trace: RequestTrace | null;
  method: string;
  /** Without the query. */
  path: string;
  /** The pattern that the path matched, such as `/v1/products/{product_id}`, else `unknown`. */
  route: string;
  endpoint: ServedEndpoint | null;
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

/** Where a request stands in its trace. */
export interface RequestTrace {
  traceId: string;
  /** Of the request itself. */
  spanId: string;
  /** Of whoever asked; null: the trace begins here. */
  parentId: string | null;
  /** When the request came, on the monotonic clock. */
  began: number;
}

/** Durations as ECS has them. */
export const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);

/** Is told of every request. Called while requests wait: it must be quick, and must not throw. */
export interface Observer {
  /** An endpoint takes the request, which ends later; not called where no endpoint does. */
  began?(endpoint: ServedEndpoint): void;
  ended(record: RequestRecord): void;
  /** Which trace a request is of, where this one makes spans. */
  begin?(traceparent: string | string[] | undefined): RequestTrace | null;
}

/** Tells observers of each request when its answer has gone out, or its client has. */
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

/** The first handler of an endpoint: from here on the request is known to be its. */
export function servedBy(endpoint: ServedEndpoint, observers: readonly Observer[]): RequestHandler {
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

/** https://www.w3.org/TR/trace-context: version 00, or a later one, of which more may follow. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Who asks, as the header says; null: nobody. @param header a second one of the name makes both of no use. */
export function parentOf(
  header: string | string[] | undefined,
): { traceId: string; spanId: string; sampled: boolean } | null {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The trace that a request belongs to. */
export const traceIdOf = (header: string | string[] | undefined): string | null =>
  parentOf(header)?.traceId ?? null;

/** Of the docs pages, and of a path that is known but not with this method; Express writes parameters as `:name`. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path.replaceAll(/:(\w+)/g, '{$1}') : 'unknown';
}
