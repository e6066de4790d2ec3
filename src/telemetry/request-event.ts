import { createHmac, hash } from 'node:crypto';
import type { DependencyTimings } from './dependency-timings.js';
import type { Logger } from './logger.js';
import { nameOf, nanoseconds, type Observer, type RequestRecord } from './request-record.js';
import { redactPath, redactText, type Redact } from './redact.js';
import { ECS_VERSION, SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';

/** Builds the event of a request, without headers except the user agent, body and address. @param omitted similar requests without one. */
export function requestEvent(
  record: RequestRecord,
  { environment, redact, omitted }: { environment: string; redact: Redact; omitted: number },
): Record<string, unknown> {
  const { at, status, method, path, bytes, userAgent, key, timings, route, endpoint, aborted } = record;
  const { action = 'request', query = '', results, product, visitor } = record.event ?? {};
  return {
    '@timestamp': at.toISOString(),
    ecs: { version: ECS_VERSION },
    event: {
      kind: 'event',
      category: ['web'],
      dataset: 'catalog.requests',
      action,
      outcome: status < 500 ? 'success' : 'failure',
      duration: nanoseconds(record.duration),
    },
    service: { name: SERVICE_NAME, version: SERVICE_VERSION, environment },
    http: {
      request: { id: redact(record.requestId), method },
      response: { status_code: status, ...(bytes === null ? {} : { body: { bytes } }) },
    },
    url: { path: redactPath(path, redact) },
    trace: { id: record.trace.traceId },
    ...(userAgent === null ? {} : { user_agent: { original: redactText(userAgent, redact) } }),
    catalog: {
      route,
      endpoint: endpoint === null ? undefined : nameOf(endpoint),
      ...waitsOf(timings),
      ...(key === null
        ? {}
        : { key: { id: key.id, tier: key.tier, developer: developerHash(key.developerId) } }),
      ...(query.trim() === '' ? {} : { query: redactText(query.trim(), redact) }),
      ...(results === undefined ? {} : { results, zero_results: results === 0 }),
      rate_limited: status === 429,
      aborted,
      product,
      visitor,
      ...(omitted === 0 ? {} : { omitted }),
    },
  };
}

const waitsOf = ({ engine, redis }: DependencyTimings) => ({
  engine: { duration: nanoseconds(engine) },
  redis: { duration: nanoseconds(redis) },
});

/** Identifies a developer by a hash, because the developer id may be an email address, which must not be recorded. */
const developerHash = (developerId: string): string => hash('sha256', developerId, 'base64url').slice(0, 16);

/** Requests that took at least this long are always logged, in ms. */
const SLOW_MS = 1_000;

interface RequestLogOptions {
  redact: Redact;
  /** The fraction of ordinary requests that is logged, from 0 to 1. Notable requests are always logged. */
  sample: number;
  /** The key of the hash that selects the sample, so that clients cannot choose logged request ids. */
  secret: string;
}

/** Logs a line for each request, or each sampled one, which represents 1 / `catalog.sample_rate` requests. The query may be private. */
export function requestLog(logger: Logger, options: RequestLogOptions): Observer {
  const { redact, sample, secret } = options;
  return {
    ended(record) {
      const { method, status, requestId: id, timings, aborted, key, endpoint } = record;
      const level = endpoint?.probe === true && status < 400 ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      const isSampled = sample < 1 && !isNotable(record);
      if (isSampled && positionOf(id, secret) >= sample) return;
      const shown = redactPath(record.path, redact);
      const catalog = {
        route: record.route,
        ...waitsOf(timings),
        ...(key === null ? {} : { key: { id: key.id } }),
        ...(aborted ? { aborted } : {}),
        ...(isSampled ? { sample_rate: sample } : {}),
      };
      logger.log(level, `${method} ${shown} ${status}`, {
        http: { request: { id, method }, response: { status_code: status } },
        url: { path: shown },
        trace: { id: record.trace.traceId },
        event: { dataset: 'catalog.requests', duration: nanoseconds(record.duration) },
        catalog,
      });
    },
  };
}

/** Errors that are only sampled even if the request has an API key, because a client can repeat such requests endlessly. */
const REPEATABLE_ERRORS = new Set([404, 429]);

/** Whether a request is always logged. Client errors of anonymous requests are not, because they could displace other lines. */
function isNotable({ status, duration, endpoint, key }: RequestRecord): boolean {
  if (status >= 500 || duration >= SLOW_MS) return true;
  if (status >= 400) return key !== null && !REPEATABLE_ERRORS.has(status);
  return endpoint?.access === 'writer' || endpoint?.access === 'admin';
}

/** Maps a request id to a number from 0 to 1, evenly distributed, which decides whether it is logged. */
function positionOf(id: string, secret: string): number {
  return createHmac('sha256', secret).update(id).digest().readUInt32BE() / 2 ** 32;
}
