import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { RequestHandler } from 'express';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import type { Tier } from '../../src/platform/access/tiers.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { redactor } from '../../src/telemetry/redact.js';
import { startService } from '../../src/wiring.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { PATIENT_REDIS, patientConfig } from './patience.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from './services.js';
import { until } from './until.js';

export const ADMIN_SECRET = 'the-secret-of-these-tests';

/** A response with its parsed JSON body; `undefined` if it has none. */
export interface Reply {
  status: number;
  headers: Headers;
  body: any;
  text: string;
}

/**
 * The service, running in this process on a free port with a real Elasticsearch and Redis, and with indices
 * and Redis keys of its own.
 */
export interface Api {
  url: string;
  /** The address of the metrics, if METRICS_PORT is set. */
  metricsUrl: string | null;
  prefix: string;
  /** The alias of the product index. */
  products: string;
  es: Client;
  /** Creates an API key, and returns the raw key. */
  key(tier?: Tier, developerId?: string): Promise<string>;
  /** Loads feed records as `npm run ingest` does, and makes the listings searchable. */
  load(records: readonly unknown[]): Promise<void>;
  /** Sends a request without an API key, unless the headers contain one. */
  open(path: string, init?: RequestInit): Promise<Reply>;
  /** Sends a request with a premium key, unless the headers contain another one. */
  get(path: string, init?: RequestInit): Promise<Reply>;
  post(path: string, body: unknown, init?: RequestInit): Promise<Reply>;
  /** Returns the body of the answer to GET, and fails unless the status is 200. */
  ok(path: string): Promise<any>;
  /** Returns the id of a listing by its SKU. */
  id(sku: string): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the service in this process.
 * @param env environment variables besides those of Elasticsearch and Redis.
 * @param routes routes besides the endpoints.
 * @param readEnv reads the configuration: `readConfig` for a test that is about the deadlines of Elasticsearch.
 */
export async function startApi(
  env: NodeJS.ProcessEnv = {},
  routes: readonly RequestHandler[] = [],
  readEnv = patientConfig,
): Promise<Api> {
  const prefix = `${indexPrefix}-${randomBytes(3).toString('hex')}`;
  const config = readEnv({
    PORT: '0',
    ELASTICSEARCH_URL: elasticsearchUrl,
    REDIS_URL: redisUrl,
    INDEX_PREFIX: prefix,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
    ADMIN_SECRET,
    PUBLIC_URL: 'http://catalogue.example',
    ...PATIENT_REDIS,
    ...env,
  });
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  await ensureCatalogue(es, prefix);
  const service = await startService(config, createLogger(config, redactor(config)), routes);
  // On a busy machine, the first probe of an engine may exceed its deadline, so that the service is ready only after a later one.
  await until(() => service.ready);
  const products = productsAlias(prefix);

  const request = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(`${service.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  // Keys are created directly in Redis, because requests for keys are counted by the client address, which
  // all tests share.
  const redis = createRedis(config.redisUrl);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  const key = async (tier: Tier = 'premium', developerId = 'tests') => {
    const { rawKey } = await keys.create(
      { developerId, name: 'tests', tier, environment: 'test' },
      new Date(),
    );
    return rawKey;
  };
  const authorization = `Bearer ${await key()}`;
  const withKey = (init: RequestInit): RequestInit => ({
    ...init,
    headers: { authorization, ...init.headers },
  });
  const get = (path: string, init: RequestInit = {}) => request(path, withKey(init));

  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    prefix,
    products,
    es,
    key,
    open: request,
    get,
    post: (path, body, init = {}) =>
      request(
        path,
        withKey({ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...init }),
      ),
    async ok(path) {
      const { status, body, text } = await get(path);
      assert.equal(status, 200, `${path}: ${text}`);
      return body;
    },
    async load(records) {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      const summary = await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
      if (summary.rejected > 0) throw new Error(`records were rejected: ${JSON.stringify(summary)}`);
      await es.indices.refresh({ index: products });
    },
    async id(sku) {
      const found = await es.search<{ id: number }>({
        index: products,
        query: { term: { sku } },
        _source: ['id'],
      });
      const id = found.hits.hits[0]?._source?.id;
      if (id === undefined) throw new Error(`no listing with sku ${sku}`);
      return id;
    },
    async stop() {
      await service.stop();
      redis.disconnect();
      await removeElasticsearchTraces(es, prefix);
      await es.close();
    },
  };
}

/**
 * Starts the service before the tests of the surrounding `describe`, loads the records and stops it after the
 * tests. The members of the returned object exist as soon as the first hook has run.
 * @param env the environment variables of the service, or a function that starts what they refer to.
 */
export function useApi(
  records: readonly unknown[] = [],
  env: NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>) = {},
  routes: readonly RequestHandler[] = [],
): Api {
  const api = {} as Api;
  before(async () => {
    Object.assign(api, await startApi(typeof env === 'function' ? await env() : env, routes));
    if (records.length > 0) await api.load(records);
  });
  after(() => api.stop());
  return api;
}

/**
 * Defines a test for each query string: the response must be a 422 with one error of the given type at the
 * parameter.
 */
export function itRefuses(
  api: Api,
  path: string,
  cases: Record<string, [parameter: string, type: string]>,
): void {
  for (const [query, [parameter, type]] of Object.entries(cases))
    it(`answers 422 to ${query.slice(0, 40)}`, async () => {
      const { status, body, text } = await api.get(`${path}?${query}`);
      assert.equal(status, 422, text);
      assert.lengthOf(body.detail, 1, text);
      assert.deepEqual(body.detail[0].loc.slice(0, 2), ['query', parameter]);
      assert.equal(body.detail[0].type, type);
      assert.isString(body.detail[0].msg);
    });
}
