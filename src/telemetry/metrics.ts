import { type Aggregator, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
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
  failed?: boolean;
  /** The share of records that the last load rejected, from 0 to 1. */
  rejected?: number;
  /** The share of available listings that the last complete feed did not contain, from 0 to 1. */
  vanished?: number;
}

/** How far `npm run alerts` is, and what it has done since its first run. */
export interface AlertFigures {
  /** The number of alerts that are checked. */
  active: number;
  /** All changes before this time are checked, in milliseconds since 1970; null: they never were. */
  checked_at: number | null;
  events: number;
  /** The number of attempts to send an event, by outcome. */
  attempts: Record<string, number>;
}

/** Figures about a source that `npm run sync` loads. */
export interface SourceFigures {
  source: string;
  /** When the data of its last loaded feed was seen, in ms since 1970; 0 if no feed was loaded yet. */
  freshAt: number;
  /** The age from which its data is stale, in seconds; null if no age is expected. */
  expectedFreshnessS: number | null;
  /** The number of columns that the feed of its last run lacked or had in addition to those of the feed before. */
  columnsChanged: number;
  /** By how much the last run changed the median price, in percent, whether it rose or fell; null if it is unknown. */
  priceChange: number | null;
  /** The guard that stopped the last run; null if none did. */
  refusedBy: string | null;
}

