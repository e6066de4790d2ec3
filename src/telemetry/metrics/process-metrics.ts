import type { Metric } from 'prom-client';
import type { CertificateAuthorities } from '../../engine/certificate-authorities.js';
import type { DiskFull } from '../../engine/disk-full.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Access } from '../../platform/access/access.js';
import type { Config } from '../../platform/config/config.js';
import type { WriteRefusals } from '../../platform/redis/write-refusals.js';
import { SERVICE_REVISION, SERVICE_VERSION } from '../../platform/version.js';
import type { Events } from '../events/events.js';
import type { Health } from '../health.js';
import { byLabel, counter, gauge } from './read-metrics.js';

export interface ProcessParts {
  config: Pick<Config, 'environment' | 'exchangeRatesFile'>;
  rates: Pick<ExchangeRates, 'date'>;
  health: Pick<Health, 'last' | 'clockOffsetSeconds'>;
  events: Pick<Events, 'counts'> | null;
  /** The TLS certificates of Elasticsearch; null if no certificate authority is configured. */
  authorities: Pick<CertificateAuthorities, 'failures' | 'certificateEnds'> | null;
  diskFull: Pick<DiskFull, 'refusals'>;
  redis: { writes: Pick<WriteRefusals, 'refusals'> };
  access: Pick<Access, 'countedLocally'>;
}

export const processMetrics = ({ config, rates, events, ...parts }: ProcessParts): Metric[] => [
  gauge('catalog_build_info', {
    help: 'Version of the build, as labels of the value 1',
    labelNames: ['version', 'revision', 'node_version', 'environment'],
    read: () => {
      const { environment } = config;
      const version = { version: SERVICE_VERSION, revision: SERVICE_REVISION };
      return [[1, { ...version, node_version: process.version, environment }]];
    },
  }),
  gauge('catalog_exchange_rates_timestamp_seconds', {
    help: 'Date of the exchange rates; table: own or shipped',
    labelNames: ['table'],
    aggregator: 'min',
    read: () => [
      [Date.parse(rates.date) / 1e3, { table: config.exchangeRatesFile === null ? 'shipped' : 'own' }],
    ],
  }),

  gauge('catalog_dependency_up', {
    help: '1 if the dependency answers: Elasticsearch (with the product index) or Redis, probed every second',
    labelNames: ['dependency'],
    aggregator: 'min',
    read: () =>
      Object.entries(parts.health.last).map(([dependency, state]) => [
        state === 'ok' ? 1 : 0,
        { dependency },
      ]),
  }),
  gauge('catalog_engine_certificate_expiry_seconds', {
    help: 'Expiry of the certificate of Elasticsearch',
    aggregator: 'min',
    read: () => parts.authorities?.certificateEnds ?? null,
  }),
  counter('catalog_engine_tls_failures_total', {
    help: 'Refused certificates of Elasticsearch',
    read: () => parts.authorities?.failures ?? 0,
  }),
  counter('catalog_engine_writes_refused_total', {
    help: 'Writes that Elasticsearch refused, by reason (disk_full) and kind: listings, suggestions, events, audit_events',
    labelNames: ['reason', 'kind'],
    read: () =>
      Object.entries(parts.diskFull.refusals).map(([kind, value]) => [value, { reason: 'disk_full', kind }]),
  }),
  counter('catalog_limits_counted_locally_total', {
    help: 'Requests counted without Redis, in the process, because it was unavailable',
    read: () => parts.access.countedLocally,
  }),
  counter('catalog_redis_writes_refused_total', {
    help: 'Writes that Redis refused, by reason: readonly, oom, misconf, other',
    labelNames: ['reason'],
    read: () => byLabel('reason', parts.redis.writes.refusals),
  }),
  gauge('catalog_clock_offset_seconds', {
    help: 'Clock of the instance minus that of Redis',
    aggregator: 'first',
    read: () => parts.health.clockOffsetSeconds,
  }),

  ...(events === null ? [] : eventMetrics(events)),
];

const eventMetrics = (events: Pick<Events, 'counts'>): Metric[] => [
  gauge('catalog_events_queue_length', {
    aggregator: 'sum',
    help: 'Request events that wait to be written',
    read: () => events.counts().queued,
  }),
  ...EVENT_COUNTERS.map(([name, count, help]) => counter(name, { help, read: () => events.counts()[count] })),
];

const EVENT_COUNTERS = [
  ['catalog_events_written_total', 'written', 'Written request events'],
  ['catalog_events_dropped_total', 'dropped', 'Lost request events'],
  ['catalog_audit_events_dropped_total', 'auditDropped', 'Lost audit events, which only the log has'],
  [
    'catalog_events_omitted_total',
    'omitted',
    'Request events left out, of requests without a key beyond the limit per minute',
  ],
] as const;
