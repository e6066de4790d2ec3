import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isDeepStrictEqual } from 'node:util';
import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import { main as quality } from '../../scripts/quality.js';
import { main as suggest } from '../../scripts/suggest.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { pluck, record } from '../support/listings.js';
import { until } from '../support/until.js';

const lines = (...records: unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

describe('POST /v1/listings, GET /v1/usage and scopes of keys', function () {
  const api = useApi();
  let writer: Issued;
  interface Issued {
    key_id: string;
    raw_key: string;
  }

  const requestKey = (more: Record<string, unknown>) => {
    const wanted = { developer_id: 'd', name: 'n', tier: 'free', admin_secret: ADMIN_SECRET };
    return api.open('/v1/keys', { method: 'POST', body: JSON.stringify({ ...wanted, ...more }) });
  };
  const issue = async (more: Record<string, unknown>): Promise<Issued> => {
    const { status, body: issued, text } = await requestKey(more);
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
    writer = await issue({ scopes: ['write:shop_a'] });
  });

  it('says that a body cannot be decompressed', async () => {
    const own = await issue({ scopes: ['write:shop_a'] });
    const body = Buffer.from(JSON.stringify([record({ sku: 'Z1' })]));
    const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const [coding, compress] of Object.entries(codings)) {
      const packed = compress(body);
      const broken = [packed.subarray(0, packed.length - 12), body, Buffer.from('not compressed')];
      for (const one of broken) {
        const { status, body: answer } = await write(one, own, { 'content-encoding': coding });
        assert.strictEqual(status, 400);
        assert.strictEqual(
          answer.detail,
          `The body cannot be read: it is not ${coding}, as Content-Encoding states, or it is cut off or damaged`,
        );
      }
    }
    const cut = gzipSync(body).subarray(0, 40);
    assert.match(
      (await write(cut, own)).body.detail,
      /^The body cannot be read: The gzip data is cut off or damaged/,
    );
  });

  it('loads NDJSON and arrays, plain and gzip, and returns the outcome of each record', async () => {
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
    assert.deepEqual(pluck(results, 'index', 'outcome'), [
      [0, 'repeated'],
      [1, 'rejected'],
      [2, 'created'],
      [3, 'rejected'],
      [4, 'rejected'],
    ]);
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
    // The body is a gzip file, sent without `Content-Encoding`.
    const file = await write(gzipSync(JSON.stringify([record({ sku: 'W1', price: '8.00' })], null, 1)));
    assert.deepEqual(file.body.results, [{ index: 0, outcome: 'unchanged' }]);
    const found = async () => (await api.get('/v1/products?source=shop_a')).body.total === 2;
    await until(found);
  });

  it('rejects a key without the scope of the source', async () => {
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

  it('stores one owner for all sources of a key, unless it is that of an aggregator', async () => {
    const ownersOf = async (key: Issued) => {
      const records = ['own_b', 'own_a'].map((source) => record({ sku: `O-${source}`, source }));
      assert.strictEqual((await write(lines(...records), key)).body.rejected, 0);
      await api.es.indices.refresh({ index: api.products });
      const { hits } = await api.es.search<StoredListing>({
        index: api.products,
        query: { prefix: { source: 'own_' } },
        sort: [{ source: 'asc' }],
      });
      return hits.hits.map(({ _source }) => _source?.internal.owner);
    };
    const scopes = ['write:own_a', 'write:own_b'];
    assert.deepEqual(await ownersOf(await issue({ scopes })), ['source:own_a', 'source:own_a']);
    const aggregator = await issue({ scopes: [...scopes, 'aggregator'] });
    assert.deepEqual(await ownersOf(aggregator), ['source:own_a', 'source:own_b']);
  });

  it('reports what is wrong with an invalid body', async () => {
    const wrong: [string | Buffer, number, RegExp][] = [
      ['', 400, /contains no record/],
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
    const latin = await write(Buffer.from(lines(record({ sku: 'latin', name: 'Café' })), 'latin1'));
    assert.deepEqual(latin.body.results, [
      { index: 0, outcome: 'rejected', reasons: ['record: is not UTF-8'] },
    ]);
    const long = await write(lines({ ...record({ sku: 'L' }), metadata: { a: 'x'.repeat(600_000) } }));
    assert.deepEqual(long.body.results, [
      { index: 0, outcome: 'rejected', reasons: ['record: is longer than 512 kB'] },
    ]);
    assert.strictEqual(
      (await write(gzipSync(Buffer.alloc(50 * 1024 * 1024, ' ')), writer, { 'content-encoding': 'gzip' }))
        .status,
      413,
    );
  });

  it('updates dependent flags a few seconds later, with the same result as npm run quality', async () => {
    const shop = await issue({ scopes: ['aggregator', 'write:shop_f', 'write:shop_g', 'write:shop_h'] });
    const sound = { brand: 'Auralis', category: 'Tea', image_url: 'https://shop.example/a.jpg' };
    const of = (sku: string, more: Record<string, unknown>) =>
      record({ sku, source: 'shop_f', name: `A listing of its own ${sku}`, ...sound, ...more });
    const gtin = ['4006381333931'];
    const flags = async (): Promise<Record<string, string[]>> => {
      await api.es.indices.refresh({ index: api.products });
      const { hits } = await api.es.search<{ sku: string; internal: { flags: string[] } }>({
        index: api.products,
        size: 100,
        sort: ['sku'],
        _source: ['sku', 'internal.flags'],
        query: { terms: { source: ['shop_f', 'shop_g', 'shop_h'] } },
      });
      return Object.fromEntries(
        hits.hits.flatMap(({ _source: found }) =>
          found === undefined || found.internal.flags.length === 0 ? [] : [[found.sku, found.internal.flags]],
        ),
      );
    };
    const become = async (expected: Record<string, string[]>) => {
      let seen = {};
      await until(async () => isDeepStrictEqual((seen = await flags()), expected)).catch(() => undefined);
      assert.deepEqual(seen, expected);
    };
    const twin = { name: 'Twin kettle of steel', price: '7.00' };
    const offers = ['349.00', '350.00', '351.00'].map((price, i) =>
      of(`offer${i}`, { source: ['shop_f', 'shop_g', 'shop_h'][i], price }),
    );
    const reply = await write(
      lines(
        ...[of('twin1', twin), of('twin2', twin), of('alone', { price: '7.00' }), ...offers],
        ...[of('g1', { gtin }), of('g2', { gtin, source: 'shop_g' }), of('g3', { gtin, brand: 'Other' })],
      ),
      shop,
    );
    assert.strictEqual(reply.body.rejected, 0, reply.text);
    await become({ g3: ['gtin_conflict'], twin1: ['duplicate'], twin2: ['duplicate'] });
    await api.es.updateByQuery({
      index: api.products,
      refresh: true,
      query: { prefix: { sku: 'offer' } },
      script: { source: `ctx._source.internal.group_id = ${await api.id('offer0')}L` },
    });
    // A changed price removes the flag of both twins, and a changed price of another listing of the product
    // makes the first offer an outlier.
    const changes = [of('twin1', { ...twin, price: '8.00' }), { ...offers[0], price: '70.00' }];
    assert.strictEqual((await write(lines(...changes), shop)).status, 200);
    await become({ g3: ['gtin_conflict'], offer0: ['price_outlier'] });
    assert.match(await outputOf(quality, api.prefix), /; the flags of 0 changed/);
  });

  it('suggests new brands, categories and models a few seconds later', async () => {
    await outputOf(suggest, api.prefix);
    const suggested = async (q: string): Promise<[string, string, number][]> => {
      const { body } = await api.get(`/v1/suggest?q=${encodeURIComponent(q)}`);
      return body.items.map(({ type, text, count }: any) => [type, text, count]);
    };
    assert.deepEqual(await suggested('zephyr'), []);
    const shop = await issue({ scopes: ['write:shop_s'] });
    const of = (sku: string, more: Record<string, unknown>) =>
      record({ sku, source: 'shop_s', brand: 'Zephyrine', category: 'Zephyr fans', ...more });
    await write(lines(of('Z1', { metadata: { model: 'ZPH-7000' } }), of('Z2', {})), shop);
    const expected = [
      ['category', 'Zephyr fans', 2],
      ['brand', 'Zephyrine', 2],
    ];
    let seen: unknown;
    await until(async () => isDeepStrictEqual((seen = await suggested('zephyr')), expected)).catch(
      () => null,
    );
    assert.sameDeepMembers(seen as unknown[], expected);
    assert.deepEqual(await suggested('zph-7'), [['model', 'ZPH-7000', 1]]);
    // Nothing is suggested twice, and the count follows.
    await write(lines(of('Z3', {}), of('Z4', { brand: 'Zephyrous' })), shop);
    await until(async () => (await suggested('zephyrous')).length === 1);
    assert.deepEqual(await suggested('zephyrine'), [['brand', 'Zephyrine', 3]]);
  });

  it('rejects zstd, zip archives and workbooks before unpacking them', async () => {
    const own = await issue({ scopes: ['write:shop_a'] });
    for (const packed of ['28b52ffd00a7', '504b0304140000', 'd0cf11e0a1b11ae1']) {
      const reply = await write(Buffer.from(packed, 'hex'), own);
      assert.strictEqual(reply.status, 415, packed);
      assert.match(reply.body.detail, /^Only plain or gzip JSON is read here/);
      assert.strictEqual(reply.headers.get('accept-encoding'), 'gzip, deflate, br, identity');
    }
    const coded = await write('{}', own, { 'content-encoding': 'zstd' });
    assert.deepEqual([coded.status, coded.body], [415, { detail: 'Unsupported content encoding' }]);
    assert.strictEqual(coded.headers.get('accept-encoding'), 'gzip, deflate, br, identity');
  });

  it('returns at most 20 reasons for a record, and a limited number in total', async () => {
    const price_history = Array<number>(1_000).fill(0);
    const bad = (sku: number) => ({ ...record({ sku: String(sku) }), price_history });
    const own = await issue({ scopes: ['write:shop_a'] });
    const few = await write(lines(bad(1)), own);
    assert.lengthOf(few.body.results[0].reasons, 20);
    assert.strictEqual(few.body.results[0].reasons[19], 'price_history[19]: needs the members price and at');
    const many = await write(gzipSync(lines(...Array.from({ length: 4_900 }, (_, i) => bad(i)))), own);
    assert.deepEqual([many.status, many.body.rejected], [200, 4_900]);
    assert.isBelow(many.text.length, 2_000_000);
    assert.lengthOf(many.body.results[0].reasons, 20);
    assert.lengthOf(many.body.results[4_899].reasons, 1);
  });

  it('warns about members that listings do not have', async () => {
    const { body } = await write(
      lines(
        { ...record({ sku: 'M1' }), colour: 'red', id: 1, ['x'.repeat(90)]: 1 },
        record({ sku: 'M2' }),
        { ...record({ sku: 'M3', price: 'free' }), Brand: 'x' },
        Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${i}`, i])),
      ),
      await issue({ scopes: ['write:shop_a'] }),
    );
    const [first, second, third, fourth] = body.results;
    const ignored = 'is not a field of a listing and was not loaded';
    assert.deepEqual(first.warnings, [`"colour" ${ignored}`, `"${'x'.repeat(60)}"… ${ignored}`]);
    assert.notProperty(second, 'warnings');
    assert.deepEqual([third.outcome, third.warnings], ['rejected', [`"Brand" ${ignored}`]]);
    assert.lengthOf(fourth.warnings, 20);
  });

  it('rejects a body with another content type', async () => {
    const of = async (type: string) =>
      (await write(lines(record({ sku: 'T1' })), writer, { 'content-type': type })).status;
    for (const type of ['text/csv', 'application/xml', 'multipart/form-data; boundary=x', 'json'])
      assert.strictEqual(await of(type), 415, type);
    const { body } = await write('sku,source,name\n', writer, { 'content-type': 'Text/CSV; charset=utf-8' });
    assert.match(body.detail, /application\/x-ndjson or application\/json/);
    for (const type of ['application/x-ndjson', 'application/json; charset=utf-8', 'application/jsonl'])
      assert.strictEqual(await of(type), 200, type);
    // The media type that curl --data-binary sends.
    assert.strictEqual(await of('application/x-www-form-urlencoded'), 200);
  });

  it('loads a request with a repeated Idempotency-Key once, and rejects the key with another body', async () => {
    const headers = { 'idempotency-key': 'night-1' };
    const first = await write(lines(record({ sku: 'I1', price: '5.00' })), writer, headers);
    assert.deepEqual(first.body.results, [{ index: 0, outcome: 'created' }]);
    await write(lines(record({ sku: 'I1', price: '6.00' })));
    const second = await write(lines(record({ sku: 'I1', price: '5.00' })), writer, headers);
    assert.deepEqual([second.status, second.headers.get('idempotency-replayed')], [200, 'true']);
    assert.deepEqual(second.body, first.body);
    assert.include(await stored('I1'), { price: '6.00' });
    const other = await write(lines(record({ sku: 'I2' })), writer, headers);
    assert.strictEqual(other.status, 422);
    const msg = 'Value error, this Idempotency-Key was used for another body';
    assert.deepEqual(other.body.detail, [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
    // The same `Idempotency-Key` with another API key is a different one.
    const colleague = await issue({ scopes: ['write:shop_a'] });
    assert.strictEqual(
      (await write(lines(record({ sku: 'I2' })), colleague, headers)).body.results[0].outcome,
      'created',
    );
    for (const [invalid, type] of [
      ['x'.repeat(201), 'string_too_long'],
      ['', 'string_too_short'],
    ] as const) {
      const { status, body } = await write('{}', writer, { 'idempotency-key': invalid });
      assert.deepEqual([status, body.detail[0].type], [422, type]);
    }
  });

  it('counts writes in a separate window, and reports both windows in the usage', async () => {
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
    const refusals = replies.map(({ status }) => status).filter((status) => status === 429);
    assert.deepEqual(refusals, [429]);
    assert.strictEqual(replies[0]?.headers.get('x-ratelimit-limit'), '30');
    const second = await api.open('/v1/usage', { headers: as(key) });
    assert.strictEqual(second.headers.get('x-ratelimit-remaining'), String(second.body.requests.remaining));
    assert.deepInclude(second.body.requests, { used: 2 });
    assert.deepInclude(second.body.writes, { used: 31, remaining: 0 });
    assert.isAbove(Date.parse(second.body.writes.resets_at), Date.now());
  });

  it('limits the listings and bytes of a source per day, by tier, for all keys that write it', async () => {
    const scopes = ['write:shop_q', 'write:shop_r'];
    const [key, other] = [await issue({ scopes }), await issue({ scopes })];
    const usage = async (of: Issued) => (await api.open('/v1/usage', { headers: as(of) })).body.write_quotas;
    const [q, r] = await usage(key);
    assert.deepInclude(q, { source: 'shop_q', listings: { limit: 20_000, used: 0, remaining: 20_000 } });
    assert.deepInclude(q.bytes, { limit: 50_000_000, used: 0 });
    assert.match(q.resets_at, /T00:00:00\.000Z$/);
    assert.equal(r.source, 'shop_r');
    // Listings that cannot be loaded count against the quota as well, because they were read.
    const of = (source: string, count: number) => `{"sku":"S","source":"${source}"}\n`.repeat(count);
    const body = of('shop_q', 9_000) + of('shop_r', 10);
    for (const each of [key, other]) assert.equal((await write(body, each)).status, 200);
    const [left] = await usage(other);
    assert.deepInclude(left.listings, { used: 18_000, remaining: 2_000 });
    assert.approximately(left.bytes.used, 2 * of('shop_q', 9_000).length, 20);
    const refused = await write(of('shop_r', 1) + of('shop_q', 2_001), key);
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.body.detail, /^The request exceeds the daily quota of shop_q: 20000 listings/);
    assert.isAtMost(Number(refused.headers.get('retry-after')), 86_400);
    assert.deepEqual((await usage(key))[1].listings.used, 20, 'nothing of a refused request counts');
    // The two requests together exceed the quota, so only one of them is accepted.
    const both = await Promise.all([key, other].map((each) => write(of('shop_q', 1_500), each)));
    assert.sameMembers(pluck(both, 'status'), [200, 429]);
    const standard = await issue({ scopes: ['write:shop_q'], tier: 'standard' });
    assert.equal((await write(of('shop_q', 2_001), standard)).status, 200);
  });

  it('rejects expired keys, and rotated keys after their grace period', async () => {
    // On a busy machine, a key may expire before it is used, or even before it is issued; the next one lives longer.
    let lifeMs = 500;
    const brief = await until(async () => {
      lifeMs *= 2;
      const soon = new Date(Date.now() + lifeMs).toISOString();
      const made = await requestKey({ expires_at: soon });
      if (made.status === 422) return null;
      assert.strictEqual(made.status, 201, made.text);
      const usage = await api.open('/v1/usage', { headers: as(made.body) });
      if (usage.status === 401) return null;
      assert.strictEqual(usage.body.expires_at, soon);
      return made.body as Issued;
    });
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
