import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import { ConfigError } from './error.js';
import { bytes, days, fraction, integer, list, matching, oneOf, onOrOff, url } from './values.js';
import { readSecret, SECRETS } from './secret-files.js';

export { ConfigError };

/**
 * Everything the service can be told. Each field names its environment variable; nothing else reads the environment.
 * Secrets may stand in files: `ADMIN_SECRET_FILE` and so on.
 */
export interface Config {
  /** `NODE_ENV`: `production` makes the checks strict and the logs JSON. */
  environment: string;
  /** `PORT`, 0 for any free one. */
  port: number;
  /** `HOST`, the address to listen on. */
  host: string;
  /** `METRICS_HOST`, an address or a network, and `METRICS_PORT`, 0 for any free one; null: no metrics server. */
  metrics: { host: string; port: number } | null;
  /**
   * `EVENTS`: a document in Elasticsearch for each request, kept for `EVENTS_RETENTION` and as long as all of a kind
   * take no more than `EVENTS_MAX_SIZE` of disk; null: none.
   */
  events: { retentionDays: number; maxBytes: number } | null;
  /**
   * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, else `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces` behind it: where spans are
   * sent by OTLP over HTTP, with `OTEL_EXPORTER_OTLP_HEADERS`, as `OTEL_SERVICE_NAME`; of the traces that begin here,
   * `OTEL_TRACES_SAMPLER_ARG` of one. null: there are none.
   */
  traces: { url: string; headers: Record<string, string>; ratio: number; serviceName: string | null } | null;
  /** `PUBLIC_URL`: where clients reach the service, without a trailing slash; tracked URLs are made from it. */
  publicUrl: string;
  /**
   * `AFFILIATE_URLS`: JSON object of source to URL template, for listings whose feed brings no affiliate link;
   * `{id}`, `{sku}` and `{buy_url}` in it are the listing's.
   */
  affiliateTemplates: Record<string, string>;
  elasticsearch: {
    /** `ELASTICSEARCH_URL`, comma-separated. */
    nodes: string[];
    /** `ELASTICSEARCH_API_KEY`, or `ELASTICSEARCH_USERNAME` and `ELASTICSEARCH_PASSWORD`. */
    auth: { apiKey: string } | { username: string; password: string } | null;
    /** `ELASTICSEARCH_CA_FILE`: a PEM file. */
    caFile: string | null;
  };
  /** `REDIS_URL`, with `REDIS_PASSWORD` in it. With `redisSentinels`, its host is not used. */
  redisUrl: string;
  /** `REDIS_DEADLINE_MS`: how long a request waits for Redis before it goes on without it. */
  redisDeadlineMs: number;
  /**
   * `REDIS_SENTINELS`, `REDIS_SENTINEL_NAME` and `REDIS_SENTINEL_PASSWORD`: the Sentinels that say where the primary is;
   * null: Redis is always at `redisUrl`.
   */
  redisSentinels: RedisSentinels | null;
  /** `INDEX_PREFIX`: first part of every index, alias and Redis key. */
  indexPrefix: string;
  /** `ADMIN_SECRET`; null: key provisioning is off. */
  adminSecret: string | null;
  /** `MAX_KEYS_PER_DEVELOPER`: keys of one `developer_id` that are neither revoked nor expired; null: any number. */
  maxKeysPerDeveloper: number | null;
  /**
   * `JWT_SECRET`, which signs, and `JWT_SECRET_PREVIOUS`, whose tokens are still taken, if there is one. Outside
   * production a random one serves, which ends with the process.
   */
  jwtSecrets: [current: string, ...previous: string[]];
  /** `LOG_LEVEL`. */
  logLevel: 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** `LOG_SAMPLE`: the fraction of ordinary requests that are logged, from 0 to 1. */
  logSample: number;
  /** `LOG_SLOW_MS`: requests that take this many milliseconds or longer are always logged. */
  logSlowMs: number;
  /** `TRUST_PROXY`: number of proxies, or comma-separated addresses and networks whose `X-Forwarded-For` is believed. */
  trustProxy: number | string[] | false;
  /** `CORS_ORIGINS`: comma-separated, or `*`; empty: CORS is off. */
  corsOrigins: string[];
  /** `EXCHANGE_RATES_FILE`; null: the dated table that ships with the service. */
  exchangeRatesFile: string | null;
  /** `IMAGE_ALLOWED_HOSTS`: comma-separated `host` or `host:port` that images may come from though not public. */
  imageAllowedHosts: string[];
  /** `WORKERS`: the number of processes of this instance, which share its port and limits. `auto` starts one per core. */
  workers: number;
  /** `SHUTDOWN_DELAY_MS`: how long after SIGTERM requests are still taken while readiness already fails. */
  shutdownDelayMs: number;
}

