import { assert } from 'chai';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';

describe('POST /v1/listings of more than fifty records', function () {
  const api = useApi();
  let key: string;

  const post = (records: readonly object[], query = '', more: Record<string, string> = {}) =>
    api.open(`/v1/listings${query}`, {
      method: 'POST',
      body: JSON.stringify(records),
      headers: { authorization: `Bearer ${key}`, ...more },
    });
  /** Records of a source; the first ones lack a price. */
  const offers = (source: string, count: number, unpriced = 0) =>
    Array.from({ length: count }, (_, at) =>
      record({ sku: `${source}-${at}`, source, brand: 'Orla', ...(at < unpriced ? { price: null } : {}) }),
    );
  const priced = async (source: string): Promise<number> => {
    await api.es.indices.refresh({ index: api.products });
    const filter = [{ term: { source } }, { exists: { field: 'internal.price_units' } }];
    return (await api.es.count({ index: api.products, query: { bool: { filter } } })).count;
  };

  before(async () => {
    const scopes = ['a', 'b', 'c', 'd'].map((name) => `write:cups_${name}`);
    const body = JSON.stringify({
      developer_id: 'd',
      name: 'n',
      tier: 'free',
      admin_secret: ADMIN_SECRET,
      scopes,
    });
    key = (await api.open('/v1/keys', { method: 'POST', body })).body.raw_key;
  });

  it('is refused, without a write or a charge, if it clears a field of too many listings', async () => {
    assert.strictEqual((await post(offers('cups_a', 60))).status, 200);
    const quota = async () => {
      const { body } = await api.open('/v1/usage', { headers: { authorization: `Bearer ${key}` } });
      return JSON.stringify(body.write_quotas);
    };
    const before = await quota();
    // The first request was not refreshed yet, but counts.
    const refused = await post(offers('cups_a', 60, 13));
    assert.strictEqual(refused.status, 422, refused.text);
    assert.deepEqual(refused.body, {
      detail: [
        {
          loc: ['query', 'max_cleared'],
          msg: 'Value error, the request would clear price of 13 of the 60 listings of cups_a that have it (21.7 %), more than 20 per cent; nothing was loaded',
          type: 'value_error',
        },
      ],
    });
    assert.strictEqual(await priced('cups_a'), 60);
    assert.strictEqual(await quota(), before);
    const loaded = await post(offers('cups_a', 60, 12));
    assert.strictEqual(loaded.status, 200, loaded.text);
    assert.deepInclude(loaded.body.results[0], { index: 0, outcome: 'price_cleared' });
    assert.strictEqual(await priced('cups_a'), 48);
  });

  it('may clear as many as max_cleared allows, also with an Idempotency-Key that was refused before', async () => {
    assert.strictEqual((await post(offers('cups_b', 60))).status, 200);
    const all = offers('cups_b', 60, 60);
    const once = { 'idempotency-key': 'cups' };
    assert.strictEqual((await post(all, '', once)).status, 422);
    assert.strictEqual((await post(all, '?max_cleared=99.5', once)).status, 422);
    assert.strictEqual((await post(offers('cups_b', 60, 1), '?max_cleared=0')).status, 422);
    assert.strictEqual((await post(all, '?max_cleared=100', once)).status, 200);
    assert.strictEqual(await priced('cups_b'), 0);
    for (const wrong of ['101', '-1', 'all', '1e1'])
      assert.strictEqual((await post(all, `?max_cleared=${wrong}`)).status, 422, wrong);
  });

  it('is measured by all listings of the source', async () => {
    assert.strictEqual((await post(offers('cups_c', 400))).status, 200);
    const part = offers('cups_c', 60, 60);
    assert.strictEqual((await post(part)).status, 200);
    assert.strictEqual(await priced('cups_c'), 340);
    assert.strictEqual((await post(offers('cups_c', 140, 140).slice(60))).status, 422);
  });

  it('differs from one of fifty records, which may clear everything', async () => {
    assert.strictEqual((await post(offers('cups_d', 51))).status, 200);
    assert.strictEqual((await post(offers('cups_d', 51, 51))).status, 422);
    assert.strictEqual((await post(offers('cups_d', 50, 50))).status, 200);
    assert.strictEqual(await priced('cups_d'), 1);
  });
});
