import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { markets } from './markets.js';
import { readSecret, SECRETS } from './secret-files.js';
import * as settings from './settings.js';
import {
  bytes,
  ConfigError,
  days,
  fraction,
  integer,
  list,
  matching,
  onOrOff,
  oneOf,
  type ReadVariable,
  url,
} from './values.js';

export { ConfigError };

export type Config = ReturnType<typeof readConfig>;

/** The shards of a product index, and the copies of each: a number, or a range that depends on the nodes, such as `0-1`. */
export type IndexLayout = Config['indexLayout'];

interface ElasticsearchConfig {
  /** `ELASTICSEARCH_URL`: the URLs of the nodes, comma-separated. */
  nodes: string[];
  /** `ELASTICSEARCH_API_KEY`, or `ELASTICSEARCH_USERNAME` and `ELASTICSEARCH_PASSWORD`. */
  auth: { apiKey: string } | { username: string; password: string } | null;
  /** `ELASTICSEARCH_CA_FILE`: a PEM file with the certificate authorities; null: those of Node.js. */
  caFile: string | null;
  /** The deadlines of the API; absent: those of `createElasticsearch`. Only tests set them, which may run on a busy machine. */
  deadlines?: { requestTimeout: number; maxRetries: number };
}

/** The default deadline for Redis, in ms; docs/configuration.md gives the reasons. */
export const REDIS_DEADLINE_MS = 300;

/** The schemes of applications that are known to connect to MCP servers and have no reversed domain name. */
const OAUTH_REDIRECT_SCHEMES = 'claude,cursor,vscode,vscode-insiders,vscodium,windsurf';

const HTTP = ['http:', 'https:'];

