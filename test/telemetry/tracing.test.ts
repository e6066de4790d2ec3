import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { trace } from '@opentelemetry/api';
import { assert } from 'chai';
import { createElasticsearch } from '../../src/engine/client.js';
import { traceOf } from '../../src/telemetry/trace-context.js';
import { type Service } from '../../src/wiring.js';
import { patientConfig } from '../support/patience.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { attributesOf, type SpanReceiver, startSpanReceiver } from './span-receiver.js';
import { startTracedService } from './traced-service.js';
import { program } from '../support/program.js';

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = (flags: string) => `00-${PARENT.traceId}-${PARENT.spanId}-${flags}`;

describe('the sampling of requests for tracing', () => {
  it('follows the decision of the client that began the trace', () => {
    const kept = traceOf(traceparent('01'), 'r', 0);
    assert.deepInclude(kept, { traceId: PARENT.traceId, parentId: PARENT.spanId, isSampled: true });
    assert.match(kept.spanId, /^[0-9a-f]{16}$/);
    assert.isFalse(traceOf(traceparent('00'), 'r', 1).isSampled);
  });

  it('selects a share of the requests whose trace begins here', () => {
    assert.deepInclude(traceOf(undefined, 'r', 0), { parentId: null, isSampled: false });
    for (const header of [undefined, 'no traceparent'])
      assert.deepInclude(traceOf(header, 'r', 1), { parentId: null, isSampled: true });
    const kept = Array.from({ length: 2_000 }, (_, i) => traceOf(undefined, `r-${i}`, 0.25)).filter(
      ({ isSampled }) => isSampled,
    );
    assert.isAbove(kept.length, 300);
    assert.isBelow(kept.length, 700);
  });

  it('derives the trace id from the request id', () => {
    const { traceId, spanId } = traceOf(undefined, 'r-1', 0);
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.equal(traceOf('no traceparent', 'r-1', 1).traceId, traceId);
    assert.notEqual(traceOf(undefined, 'r-1', 0).spanId, spanId);
    assert.notEqual(traceOf(undefined, 'r-2', 0).traceId, traceId);
  });
});

/**
 * These tests were seen to fail when the packages of OpenTelemetry were imported at the beginning of the
 * file.
 */
describe('the packages of OpenTelemetry', function () {
  /** Returns the output of a service that cannot load the packages, until it listens or has ended. */
  async function said(env: NodeJS.ProcessEnv): Promise<string> {
    const hook = './test/telemetry/without-opentelemetry.mjs';
    const server = spawn(process.execPath, ['--import', hook, ...program('src/main.ts')], {
      env: { ...process.env, LOG_LEVEL: 'info', PORT: '0', INDEX_PREFIX: `${indexPrefix}-untraced`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(server, 'close');
    let text = '';
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('listening on')) server.kill();
      });
    await closed;
    return text;
  }

  it('are loaded only if a collector is configured', async () => {
    assert.include(await said({}), 'listening on');
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';
    assert.match(await said({ OTEL_EXPORTER_OTLP_ENDPOINT }), /@opentelemetry\/\S+ is not to be loaded/);
  });

  it('that the Elasticsearch client depends on create no spans', async () => {
    const tracer = trace.getTracerProvider();
    const asked: string[] = [];
    trace.disable();
    trace.setGlobalTracerProvider({
      getTracer: (name) => {
        const of = tracer.getTracer(name);
        return {
          startSpan: of.startSpan.bind(of),
          startActiveSpan: (span: string, ...rest: unknown[]) => {
            asked.push(span);
            return (of.startActiveSpan as (...all: unknown[]) => never)(span, ...rest);
          },
        };
      },
    });
    const { elasticsearch } = patientConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
    const es = createElasticsearch(elasticsearch);
    await es.info();
    await es.close();
    trace.disable();
    assert.isEmpty(asked);
  });
});

/**
 * These tests were seen to fail when the times of spans were those of sending them, and when spans of waiting
 * times were missing.
 */
describe('spans by OTLP', function () {
  const prefix = `${indexPrefix}-traced-${randomBytes(3).toString('hex')}`;
  let receiver: SpanReceiver;
  let traced: Awaited<ReturnType<typeof startTracedService>>;
  let service: Service;
  let key: string;

  before(async () => {
    receiver = await startSpanReceiver();
    traced = await startTracedService(prefix, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    });
    service = traced.service;
    key = traced.key.rawKey;
  });
  after(async () => {
    receiver.close();
    await traced.removeIndices();
  });

  it('describe the request and, within it, its dependencies, in the trace of the client', async () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const headers = { authorization: `Bearer ${key}`, traceparent: traceparent('01') };
    const { status } = await fetch(`${service.url}/v1/search?q=a+secret+wish`, { headers });
    assert.equal(status, 200);
    await until(() => receiver.spans().some(({ name }) => name === 'GET /v1/search'));
    const after = BigInt(Date.now() + 1) * 1_000_000n;
    const request = receiver.spans().find(({ name }) => name === 'GET /v1/search');
    assert.deepInclude(request, { traceId: PARENT.traceId, parentSpanId: PARENT.spanId, kind: 2 });
    const { 'url.path': path, 'http.route': route, ...more } = attributesOf(request);
    assert.deepEqual([path, route], ['/v1/search', '/v1/search']);
    assert.equal(Number(more['http.response.status_code']), 200);
    assert.equal(more['catalog.key.tier'], 'free');
    const waits = receiver.spans().filter(({ parentSpanId }) => parentSpanId === request.spanId);
    assert.includeMembers(
      waits.map(({ name }) => name),
      ['elasticsearch search', 'redis guard'],
    );
    const inOrder = (...times: (string | bigint)[]) => {
      times.reduce((earlier, later) => {
        assert.isTrue(BigInt(earlier) <= BigInt(later), times.join(' '));
        return later;
      });
    };
    for (const wait of waits) {
      assert.deepInclude(wait, { traceId: PARENT.traceId, kind: 3 });
      inOrder(
        ...[before - 1_000_000n, request.startTimeUnixNano, wait.startTimeUnixNano],
        ...[wait.endTimeUnixNano, request.endTimeUnixNano, after],
      );
    }
    assert.notInclude(JSON.stringify(receiver.received), 'wish');
    assert.notInclude(JSON.stringify(receiver.spans()), key);
  });

  it('name this service, and are sent with the headers of the collector', () => {
    const [{ path, headers, body } = { path: '', headers: {}, body: null }] = receiver.received;
    assert.equal(path, '/v1/traces');
    assert.equal(headers['authorization'], 'Bearer of-the-collector');
    const resource = attributesOf(body.resourceSpans[0].resource);
    assert.equal(resource['service.name'], 'product-catalogue');
  });

  it('exclude probes and unsampled traces', async () => {
    const had = receiver.spans().length;
    await fetch(`${service.url}/livez`);
    await fetch(`${service.url}/v1`, { headers: { traceparent: traceparent('00') } });
    await fetch(`${service.url}/unknown`);
    await until(() => receiver.spans().length > had);
    const names = receiver
      .spans()
      .slice(had)
      .map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => name.startsWith('GET')),
      ['GET unknown'],
    );
  });

  it('neither delay responses nor the stop of the service while the collector is unavailable', async () => {
    receiver.answer(503);
    for (let i = 0; i < 20; i += 1) assert.equal((await fetch(`${service.url}/unknown`)).status, 404);
    await service.stop();
  });
});
