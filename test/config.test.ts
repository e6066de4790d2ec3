import { assert, expect } from 'chai';
import { ConfigError, readConfig } from '../src/config.js';

describe('configuration', () => {
  const production = {
    NODE_ENV: 'production',
    ADMIN_SECRET: 'k3yboard-cat-9f27d1',
    JWT_SECRET: 'an-0ther-long-one-55aa',
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

  it('treats blank variables as absent and takes slashes off URLs', () => {
    const config = readConfig({ PORT: ' ', ELASTICSEARCH_URL: 'http://a:9200/, https://b:9200' });
    assert.equal(config.port, 3000);
    assert.deepEqual(config.elasticsearch.nodes, ['http://a:9200', 'https://b:9200']);
  });

  const wrong: Record<string, string> = {
    PORT: '70000',
    METRICS_PORT: 'nine',
    EVENTS: 'maybe',
    EVENTS_RETENTION: '30',
    PUBLIC_URL: 'shop.example',
    ELASTICSEARCH_URL: 'localhost:9200',
    REDIS_URL: 'http://localhost:6379',
    INDEX_PREFIX: 'Catalog*',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'everyone',
    CORS_ORIGINS: 'shop.example',
    SHUTDOWN_DELAY_MS: '-1',
    AFFILIATE_URLS: '{"shopee_sg":"javascript:x"}',
    ELASTICSEARCH_PASSWORD: 'alone',
  };
  for (const [name, value] of Object.entries(wrong)) {
    it(`refuses ${name}=${value} and names the variable`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(
        ConfigError,
        name === 'ELASTICSEARCH_PASSWORD' ? 'ELASTICSEARCH_USERNAME' : name,
      );
    });
  }

  it('wants secrets of its own in production, and never prints one', () => {
    assert.equal(readConfig(production).environment, 'production');
    for (const name of ['ADMIN_SECRET', 'JWT_SECRET']) {
      for (const value of ['', 'changeme', 'change-me-please-now', 'short-0ne']) {
        expect(() => readConfig({ ...production, [name]: value }))
          .to.throw(ConfigError, name)
          .and.satisfy((error: Error) => value === '' || !error.message.includes(value));
      }
    }
  });

  it('writes events in production unless told otherwise, and elsewhere if told so', () => {
    assert.isNull(readConfig({}).events);
    assert.deepEqual(readConfig(production).events, { retentionDays: 30 });
    assert.deepEqual(readConfig({ EVENTS: 'on', EVENTS_RETENTION: '7d' }).events, { retentionDays: 7 });
    assert.isNull(readConfig({ ...production, EVENTS: 'off' }).events);
  });

  it('has metrics on loopback where they have a port', () => {
    assert.isNull(readConfig({ METRICS_HOST: '0.0.0.0' }).metrics);
    assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464 });
    const { metrics } = readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' });
    assert.deepEqual(metrics, { host: '0.0.0.0', port: 9464 });
  });

  it('reads proxies as a number or as addresses', () => {
    assert.equal(readConfig({ TRUST_PROXY: '2' }).trustProxy, 2);
    assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy, ['10.0.0.0/8', '::1']);
  });
});
