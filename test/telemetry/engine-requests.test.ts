import diagnostics from 'node:diagnostics_channel';
import { Writable } from 'node:stream';
import { assert } from 'chai';
import { listingReader } from '../../src/engine/documents.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { requestLog } from '../../src/telemetry/request-event.js';
import type { Observer, RequestRecord } from '../../src/telemetry/request-record.js';
import { timedClient, timedReads } from '../../src/telemetry/dependency-timings.js';
import { traceOf, traceparentOf } from '../../src/telemetry/trace-context.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

/** The headers of a request that undici sends, by their names in lower case. */
type Headers = Record<string, string>;

/** Admits every request to Elasticsearch at once. */
const admit = () => Promise.resolve(() => undefined);

describe('requests to Elasticsearch for an HTTP request', () => {
  const api = useApi([
    record({ sku: 'a', name: 'Auralis kettle' }),
    record({ sku: 'b', name: 'Lumo kettle' }),
  ]);
  let sent: { path: string; headers: Headers }[] = [];
  const listen = (message: unknown) => {
    const { request } = message as { request: { origin: unknown; path: string; headers: string[] } };
    if (String(request.origin) !== new URL(elasticsearchUrl).origin) return;
    const pairs = request.headers.flatMap((name, i) =>
      i % 2 === 0 ? [[name.toLowerCase(), request.headers[i + 1] ?? '']] : [],
    );
    sent.push({ path: request.path, headers: Object.fromEntries(pairs) as Headers });
  };
  before(() => diagnostics.subscribe('undici:request:create', listen));
  after(() => void diagnostics.unsubscribe('undici:request:create', listen));
  beforeEach(() => {
    sent = [];
  });

  /** The requests that name the trace of a request id. */
  const ofTrace = (requestId: string) => {
    const { traceId } = traceOf(undefined, requestId, 0);
    return sent.filter(({ headers }) => headers['traceparent']?.includes(traceId));
  };

  /** This test was seen to fail when the requests of the service stated no origin. */
  it('name its trace, and its route as X-Opaque-Id', async () => {
    const id = await api.id('a');
    const cases = [
      ['/v1/search?q=kettle', '/v1/search'],
      ['/v1/search?q=lumo', '/v1/search'],
      [`/v1/products/${id}`, '/v1/products/{product_id}'],
      [`/v1/products/${id}/similar`, '/v1/products/{product_id}/similar'],
      ['/v1/products/export?format=ndjson', '/v1/products/export'],
    ];
    for (const [i, [path = '', route]] of cases.entries()) {
      const reply = await api.get(path, { headers: { 'x-request-id': `engine-${i}` } });
      assert.equal(reply.status, 200, reply.text);
      const own = ofTrace(`engine-${i}`);
      assert.isNotEmpty(own, path);
      for (const { headers } of own) assert.equal(headers['x-opaque-id'], route);
    }
    const stated = traceOf(`00-${'ab'.repeat(16)}-00f067aa0ba902b7-01`, 'r', 0);
    await api.get('/v1/search?q=auralis', { headers: { traceparent: traceparentOf(stated) } });
    const [continued] = sent.filter(({ headers }) => headers['traceparent']?.includes(stated.traceId));
    assert.match(continued?.headers['traceparent'] ?? '', /-01$/);
    assert.notInclude(continued?.headers['traceparent'], stated.spanId);
  });

  it('name it for uploads of listings too', async () => {
    const writer = await api.post('/v1/keys', {
      developer_id: 'shop',
      name: 'shop',
      tier: 'standard',
      scopes: ['write:shop_b'],
      admin_secret: ADMIN_SECRET,
    });
    const headers = { authorization: `Bearer ${writer.body.raw_key}`, 'x-request-id': 'upload-1' };
    const listing = { ...record({ sku: 'c', name: 'Vento kettle' }), source: 'shop_b' };
    const reply = await api.post('/v1/listings', [listing], { headers });
    assert.equal(reply.status, 200, reply.text);
    const paths = ofTrace('upload-1').map(({ path }) => path);
    assert.isTrue(
      paths.some((path) => path.includes('_bulk')),
      paths.join(),
    );
  });

  it('reach Elasticsearch, whose tasks and logs then name it', async () => {
    const trace = traceOf(undefined, 'task-1', 0);
    const origin = { opaqueId: '/v1/search', headers: { traceparent: traceparentOf(trace) } };
    const es = timedClient(api.es, { timings: { engine: 0, redis: 0 }, admit, origin });
    const action = 'cluster:monitor/tasks/lists';
    const { nodes = {} } = await es.tasks.list({ actions: action, detailed: true });
    const headers = Object.values(nodes)
      .flatMap(({ tasks }) => Object.values(tasks))
      .map((task) => task.headers);
    assert.deepInclude(headers, { 'X-Opaque-Id': '/v1/search', 'trace.id': trace.traceId });
  });

  it('name the first request of a batch of reads', async () => {
    const ids = await Promise.all(['a', 'b'].map((sku) => api.id(sku)));
    const read = listingReader(api.es, api.products);
    sent = [];
    await Promise.all(
      ids.map((id, i) => {
        const headers = { traceparent: traceparentOf(traceOf(undefined, `batch-${i}`, 0)) };
        const origin = { opaqueId: `/v1/route/${i}`, headers };
        return timedReads(read, { timings: { engine: 0, redis: 0 }, admit, origin })(id);
      }),
    );
    assert.lengthOf(ofTrace('batch-0'), 1);
    assert.equal(ofTrace('batch-0')[0]?.headers['x-opaque-id'], '/v1/route/0');
    assert.isEmpty(ofTrace('batch-1'));
  });
});

describe('the log line of a request', () => {
  it('has its route, its trace and how long it waited for Elasticsearch and Redis', () => {
    let line = '';
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        line += chunk.toString();
        done();
      },
    });
    const logger = createLogger({ environment: 'production', logLevel: 'info' }, (text) => text, stream);
    const log: Observer = requestLog(logger, { redact: (text) => text, sample: 1, secret: 's' });
    const trace = traceOf(undefined, 'r-1', 0);
    const finished: RequestRecord = {
      at: new Date(),
      requestId: 'r-1',
      trace,
      method: 'GET',
      path: '/v1/products/7',
      route: '/v1/products/{product_id}',
      endpoint: null,
      status: 200,
      aborted: false,
      duration: 12.5,
      timings: { engine: 7.5, redis: 0.25 },
      bytes: null,
      userAgent: null,
      key: null,
      event: undefined,
    };
    log.ended(finished);
    const logged = JSON.parse(line) as Record<string, any>;
    assert.deepEqual(logged['event'], { dataset: 'catalog.requests', duration: 12_500_000 });
    assert.deepEqual(logged['trace'], { id: trace.traceId });
    assert.deepEqual(logged['catalog'], {
      route: '/v1/products/{product_id}',
      engine: { duration: 7_500_000 },
      redis: { duration: 250_000 },
    });
  });
});
