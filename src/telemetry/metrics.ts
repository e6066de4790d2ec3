import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Access } from '../platform/access/access.js';
import type { WriteRefusals } from '../platform/redis/write-refusals.js';
import type { Tokens } from '../platform/access/tokens.js';
import type { Config } from '../platform/config/config.js';
import type { CertificateAuthorities } from '../engine/certificate-authorities.js';
import type { Health } from './health.js';
import type { DiskFull } from '../engine/disk-full.js';
import type { CatalogueFigures } from '../engine/catalogue-figures.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { Events } from './events/events.js';
import type { RequestRecord, Observer } from './request-record.js';
import { SERVICE_REVISION, SERVICE_VERSION } from '../platform/version.js';

/** Figures about the last loads of one source. */
export interface LoadFigures {
  source: string;
  /** Whether the last load stopped before the end of its feed. */
  failed?: boolean;
  /** The share of records that the last load rejected, from 0 to 1. */
  rejected?: number;
  /** The share of available listings that the last complete feed did not contain, from 0 to 1. */
  vanished?: number;
}

/** The metrics of the service. Labels contain route patterns, never URLs, so that the number of series is bounded. */
export interface Metrics extends Observer {
  registry: Registry;
  /** Counts a connection whose data is not HTTP. */
  unreadable(): void;
}

/**
 * The upper limits of the histogram buckets of response times, in seconds: from a fast response to the
 * deadline of a request.
 */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * For each response status, the `reason` label of rejected requests. A 404 counts only for an unknown path,
 * because an unknown id is a valid answer.
 */
const REASONS: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'invalid',
};

/** The parts of the service whose metrics are exported besides those of requests. */
export interface MetricsSources {
  /** The event queues; null if no events are written. */
  events: Events | null;
  health: Pick<Health, 'last' | 'clockOffsetSeconds'>;
  access: Pick<Access, 'countedLocally'>;
  tokens: Pick<Tokens, 'fromFuture'>;
  redisWrites: Pick<WriteRefusals, 'refusals'>;
  diskFull: Pick<DiskFull, 'refusals'>;
  /** The TLS certificates of Elasticsearch; null if no certificate authority is configured. */
  authorities: Pick<CertificateAuthorities, 'failures' | 'certificateEnds'> | null;
  rates: Pick<ExchangeRates, 'date'>;
  /** Reads the metrics of the whole catalogue at each scrape. If it rejects, these metrics are left out. */
  figures: () => Promise<CatalogueFigures>;
  /** Reads the metrics of the last loads at each scrape. If it rejects, these metrics are left out. */
  loads: () => Promise<readonly LoadFigures[]>;
}