/** The metrics of the service. Labels contain route patterns, never URLs, so that there are few series. */
interface Metrics extends Observer {
  registry: Registry;
  unreadable(): void;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The `reason` label of rejected requests, by status code. A 404 counts only for an unknown path, because a
 * request for an unknown id is valid.
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

/** Default metrics with a limit for each process, of which the maximum over all processes is exported. */
const AGGREGATED_BY_MAXIMUM =
  /^(nodejs_eventloop_lag_((mean|p\d+)_)?seconds|process_(resident_memory_bytes|open_fds|max_fds)$)/;

interface MetricsSources {
  events: Events | null;
  health: Pick<Health, 'last' | 'clockOffsetSeconds'>;
  access: Pick<Access, 'countedLocally'>;
  tokens: Pick<Tokens, 'fromFuture'>;
  redisWrites: Pick<WriteRefusals, 'refusals'>;
  diskFull: Pick<DiskFull, 'refusals'>;
  /** The TLS certificates of Elasticsearch; null if no certificate authority is configured. */
  authorities: Pick<CertificateAuthorities, 'failures' | 'certificateEnds'> | null;
  rates: Pick<ExchangeRates, 'date'>;
  /**
   * Returns the active versions of the brand dictionary and the matching model that were learned from the
   * catalogue; null: none.
   */
  learnedVersions: () => Promise<{ brands: number | null; matcher: number | null }>;
  /** Reads the metrics of the whole catalogue. If this fails, the service exports no such metrics. */
  figures: () => Promise<CatalogueFigures>;
  /** Reads how far the alerts have been checked. If this fails, the service exports no such metrics. */
  alerts: () => Promise<AlertFigures>;
  /** Reads the metrics of the last loads. If this fails, the service exports no such metrics. */
  loads: () => Promise<readonly LoadFigures[]>;
  /** Reads the figures of the configured sources. If this fails, the service exports no such metrics. */
  configuredSources: () => Promise<readonly SourceFigures[]>;
}

/** The current values of a metric, each with its labels. */
type Series = readonly (readonly [value: number, labels?: Record<string, string>])[];

/** A metric whose series are read at each scrape. */
interface ReadMetric {
  help: string;
  labelNames?: string[];
  read(): Series | Promise<Series>;
}

export function createMetrics(
  config: Pick<Config, 'environment' | 'exchangeRatesFile'>,
  sources: MetricsSources,
): Metrics {
  const { events, health, access, tokens, redisWrites, diskFull, authorities, rates } = sources;
  const registry = new Registry();
  const registers = [registry];
  const duration = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
  const count = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const readCounter = (name: string, { read, ...options }: ReadMetric, aggregator: Aggregator = 'sum') =>
    new Counter({
      name,
      aggregator,
      ...options,
      registers,
      async collect() {
        const series = await read();
        this.reset();
        for (const [value, labels = {}] of series) this.inc(labels, value);
      },
    });
  const readGauge = (name: string, aggregator: Aggregator, { read, ...options }: ReadMetric) =>
    new Gauge({
      name,
      aggregator,
      ...options,
      registers,
      async collect() {
        const series = await read();
        this.reset();
        // A gauge without labels is removed until its value is known, because it would be exported as 0.
        if (options.labelNames === undefined) this.remove();
        for (const [value, labels = {}] of series) this.set(labels, value);
      },
    });
  const byLabel = (name: string, counts: Record<string, number>): Series =>
    Object.entries(counts).map(([label, value]) => [value, { [name]: label }]);
  const known = (value: number | null): Series => (value === null ? [] : [[value]]);
  const figures = () => sources.figures().catch(() => null);

  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray())
    if (AGGREGATED_BY_MAXIMUM.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
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
  const rateLimited = count(
    'catalog_rate_limited_total',
    'Responses with status 429 by tier of the key; none if the request was counted by address',
    ['tier'],
  );
  const rejected = count('catalog_rejected_total', 'Rejected requests, by reason', ['reason']);
  const reindexNeeded = count(
    'catalog_reindex_needed_total',
    'Responses with status 503 because the index has an earlier schema; run npm run reindex',
  );
  readGauge('catalog_build_info', 'max', {
    help: 'Always 1; the labels contain the version and the git commit of the build',
    labelNames: ['version', 'revision', 'node_version', 'environment'],
    read: () => [
      [
        1,
        {
          version: SERVICE_VERSION,
          revision: SERVICE_REVISION,
          node_version: process.version,
          environment: config.environment,
        },
      ],
    ],
  });
  readGauge('catalog_dependency_up', 'min', {
    help: 'Whether Elasticsearch (with the product index) and Redis answered the last probe, which runs every second: 1 or 0',
    labelNames: ['dependency'],
    read: () =>
      Object.entries(health.last).map(([dependency, state]) => [state === 'ok' ? 1 : 0, { dependency }]),
  });
  readGauge('catalog_exchange_rates_timestamp_seconds', 'min', {
    help: 'Date of the exchange rates in use, in seconds since 1970; table: own or shipped',
    labelNames: ['table'],
    read: () => [
      [Date.parse(rates.date) / 1e3, { table: config.exchangeRatesFile === null ? 'shipped' : 'own' }],
    ],
  });
  readGauge('catalog_learned_version', 'max', {
    help: 'Active version of what npm run learn learned, by what: brands or matcher; 0 if nothing is active',
    labelNames: ['of'],
    read: async () =>
      Object.entries(await sources.learnedVersions()).map(([of, version]) => [version ?? 0, { of }] as const),
  });
  readGauge('catalog_last_load_timestamp_seconds', 'max', {
    help: 'Time of the last successful load of a source, in seconds since 1970, for the 200 sources with the most listings',
    labelNames: ['source'],
    read: async () =>
      [...((await figures())?.lastLoads ?? [])].map(([source, at]) => [at / 1e3, { source }] as const),
  });
  readGauge('catalog_currencies', 'max', {
    help: 'Number of currencies of the listed prices',
    labelNames: ['of'],
    read: async () => {
      const found = await figures();
      return found === null ? [] : [[found.currencies, { of: 'prices' }]];
    },
  });
  if (events !== null) {
    readGauge('catalog_events_queue_length', 'sum', {
      help: 'Request events that are waiting to be written',
      read: () => [[events.counts().queued]],
    });
    readCounter('catalog_events_written_total', {
      help: 'Request events written',
      read: () => [[events.counts().written]],
    });
    readCounter('catalog_events_dropped_total', {
      help: 'Request events lost',
      read: () => [[events.counts().dropped]],
    });
    readCounter('catalog_audit_events_dropped_total', {
      help: 'Audit events lost; the log still contains them',
      read: () => [[events.counts().auditDropped]],
    });
    readCounter('catalog_events_omitted_total', {
      help: 'Requests without a key that have no event because of the limit per minute',
      read: () => [[events.counts().omitted]],
    });
  }
  const loadGauge = (name: string, help: string, of: (load: LoadFigures) => number | undefined) =>
    readGauge(name, 'max', {
      help,
      labelNames: ['source'],
      read: async () =>
        (await sources.loads().catch(() => [])).flatMap((load): Series => {
          const value = of(load);
          return value === undefined ? [] : [[value, { source: load.source }]];
        }),
    });
  loadGauge(
    'catalog_load_failed',
    'Whether the last load of the source stopped before the end of its feed: 1 or 0',
    ({ failed }) => (failed === undefined ? undefined : Number(failed)),
  );
  loadGauge(
    'catalog_load_rejected_ratio',
    'Share of the records that the last load of the source rejected',
    (load) => load.rejected,
  );
  loadGauge(
    'catalog_load_vanished_ratio',
    'Share of the available listings of the source that its last complete feed did not contain',
    ({ vanished }) => vanished,
  );
  const sourceGauge = (name: string, help: string, of: (source: SourceFigures) => number | null) =>
    readGauge(name, 'max', {
      help,
      labelNames: ['source'],
      read: async () =>
        (await sources.configuredSources().catch(() => [])).flatMap((figures): Series => {
          const value = of(figures);
          return value === null ? [] : [[value, { source: figures.source }]];
        }),
    });
  sourceGauge(
    'catalog_source_data_timestamp_seconds',
    'Time of the data of the last loaded feed of the source, in seconds since 1970; 0 if none was loaded yet',
    ({ freshAt }) => freshAt / 1e3,
  );
  sourceGauge(
    'catalog_source_expected_freshness_seconds',
    'Age from which the data of the source is stale, as its source file states',
    ({ expectedFreshnessS }) => expectedFreshnessS,
  );
  sourceGauge(
    'catalog_source_columns_changed',
    'Columns that the last run of the source found missing or new in its feed',
    ({ columnsChanged }) => columnsChanged,
  );
  sourceGauge(
    'catalog_source_price_change_ratio',
    'Change of the median price of the source in its last run, as a share of the earlier price',
    ({ priceChange }) => (priceChange === null ? null : priceChange / 100),
  );
  readGauge('catalog_source_refused', 'max', {
    help: 'Always 1, for each source whose last run a guard stopped; rule: the guard',
    labelNames: ['source', 'rule'],
    read: async () =>
      (await sources.configuredSources().catch(() => [])).flatMap(({ source, refusedBy: rule }): Series =>
        rule === null ? [] : [[1, { source, rule }]],
      ),
  });
  // All instances export the same numbers, which npm run alerts stores, so they are not summed.
  const alerts = () => sources.alerts().catch(() => null);
  readGauge('catalog_alerts_checked_timestamp_seconds', 'max', {
    help: 'All changes before this time are checked for alerts, in seconds since 1970',
    read: async () => {
      const { checked_at: at = null } = (await alerts()) ?? {};
      return at === null ? [] : [[at / 1e3]];
    },
  });
  readGauge('catalog_alerts_active', 'max', {
    help: 'Alerts that are neither paused nor deleted',
    read: async () => {
      const found = await alerts();
      return found === null ? [] : [[found.active]];
    },
  });
  const alertEvents = {
    help: 'Events of alerts stored since the first run of npm run alerts',
    read: async (): Promise<Series> => [[(await alerts())?.events ?? 0]],
  };
  readCounter('catalog_alert_events_total', alertEvents, 'max');
  const webhookAttempts = {
    help: 'Attempts to send an event of an alert, by outcome: delivered, failed (it is sent again), given_up',
    labelNames: ['outcome'],
    read: async () => byLabel('outcome', (await alerts())?.attempts ?? {}),
  };
  readCounter('catalog_webhook_attempts_total', webhookAttempts, 'max');
  readGauge('catalog_engine_certificate_expiry_seconds', 'min', {
    help: 'Expiry of the certificate that Elasticsearch presented last, in seconds since 1970',
    read: () => known(authorities?.certificateEnds ?? null),
  });
  readCounter('catalog_engine_tls_failures_total', {
    help: 'Connections refused because of the certificate of Elasticsearch',
    read: () => [[authorities?.failures ?? 0]],
  });
  readCounter('catalog_engine_writes_refused_total', {
    help: 'Writes that Elasticsearch refused, by reason (disk_full) and kind: listings, suggestions, events, audit_events',
    labelNames: ['reason', 'kind'],
    read: () =>
      byLabel('kind', diskFull.refusals).map(([value, kind]) => [value, { reason: 'disk_full', ...kind }]),
  });
  readCounter('catalog_limits_counted_locally_total', {
    help: 'Requests whose rate limit was counted in the process because Redis was unavailable',
    read: () => [[access.countedLocally]],
  });
  readCounter('catalog_redis_writes_refused_total', {
    help: 'Write commands that Redis refused, by reason: readonly, oom, misconf, other',
    labelNames: ['reason'],
    read: () => byLabel('reason', redisWrites.refusals),
  });
  readCounter('catalog_tokens_from_future_total', {
    help: 'Tokens refused because their issue time is in the future by the clock of this instance',
    read: () => [[tokens.fromFuture]],
  });
  readGauge('catalog_clock_offset_seconds', 'first', {
    help: 'The clock of this instance minus the clock of Redis',
    read: () => known(health.clockOffsetSeconds),
  });

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
