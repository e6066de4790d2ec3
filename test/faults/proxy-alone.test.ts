import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { UPLOAD_LIMIT_BYTES } from '../../src/http/transfer/request-body.js';
import { freePort } from '../../tools/local-services/index.js';
import { answerOf, open } from '../attack/raw-http.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';
import { haproxyIsInstalled, type Proxy, startHAProxy } from './haproxy.js';
import { nginxIsInstalled, startNginx } from './nginx.js';

const PROXIES = [
  {
    name: 'HAProxy',
    isInstalled: haproxyIsInstalled,
    startProxy: startHAProxy,
    /** The patterns of the proxy's metrics while instances are available, and without any instance. */
    metrics: [/^haproxy_backend_active_servers\{proxy="instances"\} 2$/m, /active_servers\{[^}]+\} 0$/m],
    /**
     * The status that is logged if the headers of a request arrive too slowly. nginx closes the connection
     * without a response.
     */
    lateHeaders: 408,
  },
  {
    name: 'nginx',
    isInstalled: nginxIsInstalled,
    startProxy: startNginx,
    metrics: [/^Active connections: \d+/, /^Active connections: \d+/],
    lateHeaders: 0,
  },
] as const;

/** Sends a piece of a request every 200 ms until the connection ends. */
async function dribble(url: string, head: string, piece: string) {
  const socket = open(url);
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), 200);
  try {
    return await answerOf(socket);
  } finally {
    clearInterval(timer);
  }
}

/** Asserts that the response is the error that the service itself would send. */
async function assertUnavailable(response: Response): Promise<void> {
  const { status, headers } = response;
  assert.deepEqual([status, await response.text()], [503, '{"detail":"Service temporarily unavailable"}']);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(headers.get('retry-after'), '5');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.isNotEmpty(headers.get('x-request-id'));
}