export function createMetrics(
  config: Pick<Config, 'environment' | 'exchangeRatesFile'>,
  {
    events,
    health,
    access,
    tokens,
    redisWrites,
    diskFull,
    authorities,
    rates,
    figures,
    loads,
  }: MetricsSources,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const duration = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });

  collectDefaultMetrics({ register: registry });
  aggregateDefaults(registry);
  const requests = duration(
    'catalog_http_request_duration_seconds',
    'Duration of a request, from the first header to the last byte',
    ['method', 'route', 'status'],
  );
  const engine = duration(
    'catalog_engine_duration_seconds',
    'Time that a request waited for Elasticsearch, of requests that used it',
    ['route'],
  );
  const redis = duration(
    'catalog_redis_duration_seconds',
    'Time that a request waited for Redis, of requests that used it',
    ['route'],
  );
  const open = new Gauge({
    name: 'catalog_http_requests_in_flight',
    aggregator: 'sum',
    help: 'Requests in progress; for the export route, open exports',
    labelNames: ['route'],
    registers,
  });
  const rateLimited = new Counter({
    name: 'catalog_rate_limited_total',
    help: 'Responses with status 429 by tier of the key; none if the request was counted by address',
    labelNames: ['tier'],
    registers,
  });
  const rejected = new Counter({
    name: 'catalog_rejected_total',
    help: 'Rejected requests, by reason',
    labelNames: ['reason'],
    registers,
  });
  const reindexNeeded = new Counter({
    name: 'catalog_reindex_needed_total',
    help: 'Responses with status 503 because the index has an earlier schema; run npm run reindex',
    registers,
  });
  new Gauge({
    name: 'catalog_build_info',
    aggregator: 'max',
    help: 'Always 1; the labels contain the version and the git commit of the build',
    labelNames: ['version', 'revision', 'node_version', 'environment'],
    registers,
  }).set(
    {
      version: SERVICE_VERSION,
      revision: SERVICE_REVISION,
      node_version: process.version,
      environment: config.environment,
    },
    1,
  );
  new Gauge({
    name: 'catalog_dependency_up',
    aggregator: 'min',
    help: 'Whether Elasticsearch (with the product index) and Redis answered the last probe, which runs every second: 1 or 0',
    labelNames: ['dependency'],
    registers,
    collect() {
      for (const [dependency, state] of Object.entries(health.last))
        this.set({ dependency }, state === 'ok' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'catalog_exchange_rates_timestamp_seconds',
    aggregator: 'min',
    help: 'Date of the exchange rates in use, in seconds since 1970; table: own or shipped',
    labelNames: ['table'],
    registers,
  }).set({ table: config.exchangeRatesFile === null ? 'shipped' : 'own' }, Date.parse(rates.date) / 1e3);
  addCatalogueMetrics(figures, registers);
  if (events !== null) addEventMetrics(events, registers);
  addLoadMetrics(loads, registers);
  addCertificateMetrics(authorities, registers);
  new Counter({
    name: 'catalog_engine_writes_refused_total',
    help: 'Writes that Elasticsearch refused, by reason (disk_full) and kind: listings, suggestions, events, audit_events',
    labelNames: ['reason', 'kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(diskFull.refusals))
        this.inc({ reason: 'disk_full', kind }, count);
    },
  });
  addRedisMetrics({ health, access, tokens, redisWrites }, registers);

  const countRefusal = ({ status, route, key, event }: RequestRecord) => {
    if (event?.needsReindex === true) reindexNeeded.inc();
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

/**
 * The default metrics of a process that are combined by their maximum, because each process has a limit of
 * its own.
 */
const AGGREGATED_BY_MAXIMUM =
  /^(nodejs_eventloop_lag_((mean|p\d+)_)?seconds|process_(resident_memory_bytes|open_fds|max_fds)$)/;

/** Sets how `AggregatedMetrics` combines the default metrics of several processes. */
function aggregateDefaults(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray())
    if (AGGREGATED_BY_MAXIMUM.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
}

/** Adds metrics of the whole catalogue, which are read at each scrape and left out while Elasticsearch is unavailable. */
function addCatalogueMetrics(figures: MetricsSources['figures'], registers: Registry[]): void {
  new Gauge({
    name: 'catalog_last_load_timestamp_seconds',
    aggregator: 'max',
    help: 'Time of the last successful load of a source, in seconds since 1970, for the 200 sources with the most listings',
    labelNames: ['source'],
    registers,
    async collect() {
      const known = await figures().catch(() => null);
      this.reset();
      for (const [source, at] of known?.lastLoads ?? []) this.set({ source }, at / 1e3);
    },
  });
  new Gauge({
    name: 'catalog_currencies',
    aggregator: 'max',
    help: 'Number of currencies of the listed prices',
    // The gauge has a label, because a gauge without labels would be 0 until the number is known.
    labelNames: ['of'],
    registers,
    async collect() {
      const known = await figures().catch(() => null);
      this.reset();
      if (known !== null) this.set({ of: 'prices' }, known.currencies);
    },
  });
}

/** Adds metrics of the event queues, which are read at each scrape. */
function addEventMetrics(events: Events, registers: Registry[]): void {
  new Gauge({
    name: 'catalog_events_queue_length',
    aggregator: 'sum',
    help: 'Request events that are waiting to be written',
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
    'catalog_audit_events_dropped_total',
    'Audit events lost; the log still contains them',
    () => events.counts().auditDropped,
  );
  total(
    'catalog_events_omitted_total',
    'Requests without a key that have no event because of the limit per minute',
    () => events.counts().omitted,
  );
}

/** Adds metrics of the TLS certificates of Elasticsearch. */
function addCertificateMetrics(authorities: MetricsSources['authorities'], registers: Registry[]): void {
  new Gauge({
    name: 'catalog_engine_certificate_expiry_seconds',
    aggregator: 'min',
    help: 'Expiry of the certificate that Elasticsearch presented last, in seconds since 1970',
    registers,
    collect() {
      const ends = authorities?.certificateEnds ?? null;
      if (ends === null) this.remove();
      else this.set(ends);
    },
  });
  new Counter({
    name: 'catalog_engine_tls_failures_total',
    help: 'Connections refused because of the certificate of Elasticsearch',
    registers,
    collect() {
      this.reset();
      this.inc(authorities?.failures ?? 0);
    },
  });
}

/** Adds metrics of Redis and the clock, on which limits, keys and tokens depend. */
function addRedisMetrics(
  {
    health,
    access,
    tokens,
    redisWrites,
  }: Pick<MetricsSources, 'health' | 'access' | 'tokens' | 'redisWrites'>,
  registers: Registry[],
): void {
  new Counter({
    name: 'catalog_limits_counted_locally_total',
    help: 'Requests whose rate limit was counted in the process because Redis was unavailable',
    registers,
    collect() {
      this.reset();
      this.inc(access.countedLocally);
    },
  });
  new Counter({
    name: 'catalog_redis_writes_refused_total',
    help: 'Write commands that Redis refused, by reason: readonly, oom, misconf, other',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(redisWrites.refusals)) this.inc({ reason }, count);
    },
  });
  new Counter({
    name: 'catalog_tokens_from_future_total',
    help: 'Tokens refused because their issue time is in the future by the clock of this instance',
    registers,
    collect() {
      this.reset();
      this.inc(tokens.fromFuture);
    },
  });
  new Gauge({
    name: 'catalog_clock_offset_seconds',
    aggregator: 'first',
    help: 'The clock of this instance minus the clock of Redis',
    registers,
    collect() {
      // Before the first measurement of the clock, the metric is left out, because 0 would mean no offset.
      if (health.clockOffsetSeconds === null) this.remove();
      else this.set(health.clockOffsetSeconds);
    },
  });
}

/** Adds metrics of the last load of each source, which are left out while Elasticsearch is unavailable. */
function addLoadMetrics(loads: MetricsSources['loads'], registers: Registry[]): void {
  const figure = (name: string, help: string, of: (figures: LoadFigures) => number | undefined) =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      labelNames: ['source'],
      registers,
      async collect() {
        const all = await loads().catch(() => []);
        this.reset();
        for (const figures of all) {
          const value = of(figures);
          if (value !== undefined) this.set({ source: figures.source }, value);
        }
      },
    });
  figure(
    'catalog_load_failed',
    'Whether the last load of the source stopped before the end of its feed: 1 or 0',
    ({ failed }) => (failed === undefined ? undefined : Number(failed)),
  );
  figure(
    'catalog_load_rejected_ratio',
    'Share of the records that the last load of the source rejected',
    ({ rejected }) => rejected,
  );
  figure(
    'catalog_load_vanished_ratio',
    'Share of the available listings of the source that its last complete feed did not contain',
    ({ vanished }) => vanished,
  );
}