/** Redis Sentinels, and under which name they know the primary. */
export interface RedisSentinels {
  nodes: { host: string; port: number }[];
  name: string;
  /** The password of the Sentinels themselves; that of Redis is in its URL. */
  password: string | null;
}

/** The deadline for Redis where none is configured; docs/configuration.md gives the reasons. */
export const REDIS_DEADLINE_MS = 300;

const SAMPLE_SECRETS =
  /^(change-?me.*|secret.*|password.*|admin.*|test.*|demo.*|sample.*|example.*|default.*|your[-_].*|<.*>)$/i;
const MIN_SECRET_LENGTH = 16;
/** RFC 7518, 3.2: a key of HS256 is no shorter than its hash. */
const MIN_SIGNING_BYTES = 32;

/**
 * Reads and checks the configuration.
 * @throws ConfigError with a line for each wrong value, naming its variable; values of secrets are never in it.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const secretNames = new Set<string>(SECRETS);
  const text = (name: string): string | null =>
    secretNames.has(name) ? readSecret(env, name) : env[name]?.trim() || null;
  const environment = text('NODE_ENV') ?? 'development';
  const production = environment === 'production';
  const port = () => integer('PORT', text('PORT') ?? '3000', 0, 65_535);
  const workers = () => {
    const given = text('WORKERS') ?? '1';
    return /^auto$/i.test(given) ? availableParallelism() : integer('WORKERS', given, 1, 256);
  };
  const adminSecret = () => secret('ADMIN_SECRET', text('ADMIN_SECRET'), production);
  return checked<Config>({
    environment: () => environment,
    port,
    host: () => text('HOST') ?? (production ? '0.0.0.0' : '127.0.0.1'),
    metrics: () => metrics(text),
    events: () => events(text, production),
    traces: () => traces(text),
    publicUrl: () =>
      url('PUBLIC_URL', text('PUBLIC_URL') ?? `http://localhost:${port()}`, ['http:', 'https:']),
    affiliateTemplates: () => affiliateTemplates(text('AFFILIATE_URLS')),
    elasticsearch: () => ({
      nodes: list(text('ELASTICSEARCH_URL') ?? 'http://localhost:9200').map((node) =>
        url('ELASTICSEARCH_URL', node, ['http:', 'https:']),
      ),
      auth: elasticsearchAuth(text),
      caFile: text('ELASTICSEARCH_CA_FILE'),
    }),
    redisUrl: () => redisUrl(text('REDIS_URL') ?? 'redis://localhost:6379', text('REDIS_PASSWORD')),
    redisDeadlineMs: () =>
      integer('REDIS_DEADLINE_MS', text('REDIS_DEADLINE_MS') ?? String(REDIS_DEADLINE_MS), 50, 5_000),
    redisSentinels: () => redisSentinels(text),
    indexPrefix: () =>
      matching(
        'INDEX_PREFIX',
        text('INDEX_PREFIX') ?? 'catalog',
        /^[a-z0-9][a-z0-9._-]{0,99}$/,
        'lower-case letters, digits, ".", "_" and "-"',
      ),
    adminSecret,
    maxKeysPerDeveloper: () => {
      const given = text('MAX_KEYS_PER_DEVELOPER');
      return given === null ? null : integer('MAX_KEYS_PER_DEVELOPER', given, 1, 1_000_000);
    },
    jwtSecrets: () => {
      if (!production && text('JWT_SECRET') === null && workers() > 1)
        throw new ConfigError('JWT_SECRET must be set with WORKERS: all processes need the same one');
      return signingSecrets(text, adminSecret, production);
    },
    logLevel: () =>
      oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', ['error', 'warn', 'info', 'debug', 'silent']),
    logSample: () => fraction('LOG_SAMPLE', text('LOG_SAMPLE') ?? '1'),
    logSlowMs: () => integer('LOG_SLOW_MS', text('LOG_SLOW_MS') ?? '1000', 1, 600_000),
    trustProxy: () => trustProxy(text('TRUST_PROXY')),
    corsOrigins: () =>
      list(text('CORS_ORIGINS') ?? '').map((origin) => (origin === '*' ? origin : corsOrigin(origin))),
    exchangeRatesFile: () => text('EXCHANGE_RATES_FILE'),
    imageAllowedHosts: () => list(text('IMAGE_ALLOWED_HOSTS') ?? '').map(imageHost),
    workers,
    shutdownDelayMs: () =>
      integer('SHUTDOWN_DELAY_MS', text('SHUTDOWN_DELAY_MS') ?? (production ? '1000' : '0'), 0, 8_000),
  });
}

/** The part of a limit of an instance that one of its processes has; at least 1. */
export const shareOf = (limit: number, workers: number): number => Math.max(1, Math.floor(limit / workers));

