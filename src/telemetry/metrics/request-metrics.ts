import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer, RequestRecord } from '../request-record.js';

/** Upper limits of the buckets of durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The `reason` label of rejected requests, by status. A 404 counts only for an unknown path: a request for an unknown id is valid. */
const REASONS: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'invalid',
};

interface RequestMetrics extends Observer {
  /** Counts a request that is not valid HTTP. */
  unreadable(): void;
}

/** Creates the metrics that each request changes. Labels contain route patterns, never URLs, so that there are few series. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const duration = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const requests = duration(
    'catalog_http_request_duration_seconds',
    'Duration of requests, from the first header to the last byte',
    ['method', 'route', 'status'],
  );
  const engine = duration(
    'catalog_engine_duration_seconds',
    'Time that requests waited for Elasticsearch, of those that used it',
    ['route'],
  );
  const redis = duration(
    'catalog_redis_duration_seconds',
    'Time that requests waited for Redis, of those that used it',
    ['route'],
  );
  const open = new Gauge({
    name: 'catalog_http_requests_in_flight',
    aggregator: 'sum',
    help: 'Requests in progress; of the export route, open exports',
    labelNames: ['route'],
    registers,
  });
  const rateLimited = counter(
    'catalog_rate_limited_total',
    'Responses 429, by tier of the key; none if the request was counted by address',
    ['tier'],
  );
  const rejected = counter('catalog_rejected_total', 'Rejected requests, by reason', ['reason']);
  const reindexNeeded = counter(
    'catalog_reindex_needed_total',
    'Responses 503 that need npm run reindex, because the index has an earlier schema',
  );

  const countRefusal = ({ status, route, key, event }: RequestRecord) => {
    if (event?.needsReindex === true) reindexNeeded.inc();
    if (status === 429) rateLimited.inc({ tier: key?.tier ?? 'none' });
    const reason = status === 404 && route === 'unknown' ? 'unknown_path' : REASONS[status];
    if (reason !== undefined) rejected.inc({ reason });
  };
  return {
    began({ path }) {
      open.inc({ route: path });
    },
    ended(record) {
      const { method, route, status, timings, endpoint } = record;
      requests.observe({ method, route, status }, record.duration / 1e3);
      if (timings.engine > 0) engine.observe({ route }, timings.engine / 1e3);
      if (timings.redis > 0) redis.observe({ route }, timings.redis / 1e3);
      if (endpoint !== null) open.dec({ route });
      if (status >= 400) countRefusal(record);
    },
    unreadable() {
      rejected.inc({ reason: 'unreadable' });
    },
  };
}
