/** What the dashboard shows, by rows; what is asked of Prometheus is all that a panel knows of a metric. */
export interface Panel {
  title: string;
  /** What to know before believing it; absent where the title says it all. */
  description?: string;
  /** One number now, or lines over time. */
  kind: 'stat' | 'lines';
  /** Grafana's name of the unit. */
  unit: 'short' | 'reqps' | 's' | 'bytes' | 'percentunit' | 'dtdurations' | 'none';
  /** PromQL by what its series are called; `{{label}}` in a name is a label's value. */
  queries: Record<string, string>;
}

export interface Row {
  title: string;
  panels: Panel[];
}

/** Grafana's own: four scrapes, or one step of the picture. */
const RATE = '$__rate_interval';
const PROBES = 'route!~"/readyz|/health|/livez"';

const perSecond = (metric: string, by = '') => `sum(rate(${metric}[${RATE}]))${by && ` by (${by})`}`;
const quantile = (rank: number, metric: string, selected = '', by = '') =>
  `histogram_quantile(${rank}, sum(rate(${metric}_bucket{${selected}}[${RATE}])) by (le${by && `, ${by}`}))`;

const REQUESTS = 'catalog_http_request_duration_seconds';
const ENGINE = 'catalog_engine_duration_seconds';
const REDIS = 'catalog_redis_duration_seconds';

const stat = (title: string, unit: Panel['unit'], query: string, description?: string): Panel => ({
  title,
  unit,
  kind: 'stat',
  queries: { '': query },
  ...(description === undefined ? {} : { description }),
});
const lines = (
  title: string,
  unit: Panel['unit'],
  queries: Record<string, string>,
  description?: string,
): Panel => ({ title, unit, kind: 'lines', queries, ...(description === undefined ? {} : { description }) });

/** Of the service itself, at port 9464 of each instance. */
export const SERVICE: Row[] = [
  {
    title: 'Now',
    panels: [
      stat('Instances', 'none', 'sum(up{job="catalogue"})'),
      stat(
        'Elasticsearch',
        'none',
        'min(catalog_dependency_up{dependency="elasticsearch"})',
        '1: it answers',
      ),
      stat('Redis', 'none', 'min(catalog_dependency_up{dependency="redis"})', '1: it answers'),
      stat('Requests', 'reqps', perSecond(`${REQUESTS}_count{${PROBES}}`)),
      stat('Answers 5xx', 'percentunit', shareOf('status=~"5.."'), 'Of all but probes'),
      stat('99th percentile', 's', quantile(0.99, REQUESTS, `${PROBES},route!="/v1/products/export"`)),
    ],
  },
  {
    title: 'Requests',
    panels: [
      lines('Requests by status', 'reqps', {
        '{{status}}': perSecond(`${REQUESTS}_count{${PROBES}}`, 'status'),
      }),
      lines('Requests by route', 'reqps', {
        '{{route}}': perSecond(`${REQUESTS}_count{${PROBES}}`, 'route'),
      }),
      lines('Latency', 's', {
        '50th percentile': quantile(0.5, REQUESTS, PROBES),
        '95th percentile': quantile(0.95, REQUESTS, PROBES),
        '99th percentile': quantile(0.99, REQUESTS, PROBES),
      }),
      lines('95th percentile by route', 's', { '{{route}}': quantile(0.95, REQUESTS, PROBES, 'route') }),
      lines('Requests in flight', 'short', {
        '{{route}}': 'sum(catalog_http_requests_in_flight) by (route)',
      }),
      lines('Refused', 'reqps', {
        '429, {{tier}}': perSecond('catalog_rate_limited_total', 'tier'),
        '{{reason}}': perSecond('catalog_rejected_total', 'reason'),
      }),
    ],
  },
  {
    title: 'What it waits for',
    panels: [
      lines('Wait for Elasticsearch', 's', {
        '50th percentile': quantile(0.5, ENGINE),
        '99th percentile': quantile(0.99, ENGINE),
      }),
      lines('Wait for Redis', 's', {
        '50th percentile': quantile(0.5, REDIS),
        '99th percentile': quantile(0.99, REDIS),
      }),
      lines('Dependencies', 'none', { '{{dependency}}, {{instance}}': 'catalog_dependency_up' }),
      lines(
        'What Redis did not do',
        'reqps',
        {
          'limits counted locally, {{instance}}': perSecond(
            'catalog_limits_counted_locally_total',
            'instance',
          ),
          'writes refused: {{reason}}': perSecond('catalog_redis_writes_refused_total', 'reason'),
        },
        'All are 0 while Redis answers in time and takes writes',
      ),
      lines(
        'Writes refused by Elasticsearch',
        'reqps',
        { '{{kind}}, {{reason}}': perSecond('catalog_engine_writes_refused_total', 'kind, reason') },
        'All are 0 while there is room on its disks',
      ),
      lines(
        'Clocks',
        's',
        { '{{instance}}': 'catalog_clock_offset_seconds' },
        'The clock of the instance minus that of Redis',
      ),
      lines('Refused for a clock, a certificate or the schema', 'reqps', {
        'tokens from the future': perSecond('catalog_tokens_from_future_total'),
        'certificates of Elasticsearch': perSecond('catalog_engine_tls_failures_total'),
        'a reindex is needed': perSecond('catalog_reindex_needed_total'),
      }),
      lines(
        'Certificate of Elasticsearch ends in',
        'dtdurations',
        { first: 'min(catalog_engine_certificate_expiry_seconds) - time() or vector(0)' },
        '0: Elasticsearch is reached without TLS',
      ),
    ],
  },
  {
    title: 'The catalogue',
    panels: [
      lines('Since the last load', 'dtdurations', {
        '{{source}}': 'time() - max(catalog_last_load_timestamp_seconds) by (source)',
      }),
      lines('Of the last load', 'percentunit', {
        'rejected, {{source}}': 'max(catalog_load_rejected_ratio) by (source)',
        'vanished, {{source}}': 'max(catalog_load_vanished_ratio) by (source)',
      }),
      lines('Last load failed', 'none', { '{{source}}': 'max(catalog_load_failed) by (source)' }),
      stat(
        'Age of the exchange rates',
        'dtdurations',
        'time() - min(catalog_exchange_rates_timestamp_seconds)',
        'They matter where prices are in several currencies.',
      ),
      stat('Currencies', 'none', 'max(catalog_currencies)'),
    ],
  },
  {
    title: 'Events',
    panels: [
      lines('Events', 'reqps', {
        written: perSecond('catalog_events_written_total'),
        omitted: perSecond('catalog_events_omitted_total'),
        dropped: perSecond('catalog_events_dropped_total'),
        'dropped, of the audit': perSecond('catalog_audit_events_dropped_total'),
      }),
      lines('Events that wait', 'short', { '{{instance}}': 'catalog_events_queue_length' }),
    ],
  },
  {
    title: 'Processes',
    panels: [
      lines('Memory', 'bytes', { '{{instance}}': 'process_resident_memory_bytes{job="catalogue"}' }),
      lines('Processor', 'percentunit', {
        '{{instance}}': `rate(process_cpu_seconds_total{job="catalogue"}[${RATE}])`,
      }),
      lines('Event loop, 99th percentile', 's', {
        '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job="catalogue"}',
      }),
      lines('Open files', 'short', { '{{instance}}': 'process_open_fds{job="catalogue"}' }),
      stat('Version', 'none', 'count(catalog_build_info) by (version, revision)'),
    ],
  },
];

