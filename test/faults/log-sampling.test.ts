// Chaos only (faults, 2 min): it sends thousands of requests, and counts the lines of the log.
import { randomUUID } from 'node:crypto';
import { assert } from 'chai';
import { open, answerOf } from '../attack/raw-http.js';
import { ADMIN_SECRET, type Api, startApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';

/** The settings of log sampling in docker-compose.yml and the Helm chart. */
const SAMPLE = 0.05;
/** Slower requests are always logged. */
const SLOW_MS = 1_000;

/**
 * The load that docs/operations.md calls normal: 10 requests per second, one in a hundred of which is
 * notable.
 */
const REQUESTS_A_DAY = 10 * 86_400;
const REQUESTS = 2_000;
const NOTABLE = 20;

/** The size of the log that Docker keeps: `max-size` times `max-file` of docker-compose.yml. */
const KEPT_BYTES = 5 * 10 * 1024 * 1024;

interface Line {
  message: string;
  http?: { request: { id: string }; response?: { status_code: number } };
  event?: { category?: string[]; duration?: number };
  catalog?: { sample_rate?: number };
}

/** Returns the size of log lines as Docker's json-file driver stores them. */
const storedBytes = (lines: { text: string }[]): number =>
  lines
    .map(({ text }) => ({ log: `${text}\n`, stream: 'stdout', time: '2026-11-24T03:00:00.123456789Z' }))
    .reduce((bytes, entry) => bytes + JSON.stringify(entry).length + 1, 0);

/** Seen to fail: without sampling, and without each condition of `isNotable` in turn. */
describe('the sampled log of requests', function () {
  this.timeout(240_000);
  let api: Api;
  let service: ApiProcess;
  /** An instance without access to Redis, which cannot determine the owner of a key. */
  let keyless: ApiProcess;
  let keys: string[];
  let output = '';

  before(async () => {
    api = await startApi();
    await api.load([record({ sku: '1', name: 'Kettle' })]);
    const env = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      INDEX_PREFIX: api.prefix,
      EVENTS: 'off',
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: redisUrl,
      ADMIN_SECRET,
      JWT_SECRET: 'of-this-test-alone-and-long-enough-to-sign',
      LOG_SAMPLE: String(SAMPLE),
    };
    const onOutput = (text: string) => (output += text);
    service = await startApiProcess(env, { onOutput });
    keyless = await startApiProcess(
      { ...env, REDIS_URL: 'redis://127.0.0.1:1' },
      { onOutput, untilReady: false },
    );
    // The number of keys is so large that none reaches its rate limit.
    keys = await Promise.all(Array.from({ length: 5 }, () => api.key()));
  });
  after(async () => {
    await Promise.all([service.stop(), keyless.stop()]);
    await api.stop();
  });

  /** Requests have fixed ids, so that the same ones are logged in every run. */
  let sent = 0;
  const ask = async (path: string, init: RequestInit = {}, { url } = service) => {
    const id = `drill-${(sent += 1)}`;
    const headers = {
      authorization: `Bearer ${keys[sent % keys.length]}`,
      'x-request-id': id,
      ...init.headers,
    };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    return { id, status: response.status, body: await response.text() };
  };
  const createKey = (secret: string) =>
    ask('/v1/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: '' },
      body: JSON.stringify({
        developer_id: randomUUID(),
        name: 'a',
        tier: 'free',
        admin_secret: secret,
        scopes: ['write:shop_a'],
      }),
    });
  /** Sends a comparison whose body arrives late. */
  const slow = async () => {
    const id = `drill-${(sent += 1)}`;
    const body = '{"product_ids":[1,2]}';
    const socket = open(service.url);
    socket.write(
      [
        'POST /v1/products/compare HTTP/1.1',
        'Host: a',
        `Authorization: Bearer ${keys[0]}`,
        `X-Request-Id: ${id}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
    setTimeout(() => socket.write(body), 2 * SLOW_MS);
    return { id, status: (await answerOf(socket)).status, body: '' };
  };
  const lines = () =>
    output
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => ({ text, ...(JSON.parse(text) as Line) }));
  const idsOf = (some: Line[]) => new Set(some.map(({ http }) => http?.request.id));
  /** Returns the log up to now. It sends a notable request, and waits for its line. */
  const flushed = async () => {
    const { id } = await ask('/v1/suggest?q=k');
    await until(() => output.includes(id));
    return lines();
  };

  it('has every error, slow request, write and audit line', async () => {
    const notable = [
      ...(await Promise.all(Array.from({ length: 5 }, slow))),
      // These requests fail with 503, because there is no index of suggestions.
      ...(await Promise.all(Array.from({ length: 5 }, () => ask('/v1/suggest?q=kettle')))),
      ...(await Promise.all(Array.from({ length: 5 }, () => ask('/v1/categories', {}, keyless)))),
      ...(await Promise.all(Array.from({ length: 5 }, () => ask('/v1/search?limit=none')))),
      ...(await Promise.all(Array.from({ length: 5 }, () => createKey(ADMIN_SECRET)))),
    ];
    const { raw_key: writer } = JSON.parse(notable.at(-1)?.body ?? '') as { raw_key: string };
    const audited = notable.slice(-5);
    for (let i = 0; i < 5; i += 1)
      notable.push(
        await ask('/v1/listings', {
          method: 'POST',
          headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/json' },
          body: JSON.stringify(record({ sku: `${i}`, source: 'shop_a' })),
        }),
      );
    const refused = await createKey('wrong-and-as-long');
    assert.deepEqual(
      notable.map(({ status }) => status),
      [404, 503, 503, 422, 201, 200].flatMap((status) => Array<number>(5).fill(status)),
    );
    assert.equal(refused.status, 403);
    const logged = await flushed();
    const requests = logged.filter(({ http }) => http?.response !== undefined);
    const ids = idsOf(requests);
    for (const { id, status } of notable) assert.isTrue(ids.has(id), `${id}, ${status}`);
    for (const line of requests) assert.isUndefined(line.catalog?.sample_rate, line.text);
    const audit = idsOf(logged.filter(({ event }) => event?.category?.includes('iam')));
    for (const { id } of [...audited, refused]) assert.isTrue(audit.has(id), id);
  });

  it('fits into the log rotation of Docker, and states the share of requests that it contains', async () => {
    const before = output.length;
    const product = await api.id('1');
    const paths = ['/v1/search?q=kettle', '/v1/categories', `/v1/products/${product}`, '/v1/deals'];
    for (let i = 0; i < REQUESTS - NOTABLE; i += 10)
      await Promise.all(Array.from({ length: 10 }, (_, j) => ask(paths[j % paths.length] ?? '')));
    for (let i = 1; i < NOTABLE; i += 1) await ask('/v1/search?limit=none');
    const logged = (await flushed()).filter(({ text }) => output.indexOf(text) >= before);
    const sampled = logged.filter(({ catalog }) => catalog?.sample_rate !== undefined);
    const rates = new Set(sampled.map(({ catalog }) => catalog?.sample_rate));
    assert.deepEqual([...rates], [SAMPLE], 'each says its rate');
    const notable = logged.filter(
      ({ http, catalog }) => (http?.response?.status_code ?? 0) >= 400 && catalog?.sample_rate === undefined,
    );
    assert.lengthOf(notable, NOTABLE);
    // A busy machine makes some ordinary requests slow, which are then all logged.
    const ordinary = REQUESTS - (logged.length - sampled.length);
    assert.approximately(sampled.length / SAMPLE, ordinary, ordinary * 0.3);
    const aDay =
      ((storedBytes(sampled) / ordinary) * (REQUESTS - NOTABLE) + storedBytes(notable)) *
      (REQUESTS_A_DAY / REQUESTS);
    const aLine = storedBytes(sampled) / sampled.length;
    console.log(`      ${Math.round(aLine)} bytes a line, ${(aDay / 1024 ** 2).toFixed(1)} MB a day`);
    assert.isBelow(aDay, KEPT_BYTES);
  });

  it('is not filled by unauthenticated requests', async () => {
    const before = lines().length;
    const stranger = { headers: { authorization: `Bearer svc_test_${'x'.repeat(48)}` } };
    for (let i = 0; i < 500; i += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, j) => ask(j % 2 === 0 ? '/v1/search' : `/none/${j}`, stranger)),
      );
    const logged = (await flushed())
      .slice(before)
      .filter(({ event }) => (event?.duration ?? 0) < SLOW_MS * 1e6);
    assert.isBelow(logged.length, 100);
    assert.isAbove(logged.length, 5);
  });
});
