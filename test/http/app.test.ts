import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { assert } from 'chai';
import { sampleImages } from '../../tools/sample-catalogue/image.js';
import { startApi, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';
import { words } from '../support/words.js';

const ENDPOINT_NAMES = words(`
    search products best_price compare_single compare_matrix compare_diff trending export product
    categories deals
  `);

describe('the service as a whole', () => {
  const api = useApi([record({ sku: 'a' })]);

  /** Sends a request without an API key. */
  const open = (path: string, init?: RequestInit) => api.open(path, init);

  it('describes itself identically at / without a key and at /v1 with one', async () => {
    const { body: root } = await open('/');
    assert.hasAllKeys(root, ['api', 'version', 'endpoints', 'more', 'auth', 'docs']);
    assert.hasAllKeys(root.endpoints, ENDPOINT_NAMES);
    assert.equal(root.more.lookup, 'GET /v1/lookup');
    assert.equal(root.endpoints.product, 'GET /v1/products/{product_id}');
    assert.equal(root.version, 'v1');
    assert.include(root.auth, 'Bearer');
    assert.equal((await open(root.docs as string)).status, 200);
    assert.deepEqual((await api.get('/v1')).body, root);
    assert.equal((await open('/v1')).status, 401);
  });

  it('is healthy, alive and ready', async () => {
    // A busy Elasticsearch may exceed the deadline of one probe.
    const { body: health } = await until(async () => {
      const answer = await open('/health');
      assert.hasAllKeys(answer.body, ['status', 'version', 'environment', 'checks']);
      return answer.body.status === 'ok' ? answer : null;
    });
    assert.deepEqual(health.checks, { elasticsearch: 'ok', redis: 'ok' });
    for (const path of ['/livez', '/readyz']) assert.equal((await open(path)).status, 200);
    assert.isNull((await open('/health')).headers.get('x-ratelimit-limit'), 'health does not count');
  });

  it('checks the path first, then the method, then the key', async () => {
    const cases: [string, string, number][] = [
      ['GET', '/nothing', 404],
      ['GET', '/v1/nothing', 404],
      ['GET', '/v1/products/1/2', 404],
      ['GET', '/%ZZ', 404],
      ['DELETE', '/v1/search', 405],
      ['POST', '/v1/products/1', 405],
      ['PUT', '/v1/keys', 405],
      ['OPTIONS', '/v1/search', 405],
      ['POST', '/docs', 405],
      // Express matches static paths in any letter case, and with a slash at the end.
      ['POST', '/V1/products/Compare/', 401],
      ['POST', '/v1/products/compare//', 404],
      ['DELETE', '/v1/Products/Trending', 405],
      ['GET', '/v1/search?limit=0', 401],
      ['GET', '/v1/products/abc', 401],
    ];
    for (const [method, path, status] of cases) {
      const reply = await open(path, { method });
      assert.equal(reply.status, status, `${method} ${path}`);
      assert.isString(reply.body.detail, `${method} ${path}`);
      assert.isString(reply.headers.get('x-request-id'));
    }
    assert.equal((await open('/v1/search', { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD');
    assert.equal((await open('/v1/keys', { method: 'PUT' })).headers.get('allow'), 'GET, HEAD, POST');
  });

  it('refuses every credential but a key', async () => {
    const credentials = [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer svc_live_x',
      'Bearer a.b.c',
      `Bearer svc_live_${'a'.repeat(48)}`,
    ];
    for (const authorization of credentials) {
      const reply = await open('/v1/search', { headers: { authorization } });
      assert.equal(reply.status, 401, authorization);
      assert.deepEqual(reply.body, { detail: 'Invalid or revoked API key' });
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      assert.equal(reply.headers.get('x-ratelimit-limit'), '100');
    }
  });

  it('keeps a valid request id and replaces any other', async () => {
    const id = async (given: string) =>
      (await open('/livez', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    assert.equal(await id('trace-42'), 'trace-42');
    assert.match((await id('a b<script>')) ?? '', /^[\da-f-]{36}$/);
    assert.match((await id('x'.repeat(500))) ?? '', /^[\da-f-]{36}$/);
  });

  it('answers HEAD as GET, without the body', async () => {
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => api.get('/v1/search', { method })));
    assert.equal(head?.status, 200);
    assert.equal(head?.text, '');
    assert.equal(head?.headers.get('etag'), get?.headers.get('etag'));
  });

  it('answers unreadable bodies with a specific 4xx', async () => {
    const send = (body: string, headers: Record<string, string> = {}) =>
      open('/v1/keys', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const bad = await send('{"tier":');
    assert.equal(bad.status, 422);
    assert.equal(bad.body.detail[0].type, 'json_invalid');
    const { body: empty } = await send('');
    assert.deepEqual(empty.detail, [{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
    assert.equal((await send('[]')).body.detail[0].type, 'model_attributes_type');
    assert.equal((await send('['.repeat(60_000))).status, 422);
    const large = await send(`"${'x'.repeat(200_000)}"`);
    assert.equal(large.status, 413);
    assert.isString(large.body.detail);
    assert.equal((await send('x', { 'content-encoding': 'zstd-of-mine' })).status, 415);
    assert.equal((await send('not gzip', { 'content-encoding': 'gzip' })).status, 400);
  });

  it('answers input that is not HTTP with JSON too', async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () =>
        socket.write('NONSENSE\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    assert.match(reply, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.include(reply, '{"detail":"Bad Request"}');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        `${api.url}/livez`,
        { headers: { 'x-large': 'x'.repeat(100_000) } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      request.end();
    });
    assert.equal(status, 431);
  });

  it('states for each answer whether it may be cached', async () => {
    const id = await api.id('a');
    const ids = JSON.stringify({ product_ids: [id, id + 1] });
    const replies = await Promise.all([
      ...words('/ /readyz /livez /docs /docs/start.js /openapi.json /docs/nothing /nothing').map((path) =>
        open(path),
      ),
      ...['/v1/search', '/v1/search?limit=0', '/v1/products/1', '/v1/products/export', '/v1/categories'].map(
        (path) => api.get(path),
      ),
      api.post('/v1/products/compare', ids),
      api.post('/v1/token', ''),
      open('/v1/search', { method: 'DELETE' }),
      open('/v1/search'),
      open(`/track/${id}`, { redirect: 'manual' }),
    ]);
    assert.sameMembers([...new Set(replies.map(({ status }) => status))], [200, 401, 404, 405, 422]);
    for (const [i, { status, headers }] of replies.entries())
      assert.match(
        headers.get('cache-control') ?? '',
        /^(no-store|no-cache|private, no-cache)$/,
        `${i}: ${status}`,
      );
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () =>
        socket.write('NONSENSE\r\n\r\n'),
      );
      socket.on('data', (chunk) => resolve(String(chunk)));
    });
    assert.include(raw, 'Cache-Control: no-store\r\n');
  });

  it('sends the docs compressed and with an ETag, and only once', async () => {
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/start.js', '/openapi.json']) {
      const whole = await open(path, { headers: { 'accept-encoding': 'identity' } });
      const etag = whole.headers.get('etag') ?? '';
      assert.match(etag, /^W\/"[\w-]+"$/, path);
      for (const encoding of ['br', 'gzip']) {
        const { headers, text } = await open(path, { headers: { 'accept-encoding': encoding } });
        assert.equal(headers.get('content-encoding'), encoding);
        assert.equal(headers.get('vary'), 'Accept-Encoding');
        assert.equal(headers.get('etag'), etag);
        assert.equal(text, whole.text);
      }
      const { status, text, headers } = await open(path, { headers: { 'if-none-match': etag } });
      assert.deepEqual([status, text], [304, '']);
      assert.equal(headers.get('cache-control'), whole.headers.get('cache-control'));
      const head = await open(path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag]);
    }
  });

  it('lets pages of any site display the sample pictures', async () => {
    const other = await startApi({}, [sampleImages()]);
    const { status, headers } = await other.open('/sample/images/smartphone_mint_kestrel_0123abcd.svg');
    assert.equal(status, 200);
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.equal((await other.open('/v1')).headers.get('cross-origin-resource-policy'), 'same-origin');
    await other.stop();
  });

  it('disables CORS unless it is configured', async () => {
    const origin = 'https://shop.example';
    assert.isNull((await open('/livez', { headers: { origin } })).headers.get('access-control-allow-origin'));
    const other = await startApi({ CORS_ORIGINS: origin });
    const preflight = await fetch(`${other.url}/v1/search`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    const { headers } = await other.get('/v1', { headers: { origin } });
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(',');
    const own = [...headers.keys()].filter((name) => /ratelimit|etag|request-id/.test(name));
    assert.isAtLeast(own.length, 7);
    for (const name of [...own, 'content-disposition', 'link', 'retry-after', 'x-total-count']) {
      const names = exposed.map((each) => each.toLowerCase());
      assert.include(names, name);
    }
    await other.stop();
  });
});
