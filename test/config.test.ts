import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert, expect } from 'chai';
import { ConfigError, readConfig, warnings } from '../src/platform/config/config.js';
import { metricsAddress } from '../src/telemetry/metrics/metrics-server.js';

/** Returns the names of all environment variables that the service reads. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const env = new Proxy<NodeJS.ProcessEnv>({}, { get: (_env, name) => void names.add(String(name)) });
  readConfig(env);
  return [...names];
}

describe('configuration', () => {
  const production = {
    NODE_ENV: 'production',
    ADMIN_SECRET: 'k3yboard-cat-9f27d1',
    JWT_SECRET: 'an-0ther-long-one-55aa-and-twelve-bytes-more',
  };

  it('has a default for everything but secrets', () => {
    const config = readConfig({});
    assert.equal(config.port, 3000);
    assert.equal(config.indexPrefix, 'catalog');
    assert.equal(config.publicUrl, 'http://localhost:3000');
    assert.deepEqual(config.elasticsearch, { nodes: ['http://localhost:9200'], auth: null, caFile: null });
    assert.isNull(config.adminSecret);
    assert.isFalse(config.trustProxy);
  });

  it('is documented completely', () => {
    const readme = readFileSync('docs/configuration.md', 'utf8');
    const told = new Set([...readme.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name));
    for (const name of variablesRead())
      assert.isTrue(told.has(name), `docs/configuration.md knows nothing of ${name}`);
  });

  it('ignores files with secrets in git', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ignored-'));
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    try {
      git('init', '--quiet');
      cpSync('.gitignore', path.join(folder, '.gitignore'));
      const files = ['.env', 'feeds/shop.ndjson', 'secrets/admin_secret'];
      assert.deepEqual(
        git('check-ignore', ...files)
          .trim()
          .split('\n'),
        files,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads secrets from files too, and reports unreadable files without their contents', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
    const file = (name: string, content: string) => {
      const made = path.join(folder, name);
      writeFileSync(made, content);
      return made;
    };
    try {
      const config = readConfig({
        NODE_ENV: 'production',
        ELASTICSEARCH_USERNAME: 'api',
        REDIS_URL: 'redis://redis:6379',
        ADMIN_SECRET_FILE: file('admin', `${production.ADMIN_SECRET}\n`),
        JWT_SECRET_FILE: file('jwt', production.JWT_SECRET),
        ELASTICSEARCH_PASSWORD_FILE: file('engine', 'of the engine\r\n'),
        REDIS_PASSWORD_FILE: file('redis', 'p@ss/w:rd%'),
      });
      assert.include(config, { adminSecret: production.ADMIN_SECRET });
      assert.deepEqual(config.jwtSecrets, [production.JWT_SECRET]);
      assert.deepEqual(config.elasticsearch.auth, { username: 'api', password: 'of the engine' });
      assert.equal(decodeURIComponent(new URL(config.redisUrl).password), 'p@ss/w:rd%');
      const url = file('url', 'redis://:other@elsewhere:6379');
      assert.equal(readConfig({ REDIS_URL_FILE: url }).redisUrl, 'redis://:other@elsewhere:6379');

      const admin = file('admin', production.ADMIN_SECRET);
      const refused: [NodeJS.ProcessEnv, RegExp][] = [
        [{ ...production, ADMIN_SECRET_FILE: admin }, /ADMIN_SECRET and ADMIN_SECRET_FILE are both set/],
        [
          { JWT_SECRET_FILE: path.join(folder, 'none') },
          /JWT_SECRET_FILE names .*none, which cannot be read \(ENOENT\)/,
        ],
        [{ JWT_SECRET_FILE: file('empty', '\n') }, /JWT_SECRET_FILE names .*empty, which is empty/],
        [{ REDIS_URL_FILE: url, REDIS_PASSWORD: 'another' }, /REDIS_PASSWORD must not be set/],
      ];
      for (const [env, message] of refused)
        expect(() => readConfig(env))
          .to.throw(ConfigError, message)
          .and.satisfy((error: Error) => !/k3yboard|another/.test(error.message));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('serves Prometheus on the address of this machine in a network', () => {
    assert.equal(metricsAddress('0.0.0.0'), '0.0.0.0');
    assert.equal(metricsAddress('127.0.0.0/8'), '127.0.0.1');
    expect(() => metricsAddress('192.0.2.0/24', {})).to.throw(ConfigError, 'METRICS_HOST is 192.0.2.0/24');
    expect(() => readConfig({ METRICS_PORT: '0', METRICS_HOST: '10.0.0.0/99' })).to.throw(
      ConfigError,
      'METRICS_HOST',
    );
  });

  it('treats blank variables as absent and removes trailing slashes from URLs', () => {
    const config = readConfig({ PORT: ' ', ELASTICSEARCH_URL: 'http://a:9200/, https://b:9200' });
    assert.equal(config.port, 3000);
    assert.deepEqual(config.elasticsearch.nodes, ['http://a:9200', 'https://b:9200']);
  });

  const wrong: Record<string, string> = {
    PORT: '70000',
    METRICS_PORT: 'nine',
    EVENTS: 'maybe',
    EVENTS_RETENTION: '30',
    EVENTS_MAX_SIZE: '4',
    PUBLIC_URL: 'shop.example',
    ELASTICSEARCH_URL: 'localhost:9200',
    REDIS_URL: 'http://localhost:6379',
    INDEX_PREFIX: 'Catalog*',
    INDEX_SHARDS: '0',
    INDEX_REPLICAS: 'two',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'everyone',
    CORS_ORIGINS: 'shop.example',
    SHUTDOWN_DELAY_MS: '-1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'a token',
    OTEL_TRACES_SAMPLER_ARG: '1.5',
    AFFILIATE_URLS: '{"shopee_sg":"javascript:x"}',
    ELASTICSEARCH_PASSWORD: 'alone',
    REDIS_DEADLINE_MS: '10',
    PUBLIC_READ: 'yes',
    UCP_PROFILES: 'on',
    OAUTH_REDIRECT_SCHEMES: 'cursor://',
    OAUTH_ISSUER: 'http://catalogue.example',
    DOCUMENT_ALLOWED_HOSTS: 'http://x',
    PUBLIC_READ_LIMIT: '0',
    REDIS_SENTINELS: 'sentinel-1:x',
  };
  for (const [name, value] of Object.entries(wrong)) {
    it(`refuses ${name}=${value} and names the variable`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(
        ConfigError,
        name === 'ELASTICSEARCH_PASSWORD' ? 'ELASTICSEARCH_USERNAME' : name,
      );
    });
  }

  it('accepts the issuer of OAuth only if it is the origin of the public URL', () => {
    const read = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL, OAUTH_ISSUER: 'https://shop.example' });
    assert.equal(read('https://shop.example').oauthIssuer, 'https://shop.example');
    assert.equal(read('https://shop.example/catalogue').oauthIssuer, 'https://shop.example');
    for (const other of ['https://api.shop.example', 'http://shop.example', 'https://shop.example:8443'])
      expect(() => read(other)).to.throw(ConfigError, 'OAUTH_ISSUER must be the origin of PUBLIC_URL');
  });

  it('reads the markets whose words are read, and English always', () => {
    const marketsOf = (MARKETS: string) => readConfig({ MARKETS }).markets;
    assert.includeMembers([...marketsOf('')], ['en', 'de', 'others']);
    assert.deepEqual(marketsOf('de, ms'), ['en', 'de', 'ms']);
    assert.throws(() => marketsOf('de,xx'), /MARKETS must list some of .*, not "xx"/);
  });

  it('reports all invalid values at once, each on one line and once', () => {
    const wrongs = { PORT: 'x', METRICS_PORT: 'y', LOG_LEVEL: 'loud', EVENTS_RETENTION: 'long' };
    try {
      readConfig({ ...wrongs, NODE_ENV: 'production' });
      assert.fail('nothing was wrong');
    } catch (error) {
      assert.instanceOf(error, ConfigError);
      const lines = (error as Error).message.split('\n').map((line) => /^\w+/.exec(line)?.[0]);
      assert.sameMembers(lines, [...Object.keys(wrongs), 'ADMIN_SECRET', 'JWT_SECRET']);
    }
  });

  it('requires secrets in production that are not samples, and never prints one', () => {
    assert.equal(readConfig(production).environment, 'production');
    for (const name of ['ADMIN_SECRET', 'JWT_SECRET']) {
      for (const value of ['', 'changeme', 'change-me-please-now', 'short-0ne']) {
        expect(() => readConfig({ ...production, [name]: value }))
          .to.throw(ConfigError, name)
          .and.satisfy((error: Error) => value === '' || !error.message.includes(value));
      }
    }
  });

  it('requires a signing secret of 32 bytes and several characters that differs from the admin secret', () => {
    const previous = { ...production, JWT_SECRET_PREVIOUS: 'the-0ne-before-with-thirty-two-bytes' };
    assert.deepEqual(readConfig(production).jwtSecrets, [production.JWT_SECRET]);
    assert.deepEqual(readConfig({ ...production, JWT_SECRET_PREVIOUS: ' ' }).jwtSecrets.length, 1);
    assert.deepEqual(readConfig(previous).jwtSecrets, [production.JWT_SECRET, previous.JWT_SECRET_PREVIOUS]);
    assert.equal(readConfig({ ...production, JWT_SECRET: 'é'.repeat(15) + 'ab' }).jwtSecrets[0].length, 17);
    const admin = 'f4r-longer-than-thirty-two-bytes-it-is';
    for (const name of ['JWT_SECRET', 'JWT_SECRET_PREVIOUS']) {
      for (const value of ['0123456789abcdef0123456789abcde', 'é'.repeat(15) + 'a', 'x'.repeat(64), admin]) {
        expect(() => readConfig({ ...previous, ADMIN_SECRET: admin, [name]: value }))
          .to.throw(ConfigError, new RegExp(`^${name} `))
          .and.satisfy((error: Error) => !error.message.includes(value));
      }
    }
    expect(() => readConfig({ ...production, ADMIN_SECRET: 'x'.repeat(40) })).to.throw(
      ConfigError,
      'ADMIN_SECRET',
    );
    assert.deepEqual(readConfig({ JWT_SECRET: 'short' }).jwtSecrets, ['short']);
  });

  it('reads the addresses of Sentinels, with the default port 26379', () => {
    const { redisSentinels } = readConfig({
      REDIS_SENTINELS: 'a:1, b,[::1]:2',
      REDIS_SENTINEL_PASSWORD: 'p',
    });
    assert.deepEqual(redisSentinels, {
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
        { host: '::1', port: 2 },
      ],
      name: 'mymaster',
      password: 'p',
    });
    expect(() => readConfig({ REDIS_SENTINEL_NAME: 'x' })).to.throw(ConfigError, 'REDIS_SENTINELS');
  });

  it('warns if any client can state its own address', () => {
    const of = (env: NodeJS.ProcessEnv) => warnings(readConfig(env));
    assert.match(of({ TRUST_PROXY: '1', HOST: '0.0.0.0' }).join(), /TRUST_PROXY=1 .*HOST=0\.0\.0\.0/);
    assert.lengthOf(of({ ...production, TRUST_PROXY: '2' }), 1);
    for (const HOST of ['127.0.0.1', 'localhost', '::1']) assert.isEmpty(of({ TRUST_PROXY: '1', HOST }));
    assert.isEmpty(of({ TRUST_PROXY: '10.0.0.0/8', HOST: '0.0.0.0' }));
    assert.isEmpty(of({ HOST: '0.0.0.0' }));
  });

  it('records events by default in production, and elsewhere if configured', () => {
    assert.isNull(readConfig({}).events);
    assert.deepEqual(readConfig(production).events, { retentionDays: 30, maxBytes: 4 * 2 ** 30 });
    assert.deepEqual(readConfig({ EVENTS: 'on', EVENTS_RETENTION: '7d', EVENTS_MAX_SIZE: '500mb' }).events, {
      retentionDays: 7,
      maxBytes: 500 * 2 ** 20,
    });
    assert.isNull(readConfig({ ...production, EVENTS: 'off' }).events);
  });

  it('serves metrics on loopback if they have a port', () => {
    assert.isNull(readConfig({ METRICS_HOST: '0.0.0.0' }).metrics);
    assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464 });
    const { metrics } = readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' });
    assert.deepEqual(metrics, { host: '0.0.0.0', port: 9464 });
  });

  it('sends spans only if there is a collector', () => {
    assert.isNull(readConfig({ OTEL_TRACES_SAMPLER_ARG: '0.1' }).traces);
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318/';
    const plain = { url: 'http://collector.example:4318/v1/traces', headers: {}, ratio: 1 };
    assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces, plain);
    const { traces } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-team = shop',
    });
    assert.deepEqual(traces, {
      url: 'http://collector.example:4318/v1/traces',
      ratio: 0.25,
      headers: { authorization: 'Bearer x', 'x-team': 'shop' },
    });
  });

  it('reads proxies as a number or as addresses', () => {
    assert.equal(readConfig({ TRUST_PROXY: '2' }).trustProxy, 2);
    assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy, ['10.0.0.0/8', '::1']);
  });
});