/** Who has several values wrong learns of all of them at once. */
function checked<T extends object>(parts: { [K in keyof T]: () => T[K] }): T {
  const wrong = new Set<string>();
  const read: Partial<T> = {};
  for (const name of Object.keys(parts) as (keyof T)[]) {
    try {
      read[name] = parts[name]();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      wrong.add(error.message);
    }
  }
  if (wrong.size > 0) throw new ConfigError([...wrong].join('\n'));
  return read as T;
}

type Text = (name: string) => string | null;

function metrics(text: Text): Config['metrics'] {
  const port = text('METRICS_PORT');
  if (port === null) return null;
  return {
    host: metricsHost(text('METRICS_HOST') ?? '127.0.0.1'),
    port: integer('METRICS_PORT', port, 0, 65_535),
  };
}

function events(text: Text, production: boolean): Config['events'] {
  // Read whether or not they are used: a wrong value is one in any case.
  const kept = {
    retentionDays: days('EVENTS_RETENTION', text('EVENTS_RETENTION') ?? '30d'),
    maxBytes: bytes('EVENTS_MAX_SIZE', text('EVENTS_MAX_SIZE') ?? '4gb'),
  };
  return onOrOff('EVENTS', text('EVENTS') ?? (production ? 'on' : 'off')) ? kept : null;
}

function traces(text: Text): Config['traces'] {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const own = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  // Read whether or not they are used: a wrong value is one in any case.
  const headers = otlpHeaders(text('OTEL_EXPORTER_OTLP_HEADERS') ?? '');
  const ratio = fraction('OTEL_TRACES_SAMPLER_ARG', text('OTEL_TRACES_SAMPLER_ARG') ?? '1');
  const serviceName = text('OTEL_SERVICE_NAME');
  const http = ['http:', 'https:'];
  if (own !== null)
    return { url: url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own, http), headers, ratio, serviceName };
  if (base === null) return null;
  return { url: `${url('OTEL_EXPORTER_OTLP_ENDPOINT', base, http)}/v1/traces`, headers, ratio, serviceName };
}