/** Reads the configuration; secrets may be in files that variables with `_FILE` name. @throws ConfigError, which quotes no secret. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const secretNames = new Set<string>(SECRETS);
  const text: ReadVariable = (name) =>
    secretNames.has(name) ? readSecret(env, name) : env[name]?.trim() || null;
  const environment = text('NODE_ENV') ?? 'development';
  const production = environment === 'production';
  const port = () => integer(text, 'PORT', 3_000, 0, 65_535);
  const workers = () =>
    /^auto$/i.test(text('WORKERS') ?? '') ? availableParallelism() : integer(text, 'WORKERS', 1, 1, 256);
  const publicUrl = () => url('PUBLIC_URL', text('PUBLIC_URL') ?? `http://localhost:${port()}`, HTTP);
  const adminSecret = () => settings.secret('ADMIN_SECRET', text('ADMIN_SECRET'), production);
  return checked({
    /** `NODE_ENV`: with `production`, checks are strict and logs are JSON. */
    environment: () => environment,
    /** `PORT`: the port of the API to listen on; 0 for any free port. */
    port,
    /** `HOST`: the address of the API to listen on. */
    host: () => text('HOST') ?? (production ? '0.0.0.0' : '127.0.0.1'),
    /** `METRICS_HOST`, an address or a network, and `METRICS_PORT`; null: there is no metrics server. */
    metrics: () => settings.metrics(text),
    /** `EVENTS`, `EVENTS_RETENTION` and `EVENTS_MAX_SIZE`; null: no events are stored. */
    events: () => settings.events(text, production),
    /** `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, and `OTEL_TRACES_SAMPLER_ARG`, the fraction to record; null: no traces. */
    traces: () => settings.traces(text),
    /** `PUBLIC_URL`: the URL of the service for clients, without a trailing slash. */
    publicUrl,
    /** `AFFILIATE_URLS`: a URL template for each source, with `{id}`, `{sku}` and `{buy_url}`. */
    affiliateTemplates: () => settings.affiliateTemplates(text('AFFILIATE_URLS')),
    elasticsearch: (): ElasticsearchConfig => ({
      nodes: list(text('ELASTICSEARCH_URL') ?? 'http://localhost:9200').map((node) =>
        url('ELASTICSEARCH_URL', node, HTTP),
      ),
      auth: settings.elasticsearchAuth(text),
      caFile: text('ELASTICSEARCH_CA_FILE'),
    }),
    /** `REDIS_URL`, with the password of `REDIS_PASSWORD`. With Sentinels, its host is not used. */
    redisUrl: () => settings.redisUrl(text('REDIS_URL') ?? 'redis://localhost:6379', text('REDIS_PASSWORD')),
    /** `REDIS_DEADLINE_MS`: how long a request waits for Redis before it continues without it. */
    redisDeadlineMs: () => integer(text, 'REDIS_DEADLINE_MS', REDIS_DEADLINE_MS, 50, 5_000),
    /** `REDIS_SENTINELS`, `REDIS_SENTINEL_NAME` and `REDIS_SENTINEL_PASSWORD`; null: Redis is at `redisUrl`. */
    redisSentinels: () => settings.redisSentinels(text),
    /** `INDEX_PREFIX`: the prefix of every index, alias and Redis key. */
    indexPrefix: () =>
      matching(
        'INDEX_PREFIX',
        text('INDEX_PREFIX') ?? 'catalog',
        /^[a-z0-9][a-z0-9._-]{0,99}$/,
        'lower-case letters, digits, ".", "_" and "-"',
      ),
    /** `INDEX_SHARDS` and `INDEX_REPLICAS`: how product indices are created. */
    indexLayout: () => ({
      shards: integer(text, 'INDEX_SHARDS', 1, 1, 100),
      replicas: matching(
        'INDEX_REPLICAS',
        text('INDEX_REPLICAS') ?? '0-1',
        /^\d{1,2}(-(\d{1,2}|all))?$/,
        'a number, or a range such as 0-1 or 0-all',
      ),
    }),
    /** `ADMIN_SECRET`; null: the admin endpoints are disabled. */
    adminSecret,
    /** `MAX_KEYS_PER_DEVELOPER`: the number of active keys that a developer may have; null: any number. */
    maxKeysPerDeveloper: () => integer(text, 'MAX_KEYS_PER_DEVELOPER', null, 1, 1_000_000),
    /** `JWT_SECRET` signs tokens; tokens of `JWT_SECRET_PREVIOUS` are accepted. The default is random. */
    jwtSecrets: () => {
      if (!production && text('JWT_SECRET') === null && workers() > 1)
        throw new ConfigError('JWT_SECRET must be set with WORKERS: all processes need the same one');
      return settings.signingSecrets(text, adminSecret, production);
    },
    /** `JWT_SECRET` and `JWT_SECRET_PREVIOUS`, which encrypt the secrets of webhooks; empty if they are not set. */
    webhookSecretKeys: (): string[] =>
      text('JWT_SECRET') === null ? [] : settings.signingSecrets(text, adminSecret, production),
    logLevel: () => oneOf(text, 'LOG_LEVEL', 'info', ['error', 'warn', 'info', 'debug', 'silent']),
    /** `LOG_SAMPLE`: the fraction of ordinary requests that are logged, from 0 to 1. */
    logSample: () => fraction(text, 'LOG_SAMPLE'),
    /** `TRUST_PROXY`: the number of trusted proxies, or a list of their addresses and networks. */
    trustProxy: () => settings.trustProxy(text('TRUST_PROXY')),
    /** `CORS_ORIGINS`: comma-separated, or `*`; empty: CORS is disabled. */
    corsOrigins: () => settings.corsOrigins(text('CORS_ORIGINS') ?? ''),
    /** `PUBLIC_READ`, whether reads need no key, and `PUBLIC_READ_LIMIT`, how many an address may send a minute; else null. */
    publicReadLimit: () => settings.publicReadLimit(text),
    /** `MARKETS`: the markets whose words are read in names, prices and searches. */
    markets: () => markets(text('MARKETS')),
    /** `EXPLORER`: whether the service serves the explorer at `/explore`. */
    explorer: () => onOrOff(text, 'EXPLORER', 'on'),
    /** `EXCHANGE_RATES_FILE`: a file with exchange rates; null: the dated table that ships with the service. */
    exchangeRatesFile: () => text('EXCHANGE_RATES_FILE'),
    /** `IMAGE_ALLOWED_HOSTS`: hosts from which images are fetched although their addresses are not public. */
    imageAllowedHosts: () => settings.trustedHosts(text, 'IMAGE_ALLOWED_HOSTS'),
    /** `PICTURES_FOLDER`, with at most `PICTURES_MAX_SIZE` of pictures; null: none are stored. */
    pictures: () => {
      const folder = text('PICTURES_FOLDER');
      const maxBytes = bytes(text, 'PICTURES_MAX_SIZE', '2gb');
      return folder === null ? null : { folder: path.resolve(folder), maxBytes };
    },
    /** `WEBHOOK_ALLOWED_HOSTS`: hosts that receive webhooks although their addresses are not public, also over http. */
    webhookAllowedHosts: () => settings.trustedHosts(text, 'WEBHOOK_ALLOWED_HOSTS'),
    /** `AGENTS`: whether the service serves the protocols of agents: MCP, UCP and OAuth. */
    agents: () => onOrOff(text, 'AGENTS', 'on'),
    /** `OAUTH_ISSUER`: the origin of this service as authorization server for `/mcp`; null: OAuth is off. */
    oauthIssuer: () => settings.oauthIssuer(text('OAUTH_ISSUER'), publicUrl()),
    /** `OAUTH_REDIRECT_SCHEMES`: the schemes of applications to which OAuth may redirect, without colons. */
    oauthRedirectSchemes: () =>
      list(text('OAUTH_REDIRECT_SCHEMES') ?? OAUTH_REDIRECT_SCHEMES).map((scheme) =>
        matching(
          'OAUTH_REDIRECT_SCHEMES',
          scheme,
          /^[a-z][a-z0-9+.-]*$/,
          'schemes in lower case, without a colon',
        ),
      ),
    /** `UCP_PROFILES`: whether the profiles of platforms are fetched (`fetch`), or only have to be named (`ignore`). */
    ucpFetchesProfiles: () => oneOf(text, 'UCP_PROFILES', 'ignore', ['ignore', 'fetch']) === 'fetch',
    /** `DOCUMENT_ALLOWED_HOSTS`: hosts from which documents of clients are read although their addresses are not public. */
    documentAllowedHosts: () => settings.trustedHosts(text, 'DOCUMENT_ALLOWED_HOSTS'),
    /** `CHANGES_RETENTION`: how long a cursor of the change feed and the events of alerts are valid, in days. */
    changesRetentionDays: () => days(text, 'CHANGES_RETENTION', '30d'),
    /** `WORKERS`: the number of processes of this instance. `auto` starts one per core. */
    workers,
    /** `SHUTDOWN_DELAY_MS`: how long requests are accepted after SIGTERM, while readiness fails. */
    shutdownDelayMs: () => integer(text, 'SHUTDOWN_DELAY_MS', production ? 1_000 : 0, 0, 8_000),
  });
}

/** The share of one process in a limit that its instance has; at least 1. */
export const shareOf = (limit: number, workers: number): number => Math.max(1, Math.floor(limit / workers));

function checked<T extends object>(parts: { [K in keyof T]: () => T[K] }): T {
  const errors = new Set<string>();
  const read: Partial<T> = {};
  for (const name of Object.keys(parts) as (keyof T)[]) {
    try {
      read[name] = parts[name]();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.add(error.message);
    }
  }
  if (errors.size > 0) throw new ConfigError([...errors].join('\n'));
  return read as T;
}

/** Warnings about settings that are valid but usually a mistake. */
export function warnings({ trustProxy, host }: Pick<Config, 'trustProxy' | 'host'>): string[] {
  if (typeof trustProxy !== 'number' || isLoopback(host)) return [];
  return [
    `TRUST_PROXY=${trustProxy} trusts X-Forwarded-For from any sender, and HOST=${host} accepts connections from ` +
      "anywhere: name the proxies' addresses, or make sure that nobody else reaches the port",
  ];
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
