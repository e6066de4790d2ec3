import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { assert } from 'chai';
import { ADMIN_SECRET, startApi, type Api } from '../support/api.js';
import { startGate, type Gate } from '../support/gate.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';

/**
 * The number of listings is larger than the first page of an export, so that an export needs a second page.
 */
const LISTINGS = 150;

describe('concurrent exports of a key', function () {
  let gate: Gate;
  let api: Api;
  let letGo: () => void;
  before(async () => {
    gate = await startGate(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: gate.url });
    await api.load(Array.from({ length: LISTINGS }, (_, i) => record({ sku: `s${i}` })));
  });
  // The second page of each export is delayed, so that the export keeps running.
  beforeEach(() => {
    const held = new Promise<void>((resolve) => (letGo = resolve));
    gate.watch(({ body, answer }) =>
      answer === undefined && body.includes('"search_after"') ? held : undefined,
    );
  });
  afterEach(() => {
    letGo();
  });
  after(async () => {
    await api.stop();
    await gate.close();
  });

  const open = async (key: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
    const [response] = (await once(
      get(`${api.url}/v1/products/export?format=ndjson`, { agent: false, headers }),
      'response',
    )) as [IncomingMessage];
    return response.on('error', () => undefined);
  };
  const rowsOf = async (response: IncomingMessage): Promise<number> => {
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text.split('\n').filter((line) => line !== '').length;
  };

  for (const [tier, most] of [
    ['free', 2],
    ['basic', 2],
    ['standard', 2],
    ['premium', 4],
  ] as const) {
    it(`(${tier}) are limited to ${most}, without affecting other keys`, async () => {
      const key = await api.key(tier);
      const running = [];
      for (let i = 0; i < most; i += 1) running.push(await open(key));
      const headers = { authorization: `Bearer ${key}` };
      const refused = await api.get('/v1/products/export', { headers });
      assert.equal(refused.status, 429);
      assert.deepEqual(refused.body, {
        detail: `At most ${most} exports at once for this key. Retry after 5 seconds.`,
      });
      assert.equal(refused.headers.get('retry-after'), '5');
      // Requests that are no exports of this key are still served.
      assert.equal((await api.get('/v1/search', { headers })).status, 200);
      running.push(await open(await api.key(tier)));

      letGo();
      for (const response of running) assert.equal(await rowsOf(response), LISTINGS);
      await until(async () => (await api.get('/v1/products/export?limit=1', { headers })).status === 200);
    });
  }

  it('are closed soon after the key is revoked, without affecting other keys', async () => {
    const wanted = { developer_id: 'd', name: 'n', tier: 'free', admin_secret: ADMIN_SECRET };
    const { body: revoked } = await api.post('/v1/keys', wanted);
    const response = await open(revoked.raw_key as string);
    const other = await open(await api.key('free'));
    const cut = new Promise((resolve) => response.once('close', resolve));
    response.resume();
    const headers = { 'x-admin-secret': ADMIN_SECRET };
    const path = `/v1/keys/${String(revoked.key_id)}`;
    assert.equal((await api.open(path, { method: 'DELETE', headers })).status, 204);
    await cut;
    assert.isFalse(response.complete);
    letGo();
    assert.equal(await rowsOf(other), LISTINGS);
  });
});
