import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert } from 'chai';
import { storedIndex } from '../../src/platform/stored.js';
import { freePort, type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { connectEngine } from '../support/engine.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';

const ADMIN_SECRET = 'the secret of the hours without Redis';

/** A script that is loaded into a process: each SIGUSR2 sets its monotonic clock one hour ahead. */
const JUMPING_CLOCK = `
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
process.on('SIGUSR2', () => { ahead += 3_600_000; });`;

/** How long requests are sent while Redis is away. `HOURS_AWAY_SECONDS=600` sends them for ten minutes. */
const LOAD_MS = 1_000 * Number(process.env['HOURS_AWAY_SECONDS'] ?? 3);

describe('Redis away for hours', function () {
  this.timeout(120_000 + LOAD_MS);
  const prefix = `${indexPrefix}-redis-hours`;
  let dir: string;
  let port: number;
  let redis: LocalEngine;
  let proxy: Proxy;
  /** Two instances. The second one reaches Elasticsearch through the proxy. */
  let one: ApiProcess;
  let other: ApiProcess;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'redis-hours-'));
    port = await freePort();
    redis = await startLocalRedis({ log: () => undefined, dataDir: join(dir, 'redis'), port });
    proxy = await startProxy(elasticsearchUrl);
    const clock = join(dir, 'clock.mjs');
    await writeFile(clock, JUMPING_CLOCK);
    const env = {
      ...{ REDIS_URL: redis.url, INDEX_PREFIX: prefix, ADMIN_SECRET, REDIS_DEADLINE_MS: '1000' },
      JWT_SECRET: 'the secret that both instances sign tokens with',
      NODE_OPTIONS: `--import=${pathToFileURL(clock).href}`,
    };
    [one, other] = await Promise.all([
      startApiProcess({ ...env, ELASTICSEARCH_URL: elasticsearchUrl }),
      startApiProcess({ ...env, ELASTICSEARCH_URL: proxy.url }),
    ]);
  });
  after(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await Promise.all([redis.stop(), proxy.close()]);
    await rm(dir, { recursive: true });
  });

  async function ask(api: ApiProcess, path: string, init: RequestInit = {}) {
    const response = await fetch(`${api.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, string> };
  }
  const withKey = (key: string): RequestInit => ({
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const read = (api: ApiProcess, key: string, path = '/v1/search?q=kettle') => ask(api, path, withKey(key));
  const statusOf = async (api: ApiProcess, key: string, path?: string) => (await read(api, key, path)).status;
  const asAdmin = (path: string, method: string, body: object = {}) =>
    ask(one, path, {
      method,
      headers: { 'x-admin-secret': ADMIN_SECRET, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
  const issue = async (tier = 'premium', more: object = {}) => {
    const named = { developer_id: 'hours', name: 'hours', tier, admin_secret: ADMIN_SECRET, ...more };
    const { status, body } = await asAdmin('/v1/keys', 'POST', named);
    assert.equal(status, 201, JSON.stringify(body));
    return { id: body['key_id'] ?? '', key: body['raw_key'] ?? '' };
  };
  const laterBy = async (hours: number) => {
    for (const { pid } of [one, other]) {
      for (let hour = 0; hour < hours; hour += 1) {
        process.kill(pid, 'SIGUSR2');
        // Signals of one kind that arrive together are delivered once.
        await fetch(`http://127.0.0.1:${new URL(pid === one.pid ? one.url : other.url).port}/livez`);
      }
    }
  };

  it('serves reads of known keys, and refuses revoked, unknown and expired ones, and writes', async () => {
    const seen = await Promise.all(Array.from({ length: 20 }, () => issue()));
    const [first, busy, unseen] = [seen[0]?.key ?? '', await issue('free'), await issue()];
    const [before, during, replaced] = [await issue(), await issue(), await issue()];
    const expiring = await issue('premium', { expires_at: new Date(Date.now() + 8_000).toISOString() });
    for (const api of [one, other])
      for (const { key } of [...seen, busy, before, during, replaced, expiring])
        assert.equal(await statusOf(api, key), 200);
    assert.equal((await asAdmin(`/v1/keys/${before.id}`, 'DELETE')).status, 204);
    assert.equal((await asAdmin(`/v1/keys/${replaced.id}/rotate`, 'POST', { grace_s: 0 })).status, 201);

    process.kill(redis.pid, 'SIGKILL');
    await redis.stop();
    await laterBy(3);
    const failed: Record<string, number> = {};
    let [sent, sequence] = [0, 0];
    const end = performance.now() + LOAD_MS;
    // Twenty keys of 1,000 requests a minute each are more than one process can serve.
    const client = async () => {
      while (performance.now() < end) {
        sequence += 1;
        const { key } = seen[sequence % seen.length] ?? { key: '' };
        const status = await statusOf(sequence % 2 === 0 ? one : other, key);
        sent += 1;
        if (status !== 200) failed[status] = (failed[status] ?? 0) + 1;
      }
    };
    await Promise.all([1, 2, 3].map(client));
    assert.deepEqual(failed, {}, `of ${sent} reads`);

    for (const [name, { key }] of Object.entries({ before, replaced })) {
      // The instance that revoked a key has forgotten it, so that it is an unknown one.
      assert.equal(await statusOf(one, key), 503, name);
      assert.equal(await statusOf(other, key), 401, name);
    }
    for (const api of [one, other]) {
      assert.equal(await statusOf(api, unseen.key), 503, 'unknown');
      assert.deepEqual(
        [(await ask(api, '/readyz')).status, (await ask(api, '/health')).status],
        [200, 503],
        'ready, and unhealthy',
      );
    }
    await until(async () => (await statusOf(other, expiring.key)) === 401);
    const limited = await Promise.all(Array.from({ length: 120 }, () => statusOf(one, busy.key, '/v1')));
    assert.isAtLeast(limited.filter((status) => status === 429).length, 20, 'the local limit holds');

    const token = await ask(one, '/v1/token', { ...withKey(first), method: 'POST' });
    assert.equal(await statusOf(other, token.body['access_token'] ?? ''), 200, 'a token of a known key');
    for (const [path, body] of [
      ['/v1/alerts', { product_id: '0'.repeat(16), when: { any_price_change: true } }],
      ['/v1/products/compare', { product_ids: ['0'.repeat(16), '1'.repeat(16)] }],
    ] as const) {
      const { status } = await ask(one, path, {
        ...withKey(first),
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (path === '/v1/alerts') assert.equal(status, 503, 'a write');
      else assert.notEqual(status, 503, 'a read with a body');
    }

    const revoked = await asAdmin(`/v1/keys/${during.id}`, 'DELETE');
    assert.equal(revoked.status, 503);
    assert.match(revoked.body['detail'] ?? '', /refused while Redis is away\. Repeat the request/);
    assert.equal((await asAdmin('/v1/keys/no-id', 'DELETE')).status, 503);
    await until(async () => (await statusOf(other, during.key)) === 401);

    const es = connectEngine();
    const { hits } = await es.search({ index: storedIndex(prefix, 'revocations') });
    await es.close();
    assert.sameMembers(
      hits.hits.map(({ _id }) => _id),
      [before.id, replaced.id, during.id],
    );
    for (const { _source } of hits.hits)
      assert.hasAllKeys(_source, ['recorded_at', 'refused_from'], 'and no hash');

    // Without the revocations, the minute applies. A description of the API needs no Elasticsearch.
    await proxy.set('down');
    assert.equal(await statusOf(other, first, '/v1'), 200);
    await laterBy(1);
    assert.equal(await statusOf(other, first, '/v1'), 503);
    assert.equal(await statusOf(one, first, '/v1'), 200);
    await proxy.set('up');
    await until(async () => (await statusOf(other, first)) === 200);

    await laterBy(8);
    assert.equal(await statusOf(one, first), 503, 'after twelve hours');
    assert.equal((await ask(one, '/readyz')).status, 503);

    redis = await startLocalRedis({ log: () => undefined, dataDir: join(dir, 'redis'), port });
    await until(async () => (await statusOf(one, unseen.key)) === 200);
    assert.equal(await statusOf(one, first), 200);
    // The revocation that Redis could not take is repeated there.
    await until(async () => (await statusOf(one, during.key)) === 401);
  });
});
