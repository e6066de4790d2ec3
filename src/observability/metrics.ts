import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config.js';
import type { Events } from './events/index.js';
import type { RequestRecord, Observer } from './request-record.js';
import { SERVICE_VERSION } from '../version.js';

/** What Prometheus is told; series are told apart by route pattern, never by URL, so that their number is bounded. */
export interface Metrics extends Observer {
  registry: Registry;
  /** Something came that is no HTTP, and so no request. */
  unreadable(): void;
}

/** From a quick answer to one that is about to be given up, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests that were refused, by status. 404 is one only where there is no such path: an unknown id is an answer. */
const REASONS: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'invalid',
};

/** @param events null: none are written, and there is nothing to tell of them. */
export function createMetrics(config: Pick<Config, 'environment'>, events: Events | null): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const duration = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });

  collectDefaultMetrics({ register: registry });
  const requests = duration('catalog_http_request_duration_seconds', 'From first header to last byte', [
    'method',
    'route',
    'status',
  ]);
  const engine = duration(
    'catalog_engine_duration_seconds',
    'Wait for Elasticsearch in a request that asked it',
    ['route'],
  );
  const redis = duration('catalog_redis_duration_seconds', 'Wait for Redis in a request that asked it', [
    'route',
  ]);
  const open = new Gauge({
    name: 'catalog_http_requests_in_flight',
    help: 'Requests being answered; for the export, open exports',
    labelNames: ['route'],
    registers,
  });
  const rateLimited = new Counter({
    name: 'catalog_rate_limited_total',
    help: 'Answers 429 by tier of the key; none: counted by address',
    labelNames: ['tier'],
    registers,
  });
  const rejected = new Counter({
    name: 'catalog_rejected_total',
    help: 'Requests refused for what they are',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'catalog_build_info',
    help: '1, with the version as a label',
    labelNames: ['version', 'node_version', 'environment'],
    registers,
  }).set({ version: SERVICE_VERSION, node_version: process.version, environment: config.environment }, 1);
  if (events !== null) addEventMetrics(events, registers);

  const countRefusal = ({ status, route, key }: RequestRecord) => {
    if (status === 429) rateLimited.inc({ tier: key?.tier ?? 'none' });
    const reason = status === 404 && route === 'unknown' ? 'unknown_path' : REASONS[status];
    if (reason !== undefined) rejected.inc({ reason });
  };
  return {
    registry,
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

/** Read when they are asked for: the queue keeps its own counts. */
function addEventMetrics(events: Events, registers: Registry[]): void {
  new Gauge({
    name: 'catalog_events_queue_length',
    help: 'Request events that wait to be written',
    registers,
    collect() {
      this.set(events.counts().queued);
    },
  });
  const total = (name: string, help: string, count: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(count());
      },
    });
  total('catalog_events_written_total', 'Request events written', () => events.counts().written);
  total('catalog_events_dropped_total', 'Request events lost', () => events.counts().dropped);
  total(
    'catalog_events_omitted_total',
    'Requests without a key, beyond so many a minute, that have no event',
    () => events.counts().omitted,
  );
}
