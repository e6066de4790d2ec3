// Chaos only (builds, 5 min): it builds a collector of Go modules.
import { randomBytes } from 'node:crypto';
import { assert } from 'chai';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import type { KeyRecord } from '../../src/platform/access/key.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { type Service, startService } from '../../src/wiring.js';
import { SERVICE_VERSION } from '../../src/platform/version.js';
import type { Program } from '../../tools/local-services/index.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { connected } from '../platform/access/small-app.js';
import { goIsInstalled } from '../support/go-program.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { startCollector } from './collector.js';
import { attributesOf, type SpanReceiver, startSpanReceiver } from './span-receiver.js';

/** The numbers of these span kinds in OpenTelemetry. */
const SERVER = 2;
const CLIENT = 3;

// The tests need Go, with which the collector is built. In CI they always run, and fail if Go is missing.
if (goIsInstalled || process.env['CI']) {
  /**
   * These tests were seen to fail with span ids of seven bytes, which the collector rejects, and with spans
   * of waiting times that had no parent span.
   */
  describe('spans at a collector of OpenTelemetry', function () {
    const prefix = `${indexPrefix}-collected-${randomBytes(3).toString('hex')}`;
    let receiver: SpanReceiver;
    let collector: Program;
    let service: Service;
    let key: { record: KeyRecord; rawKey: string };

    before(async function () {
      // The time limit includes building the collector, if this machine has not built it before.
      this.timeout(900_000);
      receiver = await startSpanReceiver();
      collector = await startCollector(receiver.url);
      const config = readConfig({
        PORT: '0',
        LOG_LEVEL: 'silent',
        EVENTS: 'off',
        INDEX_PREFIX: prefix,
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      });
      service = await startService(config, createLogger(config));
      await until(async () => (await fetch(`${service.url}/readyz`)).ok);
      const redis = createRedis(redisUrl);
      await connected(redis);
      const made = { developerId: 'd', name: 'n', tier: 'free', environment: 'test' } as const;
      key = await new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix).create(
        made,
        new Date(),
      );
      redis.disconnect();
      // An Elasticsearch that has just started may be too slow for a first search.
      const headers = { authorization: `Bearer ${key.rawKey}` };
      await until(async () => (await fetch(`${service.url}/v1/search?q=first`, { headers })).ok);
    });
    after(async () => {
      await service.stop();
      await collector.stop();
      receiver.close();
      const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
      const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
      await removeElasticsearchTraces(es, prefix);
      await es.close();
    });

    const traced = async (path: string, traceId: string, parent: string) => {
      const headers = {
        authorization: `Bearer ${key.rawKey}`,
        traceparent: `00-${traceId}-${parent}-01`,
        'x-request-id': `of-${parent}`,
      };
      const { status } = await fetch(`${service.url}${path}`, { headers });
      const ofTrace = () => receiver.spans().filter((span) => span.traceId === traceId);
      await until(() => ofTrace().some(({ kind }) => kind === SERVER));
      const request = ofTrace().filter(({ kind }) => kind === SERVER);
      const waits = ofTrace().filter(({ kind }) => kind === CLIENT);
      assert.lengthOf(request, 1);
      assert.lengthOf(ofTrace(), 1 + waits.length, 'a request and its waits, nothing else');
      return { status, request: request[0], waits };
    };

    it('are a tree below the span of who asked', async () => {
      const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
      const { status, request, waits } = await traced('/v1/search?q=a+secret+wish', traceId, parent);
      assert.equal(status, 200);
      assert.deepInclude(request, { name: 'GET /v1/search', parentSpanId: parent });
      assert.deepEqual(attributesOf(request), {
        'http.request.method': 'GET',
        'http.route': '/v1/search',
        'url.path': '/v1/search',
        'http.response.status_code': '200',
        'catalog.request.id': `of-${parent}`,
        'catalog.key.id': key.record.id,
        'catalog.key.tier': 'free',
      });
      assert.includeMembers(
        waits.map(({ name }) => name),
        ['elasticsearch search', 'redis guard'],
      );
      for (const wait of waits) {
        assert.equal(wait.parentSpanId, request.spanId);
        const [system, operation] = wait.name.split(' ');
        assert.deepEqual(attributesOf(wait), { 'db.system.name': system, 'db.operation.name': operation });
        assert.isTrue(BigInt(request.startTimeUnixNano) <= BigInt(wait.startTimeUnixNano));
        assert.isTrue(BigInt(wait.endTimeUnixNano) <= BigInt(request.endTimeUnixNano));
      }
      const ids = [request, ...waits].map(({ spanId }) => spanId);
      assert.lengthOf(new Set([parent, ...ids]), 1 + ids.length);
      assert.notInclude(JSON.stringify(receiver.received), 'wish');
    });

    it('are of a request that finds nothing, too, and one of each request', async () => {
      const ids = Array.from({ length: 20 }, () => randomBytes(16).toString('hex'));
      const listing = '0'.repeat(64);
      const each = await Promise.all(
        ids.map((id) => traced(`/v1/products/${listing}`, id, randomBytes(8).toString('hex'))),
      );
      for (const { status, request, waits } of each) {
        assert.equal(status, 404);
        assert.equal(request.name, 'GET /v1/products/{product_id}');
        assert.equal(attributesOf(request)['http.response.status_code'], '404');
        assert.isEmpty(request.status, 'a mistake of the client, not of the service');
        assert.isNotEmpty(waits);
      }
    });

    it('say which service they come from', () => {
      const [{ resourceSpans } = { resourceSpans: [] }] = receiver.received.map(({ body }) => body);
      assert.deepEqual(attributesOf(resourceSpans[0].resource), {
        'service.name': 'product-catalogue',
        'service.version': SERVICE_VERSION,
        'deployment.environment.name': 'development',
      });
      assert.deepEqual(resourceSpans[0].scopeSpans[0].scope, {
        name: 'product-catalogue',
        version: SERVICE_VERSION,
      });
    });
  });
}
