import { nanoseconds, type RequestRecord } from '../request-record.js';
import { redactPath, type Redact } from '../redact.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../../version.js';

/** The version of the Elastic Common Schema that events keep to. */
export const ECS_VERSION = '9.0.0';

/** A stranger's text is as long as he likes. */
const MAX_TEXT = 1_000;

/**
 * A request as a document: who asked for what, what came of it and how long it took. Nothing of it is secret: no header
 * but the user agent, no body, no address, no key but its id; in texts, what looks like a secret is redacted.
 */
export function requestEvent(
  record: RequestRecord,
  { environment, redact }: { environment: string; redact: Redact },
): Record<string, unknown> {
  const { at, status, method, path, bytes, userAgent, key, timings, route, endpoint, aborted } = record;
  const { action = 'request', query = '', results, product } = record.event ?? {};
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
    url: { path: cut(redactPath(path, redact)) },
    ...(userAgent === null ? {} : { user_agent: { original: cut(redact(userAgent)) } }),
    catalog: {
      route,
      endpoint: endpoint?.name,
      engine: { duration: nanoseconds(timings.engine) },
      redis: { duration: nanoseconds(timings.redis) },
      ...(key === null ? {} : { key: { id: key.id, tier: key.tier } }),
      ...(query.trim() === '' ? {} : { query: cut(redact(query.trim())) }),
      ...(results === undefined ? {} : { results, zero_results: results === 0 }),
      rate_limited: status === 429,
      aborted,
      product,
    },
  };
}

const cut = (text: string): string => text.slice(0, MAX_TEXT);