/** Of the exporters. */
export const ENGINES: Row[] = [
  {
    title: 'Engines',
    panels: [
      lines('Cluster', 'none', { '{{color}}': 'max(elasticsearch_cluster_health_status) by (color)' }),
      lines('Disk in use', 'percentunit', {
        '{{name}}':
          'max by (name) (1 - elasticsearch_filesystem_data_available_bytes / elasticsearch_filesystem_data_size_bytes)',
      }),
      lines('Heap in use', 'percentunit', {
        '{{name}}':
          'max by (name) (elasticsearch_jvm_memory_used_bytes{area="heap"} / elasticsearch_jvm_memory_max_bytes{area="heap"})',
      }),
      lines('Searches', 'reqps', {
        '{{name}}': `max by (name) (rate(elasticsearch_indices_search_query_total[${RATE}]))`,
      }),
      stat(
        'Age of the last snapshot',
        'dtdurations',
        'time() - max(elasticsearch_snapshot_stats_latest_snapshot_timestamp_seconds)',
      ),
      lines('Memory of Redis', 'bytes', {
        used: 'redis_memory_used_bytes',
        'at most': 'redis_memory_max_bytes',
      }),
      lines('Commands of Redis', 'reqps', { '': `rate(redis_commands_processed_total[${RATE}])` }),
      lines('Keys and counters in Redis', 'short', { '{{db}}': 'sum(redis_db_keys) by (db) > 0' }),
      lines('Certificates end in', 'dtdurations', {
        '{{instance}}': 'probe_ssl_earliest_cert_expiry - time()',
      }),
      lines('Instances behind HAProxy', 'none', {
        '{{instance}}': 'haproxy_backend_active_servers{proxy="instances"}',
      }),
      lines(
        'Answers of HAProxy',
        'reqps',
        { '{{code}}': perSecond('haproxy_frontend_http_responses_total{proxy="catalogue"}', 'code') },
        'Its own as well: 503 without an instance',
      ),
    ],
  },
];

function shareOf(selected: string): string {
  const all = perSecond(`${REQUESTS}_count{${PROBES}}`);
  return `(${perSecond(`${REQUESTS}_count{${PROBES},${selected}}`)} or vector(0)) / ${all}`;
}
