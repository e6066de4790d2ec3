import { hash } from 'node:crypto';
import { nameOf, nanoseconds, type RequestRecord } from './request-record.js';
import { redactPath, redactText, type Redact } from './redact.js';
import { ECS_VERSION, SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';

/**
 * Builds the event document of a request. It contains no header except the user agent, no body, no address, and only the id of
 * the key; texts are redacted.
 * @param omitted how many similar requests before this one have no document.
 */
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
      engine: { duration: nanoseconds(timings.engine) },
      redis: { duration: nanoseconds(timings.redis) },
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

/** Identifies a developer by a hash, because the developer id may be an email address, which must not be recorded. */
const developerHash = (developerId: string): string => hash('sha256', developerId, 'base64url').slice(0, 16);
