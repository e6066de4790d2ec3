// Chaos only (builds, 5 min): it builds a collector of Go modules.
import { randomBytes } from 'node:crypto';
import { assert } from 'chai';
import { SERVICE_VERSION } from '../../src/platform/version.js';
import type { Program } from '../../tools/local-services/index.js';
import { goIsInstalled } from '../support/go-program.js';
import { indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { startCollector } from './collector.js';
import { attributesOf, type SpanReceiver, startSpanReceiver } from './span-receiver.js';
import { startTracedService } from './traced-service.js';

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
    let tracedService: Awaited<ReturnType<typeof startTracedService>>;

    before(async function () {
      // The time limit includes building the collector, if this machine has not built it before.
      this.timeout(900_000);
      receiver = await startSpanReceiver();
      collector = await startCollector(receiver.url);
      tracedService = await startTracedService(prefix, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    });
    after(async () => {
      await tracedService.service.stop();
      await collector.stop();
      receiver.close();
      await tracedService.removeIndices();
    });

    const traced = async (path: string, traceId: string, parent: string) => {
      const headers = {
        authorization: `Bearer ${tracedService.key.rawKey}`,
        traceparent: `00-${traceId}-${parent}-01`,
        'x-request-id': `of-${parent}`,
      };
      const { status } = await fetch(`${tracedService.service.url}${path}`, { headers });
      const ofTrace = () => receiver.spans().filter((span) => span.traceId === traceId);
      await until(() => ofTrace().some(({ kind }) => kind === SERVER));
      const request = ofTrace().filter(({ kind }) => kind === SERVER);
      const waits = ofTrace().filter(({ kind }) => kind === CLIENT);
      assert.lengthOf(request, 1);
      assert.lengthOf(ofTrace(), 1 + waits.length, 'a request and its waits, nothing else');
      return { status, request: request[0], waits };
    };

    it('form a tree below the span of the client', async () => {
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
        'catalog.key.id': tracedService.key.record.id,
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

    it('include requests that find nothing, with one root span for each request', async () => {
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

    it('name the service that they come from', () => {
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
