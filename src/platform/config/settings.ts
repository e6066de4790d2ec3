import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { PUBLIC_LIMIT } from '../access/tiers.js';
import {
  bytes,
  ConfigError,
  days,
  fraction,
  integer,
  list,
  onOrOff,
  type ReadVariable,
  url,
  wrongValue,
} from './values.js';

const SAMPLE_SECRETS =
  /^(change-?me.*|secret.*|password.*|admin.*|test.*|demo.*|sample.*|example.*|default.*|your[-_].*|<.*>)$/i;
const MIN_SECRET_LENGTH = 16;
/** The minimum size of a signing secret: an HS256 key is as long as its hash (RFC 7518, section 3.2). */
const MIN_SIGNING_BYTES = 32;

export function metrics(text: ReadVariable) {
  if (text('METRICS_PORT') === null) return null;
  const host = text('METRICS_HOST') ?? '127.0.0.1';
  if (host.includes('/') && !ipaddr.isValidCIDR(host))
    throw wrongValue('METRICS_HOST', 'be an address, or a network such as 172.29.83.0/24', host);
  return { host, port: integer(text, 'METRICS_PORT', 0, 0, 65_535) };
}

// Settings are read even if what they configure is switched off, so that invalid values are always reported.

export function events(text: ReadVariable, production: boolean) {
  const retentionDays = days(text, 'EVENTS_RETENTION', '30d');
  const maxBytes = bytes(text, 'EVENTS_MAX_SIZE', '4gb');
  return onOrOff(text, 'EVENTS', production ? 'on' : 'off') ? { retentionDays, maxBytes } : null;
}

export function traces(text: ReadVariable) {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = otlpHeaders(text('OTEL_EXPORTER_OTLP_HEADERS') ?? '');
  const ratio = fraction(text, 'OTEL_TRACES_SAMPLER_ARG');
  if (base === null) return null;
  const collector = url('OTEL_EXPORTER_OTLP_ENDPOINT', base, ['http:', 'https:']);
  return { url: `${collector}/v1/traces`, headers, ratio };
}

export function publicReadLimit(text: ReadVariable): number | null {
  const limit = integer(text, 'PUBLIC_READ_LIMIT', PUBLIC_LIMIT, 1, 100_000);
  return onOrOff(text, 'PUBLIC_READ', 'off') ? limit : null;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The issuer of OAuth is the origin of the service. Keys and codes pass through it, so it has https, except on this machine. */
export function oauthIssuer(value: string | null, publicUrl: string): string | null {
  if (value === null) return null;
  const parsed = URL.canParse(value) ? new URL(value) : null;
  const isSecure =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && LOOPBACK.includes(parsed.hostname));
  if (parsed === null || !isSecure || parsed.origin !== value.replace(/\/$/, ''))
    throw wrongValue('OAUTH_ISSUER', 'be an https origin such as https://catalogue.example', value);
  const { origin } = new URL(publicUrl);
  if (parsed.origin !== origin)
    throw new ConfigError(
      `OAUTH_ISSUER must be the origin of PUBLIC_URL, which is ${origin}, not ${parsed.origin}`,
    );
  return parsed.origin;
}

