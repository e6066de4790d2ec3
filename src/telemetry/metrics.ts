import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Access } from '../platform/access/index.js';
import type { RedisWrites } from '../platform/access/redis-writes.js';
import type { Tokens } from '../platform/access/token.js';
import type { Config } from '../platform/config/config.js';
import type { Authorities } from '../engine/authorities.js';
import type { Health } from './health.js';
import type { DiskFull } from '../engine/disk-full.js';
import type { CatalogueFigures } from '../engine/catalogue-figures.js';
import type { ExchangeRates } from '../listing/rates/convert.js';
import type { Events } from './events/index.js';
import type { RequestRecord, Observer } from './request-record.js';
import { SERVICE_REVISION, SERVICE_VERSION } from '../platform/version.js';

/** What is known of the loads of one source. */
export interface LoadFigures {
  source: string;
  /** Of its last load, also of one that did not: whether that was so, and the share of its records that was rejected. */
  failed?: boolean;
  rejected?: number;
  /** Of the last feed that was said to be all of it: the share of the available listings that were not in it. */
  vanished?: number;
}

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

/** What is told of besides requests. */
export interface Told {
  /** null: none are written, and there is nothing to tell of them. */
  events: Events | null;
  health: Pick<Health, 'last' | 'clockOffsetSeconds'>;
  access: Pick<Access, 'countedLocally'>;
  tokens: Pick<Tokens, 'fromFuture'>;
  redisWrites: Pick<RedisWrites, 'refusals'>;
  diskFull: Pick<DiskFull, 'refusals'>;
  /** null: no authorities are configured, so that nothing is known of certificates. */
  authorities: Pick<Authorities, 'failures' | 'certificateEnds'> | null;
  rates: Pick<ExchangeRates, 'date'>;
  /** Asked at each scrape. Where it rejects, nothing is told. */
  figures: () => Promise<CatalogueFigures>;
  /** The same of the last loads. */
  loads: () => Promise<readonly LoadFigures[]>;
}

export function createMetrics(
  config: Pick<Config, 'environment' | 'exchangeRatesFile'>,
  { events, health, access, tokens, redisWrites, diskFull, authorities, rates, figures, loads }: Told,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const duration = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });

  collectDefaultMetrics({ register: registry });
  aggregateDefaults(registry);
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
    aggregator: 'sum',
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
  const reindexNeeded = new Counter({
    name: 'catalog_reindex_needed_total',
    help: 'Answers 503 because the index has an earlier schema; npm run reindex ends them',
    registers,
  });
  new Gauge({
    name: 'catalog_build_info',
    aggregator: 'max',
    help: '1, with the version and the git commit of the build as labels',
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
    help: 'Whether Elasticsearch (with the product index) and Redis answered when last probed, each second: 1 or 0',
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
    help: 'The day of the exchange rates in use, in seconds since 1970; table: own or shipped',
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

/** Default metrics of which the worst process of an instance counts, because each process has a bound of its own. */
const OF_WORST =
  /^(nodejs_eventloop_lag_((mean|p\d+)_)?seconds|process_(resident_memory_bytes|open_fds|max_fds)$)/;

/** How `AggregatedMetrics` puts the default metrics of several processes together; the library leaves it to be set here. */
function aggregateDefaults(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray())
    if (OF_WORST.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
}

/** Of the catalogue as a whole, read when they are asked for; none while the engine does not tell. */
function addCatalogueMetrics(figures: Told['figures'], registers: Registry[]): void {
  new Gauge({
    name: 'catalog_last_load_timestamp_seconds',
    aggregator: 'max',
    help: 'When a source was last loaded with success, in seconds since 1970; the 200 sources with most listings',
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
    help: 'In how many currencies prices are',
    // One without labels would be 0 as long as nothing is known.
    labelNames: ['of'],
    registers,
    async collect() {
      const known = await figures().catch(() => null);
      this.reset();
      if (known !== null) this.set({ of: 'prices' }, known.currencies);
    },
  });
}

/** Read when they are asked for: the queue keeps its own counts. */
function addEventMetrics(events: Events, registers: Registry[]): void {
  new Gauge({
    name: 'catalog_events_queue_length',
    aggregator: 'sum',
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
    'catalog_audit_events_dropped_total',
    'Audit events lost: the log alone has them',
    () => events.counts().auditDropped,
  );
  total(
    'catalog_events_omitted_total',
    'Requests without a key, beyond so many a minute, that have no event',
    () => events.counts().omitted,
  );
}

/** What is known of the certificates of Elasticsearch. */
function addCertificateMetrics(authorities: Told['authorities'], registers: Registry[]): void {
  new Gauge({
    name: 'catalog_engine_certificate_expiry_seconds',
    aggregator: 'min',
    help: 'When the certificate ends that Elasticsearch presented last, in seconds since 1970',
    registers,
    collect() {
      const ends = authorities?.certificateEnds ?? null;
      if (ends === null) this.remove();
      else this.set(ends);
    },
  });
  new Counter({
    name: 'catalog_engine_tls_failures_total',
    help: 'Connections that were refused because of the certificate that Elasticsearch presented',
    registers,
    collect() {
      this.reset();
      this.inc(authorities?.failures ?? 0);
    },
  });
}

/** What limits, keys and tokens need of Redis and of the clock. Read when they are scraped. */
function addRedisMetrics(
  { health, access, tokens, redisWrites }: Pick<Told, 'health' | 'access' | 'tokens' | 'redisWrites'>,
  registers: Registry[],
): void {
  new Counter({
    name: 'catalog_limits_counted_locally_total',
    help: 'Requests whose limit this instance counted by itself, because Redis did not',
    registers,
    collect() {
      this.reset();
      this.inc(access.countedLocally);
    },
  });
  new Counter({
    name: 'catalog_redis_writes_refused_total',
    help: 'Commands that Redis refused to write, by reason: readonly, oom, misconf, other',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(redisWrites.refusals)) this.inc({ reason }, count);
    },
  });
  new Counter({
    name: 'catalog_tokens_from_future_total',
    help: 'Tokens refused because they were issued in the future, by the clock of this instance',
    registers,
    collect() {
      this.reset();
      this.inc(tokens.fromFuture);
    },
  });
  new Gauge({
    name: 'catalog_clock_offset_seconds',
    aggregator: 'first',
    help: "This instance's clock minus that of Redis",
    registers,
    collect() {
      // Nothing is measured yet, which 0 would not say.
      if (health.clockOffsetSeconds === null) this.remove();
      else this.set(health.clockOffsetSeconds);
    },
  });
}

/** Of the last load of each source; none while the engine does not tell. */
function addLoadMetrics(loads: Told['loads'], registers: Registry[]): void {
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
    'Whether the last load of the source did not reach the end of its feed: 1 or 0',
    ({ failed }) => (failed === undefined ? undefined : Number(failed)),
  );
  figure(
    'catalog_load_rejected_ratio',
    "The part of the source's records that its last load rejected",
    ({ rejected }) => rejected,
  );
  figure(
    'catalog_load_vanished_ratio',
    "The part of the source's available listings that its last complete feed did not have, marked or not",
    ({ vanished }) => vanished,
  );
}
