import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { assert } from 'chai';
import { Redis } from 'ioredis';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readConfig } from '../../src/platform/config/config.js';
import { PATIENT_REDIS } from '../support/patience.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { program } from '../support/program.js';

const word = (name: string) => `${name}-${randomBytes(9).toString('base64url')}`;

/** Returns the text with every character percent-encoded, as a URL may contain it. */
const escaped = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

describe('secrets', function () {
  const prefix = `${indexPrefix}-${randomBytes(3).toString('hex')}`;
  const secrets = {
    admin: word('adm1n'),
    jwt: word('s1gning-with-thirty-two-bytes'),
    oldJwt: word('s1gned-with-thirty-two-bytes'),
    wrongAdmin: word('wr0ng'),
    enginePassword: word('eng1ne'),
    redisPassword: word('r3dis'),
    cookie: word('c00kie'),
    rawKey: '',
    otherKey: `svc_live_${randomBytes(36).toString('base64url')}`,
    token: '',
  };
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  const redis = new Redis(redisUrl);
  let proxy: Proxy;
  let redisProxy: Proxy;
  let child: ChildProcess;
  let logs = '';
  let url = '';
  let metricsUrl = '';
  const answers: string[] = [];

  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    redisProxy = await startProxy(redisUrl);
    // A Redis user with this password is created. Elasticsearch has no security, and ignores its password.
    await redis.call('ACL', 'SETUSER', prefix, 'on', `>${secrets.redisPassword}`, '~*', '&*', '+@all');
    const withRedisUser = new URL(redisProxy.url);
    withRedisUser.username = prefix;
    withRedisUser.password = secrets.redisPassword;
    child = spawn(process.execPath, program('src/main.ts'), {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        LOG_LEVEL: 'debug',
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        INDEX_PREFIX: prefix,
        ...PATIENT_REDIS,
        ELASTICSEARCH_URL: proxy.url,
        ELASTICSEARCH_USERNAME: 'elastic',
        ELASTICSEARCH_PASSWORD: secrets.enginePassword,
        REDIS_URL: withRedisUser.href,
        ADMIN_SECRET: secrets.admin,
        JWT_SECRET: secrets.jwt,
        JWT_SECRET_PREVIOUS: secrets.oldJwt,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (chunk) => (logs += String(chunk)));
    child.stderr?.on('data', (chunk) => (logs += String(chunk)));
    url = await until(() => /listening on (http:[^"]+)/.exec(logs)?.[1] ?? '');
    metricsUrl = await until(() => /metrics on (http:[^"]+)\/metrics/.exec(logs)?.[1] ?? '');
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  });
  after(async () => {
    child.kill('SIGKILL');
    await redis.call('ACL', 'DELUSER', prefix);
    redis.disconnect();
    await proxy.close();
    await redisProxy.close();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, text };
  };
  /** Sends a request whose response must not contain a secret. */
  const probe = async (path: string, init: RequestInit = {}) => {
    const { status, text } = await ask(path, init);
    answers.push(text);
    return status;
  };
  const assertNone = (text: string, where: string) => {
    for (const [name, secret] of Object.entries(secrets)) {
      const spellings = [
        secret,
        encodeURIComponent(secret),
        escaped(secret),
        Buffer.from(secret).toString('base64'),
      ];
      for (const spelling of spellings) assert.isFalse(text.includes(spelling), `${name} is in ${where}`);
    }
  };

  it('are sent through every interface of the service', async () => {
    const body = { developer_id: 'tests', name: 'tests', tier: 'premium', admin_secret: secrets.admin };
    const issued = await ask('/v1/keys', { method: 'POST', body: JSON.stringify(body) });
    assert.equal(issued.status, 201);
    secrets.rawKey = (JSON.parse(issued.text) as { raw_key: string }).raw_key;
    const authorization = `Bearer ${secrets.rawKey}`;
    // The first index exists before it can be searched, so the search is repeated.
    await until(async () => (await ask('/v1/search', { headers: { authorization } })).status === 200);
    const token = await ask('/v1/token', { method: 'POST', headers: { authorization } });
    secrets.token = (JSON.parse(token.text) as { access_token: string }).access_token;

    const wrong = JSON.stringify({ ...body, admin_secret: secrets.wrongAdmin });
    assert.equal(await probe('/v1/keys', { method: 'POST', body: wrong }), 403);
    assert.equal(await probe('/v1/keys', { method: 'POST', body: wrong.slice(0, -1) }), 422);
    assert.equal(
      await probe('/v1/keys', { method: 'POST', body: JSON.stringify({ ...body, tier: secrets.admin }) }),
      422,
    );
    assert.equal(await probe('/v1/keys', { headers: { 'x-admin-secret': secrets.admin } }), 200);
    assert.equal(await probe('/v1/keys', { headers: { 'x-admin-secret': secrets.wrongAdmin } }), 403);
    assert.equal(
      await probe('/v1/search', { headers: { authorization: `Bearer ${secrets.otherKey}` } }),
      401,
    );
    assert.equal(
      await probe('/v1', { headers: { authorization: `Bearer ${secrets.token}`, cookie: secrets.cookie } }),
      200,
    );

    const given = { authorization, 'x-request-id': 'probe' };
    for (const secret of [secrets.rawKey, secrets.token, secrets.admin, secrets.otherKey]) {
      for (const text of [secret, escaped(secret)]) {
        // A busy Elasticsearch may exceed the deadline of a search.
        await until(async () => (await probe(`/v1/search?q=lamp+${text}`, { headers: given })) === 200);
        assert.equal(await probe(`/v1/search?limit=${text}`, { headers: given }), 422);
        assert.equal(await probe(`/v1/products/${text}`, { headers: given }), 422);
        assert.equal(await probe(`/${text}`, { headers: given }), 404);
        assert.equal(await probe(`/track/${text}`, { headers: given }), 422);
      }
      assert.equal(await probe('/v1', { headers: { ...given, 'user-agent': `agent ${secret}` } }), 200);
      assert.equal(await probe('/livez', { headers: { 'x-request-id': secret.slice(0, 128) } }), 200);
    }
  });

  it('are not revealed if Elasticsearch or Redis fails', async () => {
    const headers = { authorization: `Bearer ${secrets.rawKey}` };
    await proxy.set('down');
    assert.equal(await probe('/v1/search', { headers }), 503);
    await proxy.set('up');
    await redisProxy.set('down');
    assert.equal(
      await probe('/v1/search', { headers: { authorization: `Bearer ${secrets.otherKey}` } }),
      503,
    );
    await redisProxy.set('up');
    // From here on, Redis rejects the password of the service.
    await redis.call('ACL', 'SETUSER', prefix, 'resetpass', '>another');
    await redis.call('CLIENT', 'KILL', 'USER', prefix);
    assert.equal(await until(async () => (await probe('/health')) === 503), true);
    await until(() => logs.includes('WRONGPASS'));
    await redis.call('ACL', 'SETUSER', prefix, 'resetpass', `>${secrets.redisPassword}`);
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  });

  it('appear in no error, metric, event or log', async () => {
    // All events are written before the stop, which waits for the last ones only for a while.
    const metrics = await until(async () => {
      const text = await (await fetch(`${metricsUrl}/metrics`)).text();
      return text.includes('\ncatalog_events_queue_length 0\n') ? text : null;
    });
    const exited = once(child, 'close');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);

    assertNone(answers.join('\n'), 'an answer');
    assert.include(metrics, 'catalog_http_request_duration_seconds');
    assertNone(metrics, 'a metric');

    await es.indices.refresh({ index: `${prefix}-requests*` });
    const { hits } = await es.search<any>({ index: `${prefix}-requests*`, size: 1_000 });
    const events = hits.hits.map(({ _source }) => _source);
    assertNone(JSON.stringify(events), 'an event');
    // The requests contained the secrets, which were replaced in the events.
    const texts = (field: (event: any) => string) => events.map(field);
    assert.includeMembers(
      texts((event) => event.catalog.query),
      ['lamp [redacted]'],
    );
    assert.includeMembers(
      texts((event) => event.url.path),
      ['/v1/products/[redacted]', '/[redacted]'],
    );
    assert.includeMembers(
      texts((event) => event.user_agent.original),
      ['agent [redacted]'],
    );
    assert.notInclude(JSON.stringify(events), '127.0.0.1', 'nor is the address of a client');

    assert.include(logs, 'GET /v1/products/[redacted] 422');
    assert.isAtLeast(logs.split('\n').filter((line) => line.includes('"probe"')).length, 40);
    assertNone(logs, 'a log');
    for (const line of logs.trim().split('\n')) assert.property(JSON.parse(line), '@timestamp');
  });
});