/** Parses headers in the format of OpenTelemetry: `name=value,…` with percent-encoded values. */
function otlpHeaders(value: string): Record<string, string> {
  return Object.fromEntries(
    list(value).map((pair) => {
      const at = pair.indexOf('=');
      try {
        if (/^[!#$%&'*+.^_`|~\w-]+$/.test(pair.slice(0, at).trim()))
          return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        // Invalid percent-encoding is reported below, without quoting the value, because it may be a secret.
      }
      throw new ConfigError(
        'OTEL_EXPORTER_OTLP_HEADERS must be a list such as authorization=Bearer%20…,x-team=shop',
      );
    }),
  );
}

export function redisUrl(value: string, password: string | null): string {
  const checked = url('REDIS_URL', value, ['redis:', 'rediss:']);
  if (password === null) return checked;
  const parsed = new URL(checked);
  if (parsed.password !== '')
    throw new ConfigError('REDIS_URL holds a password, so REDIS_PASSWORD must not be set');
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Reads the addresses of Redis Sentinels, the name under which they monitor the primary, and their own password. */
export function redisSentinels(text: ReadVariable) {
  const nodes = list(text('REDIS_SENTINELS') ?? '').map((node) => {
    const parsed = URL.canParse(`redis://${node}`) ? new URL(`redis://${node}`) : null;
    if (parsed === null || parsed.host === '' || /[/?#@\\]/.test(node))
      throw wrongValue('REDIS_SENTINELS', 'list addresses such as sentinel-1:26379', node);
    // A URL writes an IPv6 address in brackets, which are removed here.
    return { host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(parsed.port || 26_379) };
  });
  const [name, password] = [text('REDIS_SENTINEL_NAME'), text('REDIS_SENTINEL_PASSWORD')];
  if (nodes.length > 0) return { nodes, name: name ?? 'mymaster', password };
  if (name !== null || password !== null)
    throw new ConfigError(
      'REDIS_SENTINELS must be set if REDIS_SENTINEL_NAME or REDIS_SENTINEL_PASSWORD is set',
    );
  return null;
}

export function secret(name: string, value: string | null, production: boolean): string | null {
  if (!production) return value;
  if (value === null) throw new ConfigError(`${name} must be set in production`);
  if (value.length < MIN_SECRET_LENGTH || SAMPLE_SECRETS.test(value))
    throw new ConfigError(`${name} must be a secret of your own of at least ${MIN_SECRET_LENGTH} characters`);
  if (new Set(value).size === 1) throw new ConfigError(`${name} must not be one character many times`);
  return value;
}

export function signingSecrets(
  text: ReadVariable,
  adminSecret: () => string | null,
  production: boolean,
): [current: string, ...previous: string[]] {
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

export function elasticsearchAuth(text: ReadVariable) {
  const apiKey = text('ELASTICSEARCH_API_KEY');
  const username = text('ELASTICSEARCH_USERNAME');
  const password = text('ELASTICSEARCH_PASSWORD');
  if (apiKey !== null) return { apiKey };
  if (username === null && password === null) return null;
  if (username === null)
    throw new ConfigError('ELASTICSEARCH_USERNAME must be set if ELASTICSEARCH_PASSWORD is set');
  if (password === null)
    throw new ConfigError('ELASTICSEARCH_PASSWORD must be set if ELASTICSEARCH_USERNAME is set');
  return { username, password };
}

export function affiliateTemplates(value: string | null): Record<string, string> {
  if (value === null) return {};
  const wrong = (what: string) =>
    new ConfigError(`AFFILIATE_URLS must be a JSON object of source to URL; ${what}`);
  let templates: unknown;
  try {
    templates = JSON.parse(value);
  } catch {
    throw wrong('it is not JSON');
  }
  if (typeof templates !== 'object' || templates === null || Array.isArray(templates))
    throw wrong('it is not an object');
  for (const [source, template] of Object.entries(templates)) {
    if (typeof template !== 'string' || !/^https?:\/\/[^\s/]/.test(template))
      throw wrong(`${source} has no http URL`);
  }
  return templates as Record<string, string>;
}

export function trustProxy(value: string | null): number | string[] | false {
  if (value === null || /^(false|no|off)$/i.test(value)) return false;
  if (/^\d{1,2}$/.test(value)) return Number(value) || false;
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  const entries = list(value);
  const wrong = entries.find((entry) => {
    const [address = '', bits] = entry.split('/');
    return !named.includes(entry) && (isIP(address) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)));
  });
  const wanted = 'be the number of proxies in front, or their addresses or networks';
  if (wrong !== undefined) throw wrongValue('TRUST_PROXY', wanted, wrong);
  return entries;
}

export function corsOrigins(value: string): string[] {
  const origins = list(value);
  const wrong = origins.find((one) => one !== '*' && (!URL.canParse(one) || new URL(one).origin !== one));
  if (wrong !== undefined)
    throw wrongValue('CORS_ORIGINS', 'list origins such as https://shop.example', wrong);
  return origins;
}

/** Reads a list of trusted hosts, in the form that hosts have in URLs. */
export const trustedHosts = (text: ReadVariable, variable: string): string[] =>
  list(text(variable) ?? '').map((value) => {
    const parsed = URL.canParse(`http://${value}`) ? new URL(`http://${value}`) : null;
    if (parsed === null || /[/?#@\\]/.test(value))
      throw wrongValue(variable, 'list hosts such as images.example:8080', value);
    // A URL omits the default port of its scheme, so the port is added again.
    return value.endsWith(':80') ? `${parsed.hostname}:80` : parsed.host;
  });
