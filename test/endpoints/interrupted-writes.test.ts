import { assert } from 'chai';
import { ADMIN_SECRET, startApi, type Api } from '../support/api.js';
import { type Gate, startGate } from '../support/gate.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

const INTERRUPTED =
  'Service temporarily unavailable: the write may have been stored. Repeat it with the same Idempotency-Key';

describe('a write whose answer from Elasticsearch is lost', () => {
  let gate: Gate;
  let api: Api;
  let authorization: string;
  before(async () => {
    gate = await startGate(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: gate.url });
    await api.load([record({ sku: 'watched', price: '5.00' })]);
    const issued = { developer_id: 'd', name: 'n', tier: 'free', scopes: ['write:shop_a'] };
    const body = JSON.stringify({ ...issued, admin_secret: ADMIN_SECRET });
    const { body: key } = await api.open('/v1/keys', { method: 'POST', body });
    authorization = `Bearer ${(key as { raw_key: string }).raw_key}`;
  });
  afterEach(() => gate.watch(() => undefined));
  after(async () => {
    await api.stop();
    await gate.close();
  });

  const post = (path: string, content: unknown) => {
    const headers = { authorization, 'idempotency-key': `once ${path}` };
    return api.open(path, { method: 'POST', body: JSON.stringify(content), headers });
  };
  const loseAnswersTo = (request: RegExp) =>
    gate.watch(({ line, answer }) => {
      if (request.test(line) && answer !== undefined) throw new Error('lost');
    });

  it('is answered with 503, and a listing is stored once when it is repeated', async () => {
    const listing = record({ sku: 'uncertain', source: 'shop_a' });
    loseAnswersTo(/^POST .*_bulk$/);
    const { status, body, headers } = await post('/v1/listings', listing);
    assert.deepEqual([status, body.detail, headers.get('retry-after')], [503, INTERRUPTED, '5']);
    gate.watch(() => undefined);
    const repeated = await post('/v1/listings', listing);
    assert.strictEqual(repeated.status, 200, repeated.text);
    assert.strictEqual(repeated.headers.get('idempotency-replayed'), 'false');
    await api.es.indices.refresh({ index: api.products });
    const query = { term: { sku: 'uncertain' } };
    assert.strictEqual((await api.es.count({ index: api.products, query })).count, 1);
  });

  it('is answered with 503, and an alert is created once when it is repeated', async () => {
    const { hits } = await api.es.search<{ id: number }>({
      index: api.products,
      query: { term: { sku: 'watched' } },
    });
    const alert = { product_id: hits.hits[0]?._source?.id, when: { price_below: '4.00', currency: 'SGD' } };
    loseAnswersTo(/^PUT .*_create\//);
    const { status, body } = await post('/v1/alerts', alert);
    assert.deepEqual([status, body.detail], [503, INTERRUPTED]);
    gate.watch(() => undefined);
    const repeated = await post('/v1/alerts', alert);
    assert.include([200, 201], repeated.status, repeated.text);
    const { body: page } = await api.open('/v1/alerts', { headers: { authorization } });
    assert.strictEqual(page.total, 1);
  });
});