/** As OpenTelemetry has them: `name=value,…`, values with escapes as in URLs. */
function otlpHeaders(value: string): Record<string, string> {
  return Object.fromEntries(
    list(value).map((pair) => {
      const at = pair.indexOf('=');
      try {
        if (/^[!#$%&'*+.^_`|~\w-]+$/.test(pair.slice(0, at).trim()))
          return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        // Said below, without the value.
      }
      throw new ConfigError(
        'OTEL_EXPORTER_OTLP_HEADERS must be a list such as authorization=Bearer%20…,x-team=shop',
      );
    }),
  );
}

/** What is allowed, and seldom meant. */
export function warnings({ trustProxy, host }: Pick<Config, 'trustProxy' | 'host'>): string[] {
  if (typeof trustProxy !== 'number' || isLoopback(host)) return [];
  return [
    `TRUST_PROXY=${trustProxy} believes X-Forwarded-For whoever sends it, and HOST=${host} takes connections from ` +
      "anywhere: name the proxies' addresses, or make sure that nobody else reaches the port",
  ];
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function redisUrl(value: string, password: string | null): string {
  const checked = url('REDIS_URL', value, ['redis:', 'rediss:']);
  if (password === null) return checked;
  const parsed = new URL(checked);
  if (parsed.password !== '')
    throw new ConfigError('REDIS_URL holds a password, so REDIS_PASSWORD must not be set');
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

function redisSentinels(text: Text): Config['redisSentinels'] {
  const nodes = list(text('REDIS_SENTINELS') ?? '').map((node) => {
    const parsed = URL.canParse(`redis://${node}`) ? new URL(`redis://${node}`) : null;
    if (parsed === null || parsed.host === '' || /[/?#@\\]/.test(node))
      throw new ConfigError(`REDIS_SENTINELS must list addresses such as sentinel-1:26379, not "${node}"`);
    // A URL keeps the brackets around an IPv6 address.
    return { host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(parsed.port || 26_379) };
  });
  const [name, password] = [text('REDIS_SENTINEL_NAME'), text('REDIS_SENTINEL_PASSWORD')];
  if (nodes.length > 0) return { nodes, name: name ?? 'mymaster', password };
  if (name !== null || password !== null)
    throw new ConfigError(
      'REDIS_SENTINELS must be set beside REDIS_SENTINEL_NAME or REDIS_SENTINEL_PASSWORD',
    );
  return null;
}

function metricsHost(value: string): string {
  if (value.includes('/') && !ipaddr.isValidCIDR(value)) {
    throw new ConfigError(
      `METRICS_HOST must be an address, or a network such as 172.29.83.0/24, not "${value}"`,
    );
  }
  return value;
}

function secret(name: string, value: string | null, production: boolean): string | null {
  if (!production) return value;
  if (value === null) throw new ConfigError(`${name} must be set in production`);
  if (value.length < MIN_SECRET_LENGTH || SAMPLE_SECRETS.test(value)) {
    throw new ConfigError(`${name} must be a secret of your own of at least ${MIN_SECRET_LENGTH} characters`);
  }
  if (new Set(value).size === 1) throw new ConfigError(`${name} must not be one character many times`);
  return value;
}

function signingSecrets(
  text: Text,
  adminSecret: () => string | null,
  production: boolean,
): Config['jwtSecrets'] {
  const read = (name: string): string | null => {
    const value = secret(name, text(name), production);
    if (!production || value === null) return value;
    if (Buffer.byteLength(value) < MIN_SIGNING_BYTES)
      throw new ConfigError(`${name} must have at least ${MIN_SIGNING_BYTES} bytes`);
    if (value === adminSecret()) throw new ConfigError(`${name} must be another secret than ADMIN_SECRET`);
    return value;
  };
  const current = read('JWT_SECRET') ?? randomBytes(MIN_SIGNING_BYTES).toString('base64url');
  const previous = text('JWT_SECRET_PREVIOUS') === null ? null : read('JWT_SECRET_PREVIOUS');
  return previous === null ? [current] : [current, previous];
}

function elasticsearchAuth(text: Text): Config['elasticsearch']['auth'] {
  const apiKey = text('ELASTICSEARCH_API_KEY');
  const username = text('ELASTICSEARCH_USERNAME');
  const password = text('ELASTICSEARCH_PASSWORD');
  if (apiKey !== null) return { apiKey };
  if (username === null && password === null) return null;
  if (username === null)
    throw new ConfigError('ELASTICSEARCH_USERNAME must be set beside ELASTICSEARCH_PASSWORD');
  if (password === null)
    throw new ConfigError('ELASTICSEARCH_PASSWORD must be set beside ELASTICSEARCH_USERNAME');
  return { username, password };
}

function affiliateTemplates(value: string | null): Record<string, string> {
  if (value === null) return {};
  const wrong = (what: string) =>
    new ConfigError(`AFFILIATE_URLS must be a JSON object of source to URL; ${what}`);
  let templates: unknown;
  try {
    templates = JSON.parse(value);
  } catch {
    throw wrong('it is no JSON');
  }
  if (typeof templates !== 'object' || templates === null || Array.isArray(templates))
    throw wrong('it is no object');
  for (const [source, template] of Object.entries(templates)) {
    if (typeof template !== 'string' || !/^https?:\/\/[^\s/]/.test(template))
      throw wrong(`${source} has no http URL`);
  }
  return templates as Record<string, string>;
}

function trustProxy(value: string | null): Config['trustProxy'] {
  if (value === null || /^(false|no|off)$/i.test(value)) return false;
  if (/^\d{1,2}$/.test(value)) return Number(value) || false;
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  const entries = list(value);
  const wrong = entries.find((entry) => {
    const [address = '', bits] = entry.split('/');
    return !named.includes(entry) && (isIP(address) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)));
  });
  if (wrong !== undefined) {
    throw new ConfigError(
      `TRUST_PROXY must be the number of proxies in front, or their addresses or networks, not "${wrong}"`,
    );
  }
  return entries;
}

function corsOrigin(value: string): string {
  if (!URL.canParse(value) || new URL(value).origin !== value) {
    throw new ConfigError(`CORS_ORIGINS must list origins such as https://shop.example, not "${value}"`);
  }
  return value;
}

/** A host as URLs spell it, so that it can be compared with theirs. */
function imageHost(value: string): string {
  const text = `http://${value}`;
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || /[/?#@\\]/.test(value)) {
    throw new ConfigError(`IMAGE_ALLOWED_HOSTS must list hosts such as images.example:8080, not "${value}"`);
  }
  // A URL drops the port that is its scheme's default.
  return value.endsWith(':80') ? `${parsed.hostname}:80` : parsed.host;
}