for (const { name, isInstalled, startProxy, metrics, lateHeaders } of PROXIES) {
  // The tests need a proxy that may not be installed. In CI they always run, and fail if the proxy is
  // missing.
  if (!isInstalled && !process.env['CI']) continue;
  /**
   * These tests were seen to fail with the earlier configurations, which had no log, no metrics, none of
   * these limits, and errors in HTML.
   */
  describe(`what ${name} answers by itself`, function () {
    const prefix = `${indexPrefix}-${name.toLowerCase()}`;
    let instances: ApiProcess[] = [];
    let metricsUrls: string[];
    let proxy: Proxy;
    let key: string;

    before(async () => {
      const ports = [await freePort(), await freePort()];
      metricsUrls = ports.map((port) => `http://127.0.0.1:${port}/metrics`);
      const engines = { ELASTICSEARCH_URL: elasticsearchUrl, REDIS_URL: redisUrl, INDEX_PREFIX: prefix };
      const start = (port: number) =>
        startApiProcess({ ...engines, TRUST_PROXY: '1', METRICS_PORT: String(port) });
      instances = await Promise.all(ports.map(start));
      proxy = await startProxy([instances[0]?.url ?? '', instances[1]?.url ?? '']);
      const client = createRedis(redisUrl);
      await once(client, 'ready');
      const wanted = { developerId: 'a', name: 'a', tier: 'premium', environment: 'test' } as const;
      const keys = new KeyStore(new RedisBreaker(client, { deadlineMs: 5_000 }), prefix);
      key = (await keys.create({ ...wanted, scopes: ['write:shop_a'] }, new Date())).rawKey;
      client.disconnect();
    });
    after(async () => {
      await proxy.stop();
      kill();
    });

    const kill = () => {
      for (const { pid } of instances) process.kill(pid, 'SIGKILL');
      instances = [];
    };
    const authorization = () => `Bearer ${key}`;
    /** Returns an upload of one listing whose body has a given size in bytes. */
    const upload = (bytes: number) => {
      const line = `${JSON.stringify(record({ sku: '1', source: 'shop_a' }))}\n`;
      return fetch(`${proxy.url}/v1/listings`, {
        method: 'POST',
        headers: { authorization: authorization(), 'content-type': 'application/x-ndjson' },
        body: line + '\n'.repeat(bytes - line.length),
      });
    };

    it('passes on an upload as large as the service takes, and its refusal of a larger one', async () => {
      const taken = await upload(UPLOAD_LIMIT_BYTES);
      assert.equal(taken.status, 200, await taken.text());
      const refused = await upload(UPLOAD_LIMIT_BYTES + 1);
      assert.equal(refused.status, 413);
      assert.deepEqual(await refused.json(), { detail: 'Request body too large' });
    });

    it('ends a request whose headers arrive slowly', async () => {
      const { status } = await dribble(proxy.url, 'GET /v1/search HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n');
      assert.equal(status, lateHeaders);
      await until(() => /"http\.response\.status_code":408/.test(proxy.log()));
    });

    /** Returns the head of an upload, whose body follows later. */
    const uploadHead = () =>
      [
        'POST /v1/listings HTTP/1.1',
        'Host: a',
        `Authorization: ${authorization()}`,
        'Content-Type: application/x-ndjson',
        'Content-Length: 100000',
        '\r\n',
      ].join('\r\n');

    it('passes on the 408 of a body that arrives slowly', async () => {
      const { status, body } = await dribble(proxy.url, uploadHead(), ' ');
      assert.equal(status, 408);
      assert.deepEqual(body, { detail: 'Request timeout' });
    });

    it('logs each request as JSON, with its id and without secrets', async () => {
      const headers = { authorization: authorization(), 'x-request-id': 'of-this-test' };
      await fetch(`${proxy.url}/v1/search?q=kettle&api_key=${key}`, { headers });
      await fetch(`${proxy.url}/track/1?to=kettle`);
      await fetch(`${proxy.url}/v1/keys/${key}/"odd"\\`);
      const requests = await until(() => {
        const lines = proxy.log().split('\n');
        const read = lines
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        return read.some((one) => String(one['url.path']).includes('[redacted]')) ? read : null;
      });
      const search = requests.find((one) => one['http.request.id'] === 'of-this-test');
      assert.equal(search?.['url.path'], '/v1/search');
      assert.equal(search?.['http.response.status_code'], 200);
      assert.isNumber(search?.['duration_ms']);
      assert.isTrue(requests.some((one) => one['url.path'] === '/track/1'));
      for (const secret of [key, key.slice(-20), 'kettle', 'Bearer']) assert.notInclude(proxy.log(), secret);
    });

    it('serves metrics on a separate port', async () => {
      assert.match(await (await fetch(proxy.metricsUrl)).text(), metrics[0]);
      assert.equal((await fetch(`${proxy.url}${new URL(proxy.metricsUrl).pathname}`)).status, 404);
    });

    it('answers 502 where an instance ends in the middle of a request, and 503 where none is left', async () => {
      const socket = open(proxy.url);
      socket.write(`${uploadHead()} `);
      const answer = answerOf(socket);
      await until(async () => {
        const texts = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
        return texts.some((text) => /^catalog_http_requests_in_flight\b.* 1$/m.test(text));
      });
      kill();
      const { status, headers, body } = await answer;
      assert.equal(status, 502);
      assert.match(headers, /^retry-after: 5$/im);
      assert.match(headers, /^cache-control: no-store$/im);
      assert.deepEqual(body, { detail: 'The service ended the connection without an answer' });
      for (const method of ['GET', 'POST']) {
        // The first requests may still be sent on kept connections to instances that have just ended. nginx
        // then responds with 502, and HAProxy closes the connection, so the request is repeated.
        const response = await until(async () => {
          const answer = await fetch(`${proxy.url}/v1/search?q=${key}`, { method }).catch(() => null);
          return answer?.status === 503 ? answer : null;
        });
        await assertUnavailable(response);
      }
      await until(async () => metrics[1].test(await (await fetch(proxy.metricsUrl)).text()));
      assert.notInclude(proxy.log(), key);
    });
  });
}

describe('the answers that HAProxy reads from files', () => {
  for (const [status, detail] of [
    [400, 'Bad Request'],
    [408, 'Request timeout'],
  ] as const)
    it(`are JSON as well: ${status}`, () => {
      const [head = '', body = ''] = readFileSync(`docker/haproxy-errors/${status}.http`, 'utf8').split(
        '\r\n\r\n',
      );
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(head, /^Content-Type: application\/json/m);
      assert.deepEqual(JSON.parse(body), { detail });
    });
});
