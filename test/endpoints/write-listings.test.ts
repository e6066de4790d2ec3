import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { ADMIN_SECRET, type Api, startApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';

const lines = (...records: unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

describe('POST /v1/listings, GET /v1/usage and what keys may do', function () {
  this.timeout(60_000);
  let api: Api;
  let writer: Issued;
  interface Issued {
    key_id: string;
    raw_key: string;
  }

  const issue = async (more: Record<string, unknown>): Promise<Issued> => {
    const body = JSON.stringify({
      developer_id: 'd',
      name: 'n',
      tier: 'free',
      admin_secret: ADMIN_SECRET,
      ...more,
    });
    const { status, body: issued, text } = await api.open('/v1/keys', { method: 'POST', body });
    assert.strictEqual(status, 201, text);
    return issued as Issued;
  };
  const as = ({ raw_key }: Issued, more: Record<string, string> = {}) => ({
    authorization: `Bearer ${raw_key}`,
    ...more,
  });
  const write = (body: string | Buffer, key: Issued = writer, more: Record<string, string> = {}) =>
    api.open('/v1/listings', { method: 'POST', body, headers: as(key, more) });
  const stored = async (sku: string) => {
    await api.es.indices.refresh({ index: api.products });
    const { hits } = await api.es.search<{ price: string }>({
      index: api.products,
      query: { term: { sku } },
    });
    return hits.hits[0]?._source;
  };

  before(async () => {
    api = await startApi();
    writer = await issue({ scopes: ['write:shop_a'] });
  });
  after(() => api.stop());

  it('loads NDJSON and arrays, plain and gzip, and tells of each record what became of it', async () => {
    const first = await write(
      lines(
        record({ sku: 'W1' }),
        record({ sku: 'W2', price: 'free' }),
        record({ sku: 'W1', price: '9.00' }),
      ) + '{"sku":\n\n{}\n',
    );
    assert.strictEqual(first.status, 200, first.text);
    const { records, rejected, results } = first.body as Record<string, any>;
    assert.deepEqual([records, rejected], [5, 3]);
    assert.deepEqual(
      results.map(({ index, outcome }: any) => [index, outcome]),
      [
        [0, 'repeated'],
        [1, 'rejected'],
        [2, 'created'],
        [3, 'rejected'],
        [4, 'rejected'],
      ],
    );
    assert.match(results[1].reasons[0], /^price: "free"/);
    assert.include(results[4].reasons, 'sku: is required');
    assert.include(await stored('W1'), { price: '9.00' });
    const array = JSON.stringify([record({ sku: 'W1', price: '8.00' }), record({ sku: 'W3' })]);
    const again = await write(gzipSync(array), writer, { 'content-encoding': 'gzip' });
    assert.deepEqual(again.body, {
      records: 2,
      rejected: 0,
      results: [
        { index: 0, outcome: 'price_moved' },
        { index: 1, outcome: 'created' },
      ],
    });
    // A file as it is on a disk.
    const file = await write(gzipSync(JSON.stringify([record({ sku: 'W1', price: '8.00' })], null, 1)));
    assert.deepEqual(file.body.results, [{ index: 0, outcome: 'unchanged' }]);
    const found = async () => (await api.get('/v1/products?source=shop_a')).body.total === 2;
    await until(found);
  });

  // Seen to fail: without `judge` the listing of shop_b was loaded.
  it('a key without the scope cannot write, and one with write:shop_a cannot write shop_b', async () => {
    const reader = await issue({});
    const refused = await write(lines(record({ sku: 'R1' })), reader);
    assert.deepEqual(
      [refused.status, refused.body],
      [403, { detail: 'This key may not write: it has no scope write:SOURCE' }],
    );
    const foreign = await write(lines(record({ sku: 'R1' }), record({ sku: 'R2', source: ' shop_b ' })));
    assert.deepEqual(
      [foreign.status, foreign.body],
      [403, { detail: 'This key may not write listings of shop_b; nothing was loaded' }],
    );
    assert.strictEqual((await api.open('/v1/listings', { method: 'POST', body: '{}' })).status, 401);
    for (const sku of ['R1', 'R2']) assert.isUndefined(await stored(sku));
    const both = await issue({ scopes: ['write:shop_a', 'write:shop_b'] });
    assert.strictEqual((await write(lines(record({ sku: 'R2', source: 'shop_b' })), both)).status, 200);
  });

  it('bad bodies are told as what they are', async () => {
    const wrong: [string | Buffer, number, RegExp][] = [
      ['', 400, /holds no record/],
      ['[{"sku":"X"', 400, /cut off|missing/],
      ['{}\n'.repeat(10_001), 400, /more than 10,000 records/],
      [Buffer.alloc(10 * 1024 * 1024 + 1, ' '), 413, /too large/],
      [Buffer.from([0x1f, 0x8b, 1, 2]), 400, /cannot be read/],
      [
        'sku,source,name\n1,shop_a,Kettle',
        400,
        /looks like CSV and not like JSON: it begins "sku,source,name"/,
      ],
    ];
    for (const [body, status, detail] of wrong) {
      const reply = await write(body);
      assert.strictEqual(reply.status, status, reply.text);
      assert.match(reply.body.detail, detail);
    }
    const unpacked = await write(gzipSync(Buffer.alloc(11 * 1024 * 1024, '\n')));
    assert.deepEqual(
      [unpacked.status, unpacked.body],
      [400, { detail: 'The body cannot be read: it is longer than 10 MB when unpacked' }],
    );
    const written = await write(JSON.stringify(record({ sku: 'pretty' }), null, 2));
    assert.deepEqual(written.body.results, [{ index: 0, outcome: 'created' }]);
    const long = await write(lines({ ...record({ sku: 'L' }), metadata: { a: 'x'.repeat(600_000) } }));
    assert.deepEqual(long.body.results, [
      { index: 0, outcome: 'rejected', reasons: ['record: is longer than 512 kB'] },
    ]);
    const bomb = await write(gzipSync(Buffer.alloc(50 * 1024 * 1024, ' ')), writer, {
      'content-encoding': 'gzip',
    });
    assert.strictEqual(bomb.status, 413);
  });

  // Seen to fail: 400 before there was a check, since CSV is no JSON.
  it('a body that says it is something else is refused as that', async () => {
    const of = async (type: string) =>
      (await write(lines(record({ sku: 'T1' })), writer, { 'content-type': type })).status;
    for (const type of ['text/csv', 'application/xml', 'multipart/form-data; boundary=x', 'json'])
      assert.strictEqual(await of(type), 415, type);
    const { body } = await write('sku,source,name\n', writer, { 'content-type': 'Text/CSV; charset=utf-8' });
    assert.match(body.detail, /application\/x-ndjson or application\/json/);
    for (const type of ['application/x-ndjson', 'application/json; charset=utf-8', 'application/jsonl'])
      assert.strictEqual(await of(type), 200, type);
    // Of curl --data-binary.
    assert.strictEqual(await of('application/x-www-form-urlencoded'), 200);
  });

  it('the same Idempotency-Key twice is one load; with another body it is refused', async () => {
    const headers = { 'idempotency-key': 'night-1' };
    const first = await write(lines(record({ sku: 'I1', price: '5.00' })), writer, headers);
    assert.deepEqual(first.body.results, [{ index: 0, outcome: 'created' }]);
    await write(lines(record({ sku: 'I1', price: '6.00' })));
    const second = await write(lines(record({ sku: 'I1', price: '5.00' })), writer, headers);
    assert.deepEqual([second.status, second.headers.get('idempotency-replayed')], [200, 'true']);
    assert.deepEqual(second.body, { records: 1, rejected: 0 });
    assert.include(await stored('I1'), { price: '6.00' });
    const other = await write(lines(record({ sku: 'I2' })), writer, headers);
    assert.strictEqual(other.status, 422);
    const msg = 'Value error, this Idempotency-Key was used for another body';
    assert.deepEqual(other.body.detail, [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
    // Of another key it is another name.
    const colleague = await issue({ scopes: ['write:shop_a'] });
    assert.strictEqual(
      (await write(lines(record({ sku: 'I2' })), colleague, headers)).body.results[0].outcome,
      'created',
    );
    assert.strictEqual((await write('{}', writer, { 'idempotency-key': 'x'.repeat(201) })).status, 422);
  });

  it('writes count in a window of their own, and usage tells both', async () => {
    const key = await issue({ scopes: ['write:shop_a'], tier: 'standard' });
    const first = await api.open('/v1/usage', { headers: as(key) });
    assert.deepInclude(first.body, {
      key_id: key.key_id,
      tier: 'standard',
      scopes: ['write:shop_a'],
      expires_at: null,
    });
    assert.deepInclude(first.body.requests, { limit: 500, used: 1, remaining: 499 });
    assert.deepEqual(first.body.writes, { limit: 30, used: 0, remaining: 30, resets_at: null });
    const replies = [];
    for (let i = 0; i < 31; i++) replies.push(await write('x', key));
    assert.deepEqual(
      replies.map(({ status }) => status).filter((status) => status === 429),
      [429],
    );
    assert.strictEqual(replies[0]?.headers.get('x-ratelimit-limit'), '30');
    const second = await api.open('/v1/usage', { headers: as(key) });
    assert.strictEqual(second.headers.get('x-ratelimit-remaining'), String(second.body.requests.remaining));
    assert.deepInclude(second.body.requests, { used: 2 });
    assert.deepInclude(second.body.writes, { used: 31, remaining: 0 });
    assert.isAbove(Date.parse(second.body.writes.resets_at), Date.now());
  });

  /** Seen to fail: without quotas, and with a counter for each key. */
  it('a source has daily quotas of listings and bytes, by tier, for all keys that write it', async () => {
    const scopes = ['write:shop_q', 'write:shop_r'];
    const [key, other] = [await issue({ scopes }), await issue({ scopes })];
    const usage = async (of: Issued) => (await api.open('/v1/usage', { headers: as(of) })).body.write_quotas;
    const [q, r] = await usage(key);
    assert.deepInclude(q, { source: 'shop_q', listings: { limit: 20_000, used: 0, remaining: 20_000 } });
    assert.deepInclude(q.bytes, { limit: 50_000_000, used: 0 });
    assert.match(q.resets_at, /T00:00:00\.000Z$/);
    assert.equal(r.source, 'shop_r');
    // What cannot be loaded counts as well: it was read.
    const of = (source: string, count: number) => `{"sku":"S","source":"${source}"}\n`.repeat(count);
    const body = of('shop_q', 9_000) + of('shop_r', 10);
    for (const each of [key, other]) assert.equal((await write(body, each)).status, 200);
    const [left] = await usage(other);
    assert.deepInclude(left.listings, { used: 18_000, remaining: 2_000 });
    assert.approximately(left.bytes.used, 2 * of('shop_q', 9_000).length, 20);
    const refused = await write(of('shop_r', 1) + of('shop_q', 2_001), key);
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.body.detail, /^The daily quota of shop_q does not suffice: 20000 listings/);
    assert.isAtMost(Number(refused.headers.get('retry-after')), 86_400);
    assert.deepEqual((await usage(key))[1].listings.used, 20, 'nothing of a refused request counts');
    // Both at once would be too much: one of them lands.
    const both = await Promise.all([key, other].map((each) => write(of('shop_q', 1_500), each)));
    assert.sameMembers(
      both.map(({ status }) => status),
      [200, 429],
    );
    const standard = await issue({ scopes: ['write:shop_q'], tier: 'standard' });
    assert.equal((await write(of('shop_q', 2_001), standard)).status, 200);
  });

  it('a key expires, and a rotated one is good for its grace alone', async () => {
    const soon = new Date(Date.now() + 1_500).toISOString();
    const brief = await issue({ expires_at: soon });
    assert.strictEqual((await api.open('/v1/usage', { headers: as(brief) })).body.expires_at, soon);
    await until(async () => (await api.open('/v1', { headers: as(brief) })).status === 401);
    const rotate = (id: string, body: unknown, secret = ADMIN_SECRET) =>
      api.open(`/v1/keys/${id}/rotate`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'x-admin-secret': secret },
      });
    assert.strictEqual((await rotate(brief.key_id, {})).status, 404);
    const old = await issue({ scopes: ['write:shop_a'] });
    assert.strictEqual((await rotate(old.key_id, {}, 'wrong')).status, 403);
    assert.strictEqual((await rotate(old.key_id, { grace_s: -1 })).status, 422);
    const kept = await rotate(old.key_id, { grace_s: 3600 });
    assert.strictEqual(kept.status, 201, kept.text);
    assert.include(kept.body, { replaces: old.key_id, tier: 'free' });
    const { scopes } = (await api.open('/v1/usage', { headers: as(kept.body) })).body;
    assert.deepEqual(scopes, ['write:shop_a']);
    assert.strictEqual((await api.open('/v1', { headers: as(old) })).status, 200);
    const at_once = await rotate(old.key_id, { grace_s: 0 });
    assert.strictEqual((await api.open('/v1', { headers: as(old) })).status, 401);
    assert.strictEqual((await api.open('/v1', { headers: as(at_once.body) })).status, 200);
    const past = JSON.stringify({
      developer_id: 'd',
      name: 'n',
      tier: 'free',
      admin_secret: ADMIN_SECRET,
      expires_at: '2020-01-01',
    });
    assert.strictEqual((await api.open('/v1/keys', { method: 'POST', body: past })).status, 422);
  });
});
