import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { assert } from 'chai';
import { createLogger } from '../../src/telemetry/logger.js';
import { startService } from '../../src/wiring.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { patientConfig } from '../support/patience.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const GARBAGE = '\x01\x02 no HTTP\r\n\r\n';

describe('HTTP', function () {
  const api = useApi();
  let key: string;
  before(async () => {
    key = await api.key();
    // The response is larger than the buffers of the sockets. Metadata is not indexed, which would take seconds of CPU time.
    await api.load(
      Array.from({ length: 800 }, (_, i) =>
        record({ sku: `s${i}`, metadata: { text: ['x'.repeat(31_000)] } }),
      ),
    );
  });

  /** Opens a connection, and returns it with a function that returns what was received up to now. */
  const open = async (): Promise<[Socket, () => string]> => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return [socket, () => answer];
  };
  const head = (path: string, url = api.url) =>
    `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const openContexts = async () => {
    const { _all: all } = await api.es.indices.stats({ index: api.products, metric: 'search' });
    return all.total?.search?.open_contexts;
  };

  it('sends a 304 with the headers of the full answer', async () => {
    const whole = await api.get('/v1');
    const etag = whole.headers.get('etag') ?? '';
    const same = await api.get('/v1', { headers: { 'if-none-match': `"other", ${etag}` } });
    assert.equal(same.status, 304);
    for (const name of ['etag', 'cache-control', 'vary'])
      assert.equal(same.headers.get(name), whole.headers.get(name), name);
    assert.equal((await api.get('/v1', { headers: { 'if-none-match': 'W/"other"' } })).status, 200);
  });

  it('forbids caches to store secrets and lists of keys', async () => {
    const admin = { headers: { 'x-admin-secret': ADMIN_SECRET } };
    const answers = [await api.get('/v1/keys', admin), await api.post('/v1/token', '')];
    for (const { headers } of answers) assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('documents the responses to bodies and to If-None-Match', async () => {
    const { paths } = (await api.open('/openapi.json')).body;
    for (const path of ['/v1/products/compare', '/v1/products/compare/diff', '/v1/keys']) {
      const { responses } = paths[path].post;
      const cases: [Record<string, string>, number][] = [
        [{ 'content-encoding': 'unheard-of' }, 415],
        [{ 'content-encoding': 'gzip' }, 400],
      ];
      for (const [headers, status] of cases) {
        assert.equal(
          (
            await fetch(`${api.url}${path}`, {
              method: 'POST',
              body: '{}',
              headers: { ...headers, authorization: `Bearer ${key}` },
            })
          ).status,
          status,
        );
        assert.property(responses, String(status), path);
      }
    }
    for (const path of ['/v1/search', '/v1', '/v1/keys', '/health'])
      assert.property(paths[path].get.responses, '304');
    assert.notProperty(paths['/v1/products/export'].get.responses, '304');
  });

  it('compresses JSON from 1 kB on', async () => {
    const encodingOf = async (path: string) => {
      const { headers, text } = await api.get(path, { headers: { 'accept-encoding': 'gzip' } });
      return [Buffer.byteLength(text) >= 1_024, headers.get('content-encoding')];
    };
    assert.deepEqual(await encodingOf('/v1/search?limit=0&fields=name&limit=1'), [false, null]);
    assert.deepEqual(await encodingOf('/v1?strict=true'), [true, 'gzip']);
  });

  it('compresses every format of an export', async () => {
    for (const format of ['json', 'csv', 'ndjson']) {
      const path = `/v1/products/export?limit=5&format=${format}`;
      const reply = await api.get(path, { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(reply.headers.get('content-encoding'), 'gzip', format);
      const plain = await api.get(path, { headers: { 'accept-encoding': 'identity' } });
      assert.isNull(plain.headers.get('content-encoding'), format);
      assert.equal(plain.text, reply.text);
    }
  });

  it('gives input that is not HTTP a request id too', async () => {
    const [socket, answer] = await open();
    socket.write(GARBAGE);
    await once(socket, 'close');
    assert.match(answer(), /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer(), /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    assert.match(answer(), /\r\n\r\n\{"detail":"Bad Request"\}$/);
  });

  it('never writes an error into a response in progress', async () => {
    const [socket, answer] = await open();
    socket.write(head('/v1/products/export'));
    await once(socket, 'data');
    socket.write(GARBAGE);
    await once(socket, 'close');
    assert.match(answer(), /^HTTP\/1\.1 200 OK\r\n/);
    assert.notInclude(answer(), 'Bad Request');
    assert.isFalse(answer().endsWith('\r\n0\r\n\r\n'), 'it is not complete');
    await until(async () => (await openContexts()) === 0);
  });

  it('closes everything for clients that disconnect before the answer begins', async () => {
    for (let i = 0; i < 20; i += 1) {
      const [socket] = await open();
      socket.write(head('/v1/products/export'));
      setTimeout(() => socket.destroy(), i);
    }
    await until(async () => (await openContexts()) === 0);
    await until(async () => (await api.open('/readyz')).status === 200);
  });

  describe('when Elasticsearch goes away in the middle of an export', () => {
    let proxy: Proxy;
    before(async () => {
      proxy = await startProxy(elasticsearchUrl);
    });
    after(() => proxy.close());

    it('ends the response early and continues to serve', async () => {
      const config = patientConfig({
        PORT: '0',
        LOG_LEVEL: 'silent',
        ELASTICSEARCH_URL: proxy.url,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: api.prefix,
      });
      const printed: unknown[] = [];
      const original = console.error;
      console.error = (...args: unknown[]) => printed.push(args);
      const service = await startService(config, createLogger(config));
      try {
        const response = await fetch(`${service.url}/v1/products/export`, {
          headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'gzip' },
        });
        assert.equal(response.status, 200);
        await proxy.set('down');
        const error: unknown = await response.text().then(
          () => null,
          (reason: unknown) => reason,
        );
        assert.instanceOf(error, Error);
        await proxy.set('up');
        await until(async () => (await fetch(`${service.url}/readyz`)).status === 200);
        assert.deepEqual(printed, [], 'the log is the only place for errors');
      } finally {
        console.error = original;
        await proxy.set('up');
        await service.stop();
      }
    });
  });
});
