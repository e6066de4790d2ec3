import { assert } from 'chai';
import type { Endpoint } from '../../src/http/endpoint.js';
import { endpoints } from '../../src/http/routes/index.js';
import { type Reply, useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const KETTLE = record({ sku: 'a', name: 'Blue kettle' });
const AGENT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const ENV = { TRUST_PROXY: 'loopback', PUBLIC_READ_LIMIT: '12' };

const from = (address: string, headers: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': address, ...headers },
});
const searchOf = (headers: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { ...AGENT, ...headers },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_products', arguments: { q: 'kettle' } },
  }),
});
const remaining = ({ headers }: Reply) => headers.get('x-ratelimit-remaining');

describe('PUBLIC_READ=on', () => {
  const api = useApi([KETTLE], { ...ENV, PUBLIC_READ: 'on' });

  it('answers requests that only read without a key, and no others', async () => {
    // Each request comes from another address, so that none is refused by the rate limit.
    const ask = async ({ method, path }: Endpoint, i: number) => {
      const init = { method: method.toUpperCase(), ...from(`203.0.113.${i}`), redirect: 'manual' as const };
      return (await api.open(path.replaceAll(/\{\w+\}/g, '1'), init)).status;
    };
    const closed: string[] = [];
    for (const [i, endpoint] of endpoints.entries()) {
      const name = `${endpoint.method} ${endpoint.path}`;
      if ([401, 403].includes(await ask(endpoint, i))) closed.push(name);
    }
    assert.deepEqual(closed.sort(), [
      'delete /v1/alerts/{alert_id}',
      'delete /v1/decisions/{decision_id}',
      'delete /v1/keys/{key_id}',
      'get /v1/alerts',
      'get /v1/alerts/{alert_id}',
      'get /v1/alerts/{alert_id}/events',
      'get /v1/changes',
      'get /v1/decisions',
      'get /v1/keys',
      'get /v1/products/export',
      'get /v1/review',
      'get /v1/usage',
      'patch /v1/alerts/{alert_id}',
      'post /v1/alerts',
      'post /v1/alerts/{alert_id}/events/{event_id}/redeliver',
      'post /v1/alerts/{alert_id}/rotate',
      'post /v1/alerts/{alert_id}/test',
      'post /v1/decisions',
      'post /v1/listings',
      'post /v1/token',
    ]);
  });

  it('limits an address, or an IPv6 network, and not the keys that it uses', async () => {
    const search = (address: string, headers?: Record<string, string>) =>
      api.open('/v1/search?q=kettle', from(address, headers));
    const first = await search('198.51.100.1');
    assert.equal(first.status, 200);
    assert.equal(first.body.items[0].name, 'Blue kettle');
    assert.equal(first.headers.get('x-ratelimit-limit'), '12');
    assert.match(first.headers.get('ratelimit-policy') ?? '', /^"12-in-1min"; q=12; w=60;/);
    for (let left = 10; left >= 0; left -= 1)
      assert.equal(remaining(await search('198.51.100.1')), String(left));
    const over = await search('198.51.100.1');
    assert.deepEqual([over.status, over.headers.get('retry-after')], [429, '60']);
    const closed = await api.open('/v1/usage', from('198.51.100.1'));
    assert.deepEqual([closed.status, closed.headers.get('www-authenticate')], [401, 'Bearer']);
    assert.equal(
      (await search('198.51.100.1', { authorization: `Bearer ${await api.key('free')}` })).status,
      200,
    );
    assert.equal(remaining(await search('198.51.100.2')), '11');
    assert.equal(remaining(await search('2001:db8:0:aa00::1')), '11');
    assert.equal(remaining(await search('2001:db8:0:aa01::2')), '10');
    const suggest = await api.open('/v1/suggest?q=ket', from('198.51.100.2'));
    assert.equal(remaining(suggest), '119');
  });

  it('refuses a wrong key, and guesses do not use up the limit of the address', async () => {
    const address = '198.51.100.3';
    for (const authorization of [`Bearer svc_live_${'x'.repeat(48)}`, 'Bearer x', '', 'Basic eDp5']) {
      const reply = await api.open('/v1/search?q=kettle', from(address, { authorization }));
      assert.equal(reply.status, 401, authorization);
      assert.equal(reply.headers.get('x-ratelimit-limit'), '100');
    }
    assert.equal(remaining(await api.open('/v1/search?q=kettle', from(address))), '11');
  });

  it('answers agents without a key', async () => {
    const { status, body } = await api.open('/mcp', searchOf({ 'x-forwarded-for': '198.51.100.4' }));
    assert.equal(status, 200);
    assert.include(body.result.content[0].text, 'Blue kettle');
    const wrong = await api.open('/mcp', searchOf({ authorization: 'Bearer x' }));
    assert.deepEqual([wrong.status, wrong.headers.get('www-authenticate')], [401, 'Bearer']);
  });

  it('pages by cursor without a key', async () => {
    const page = await api.open('/v1/search?cursor=&limit=1', from('198.51.100.5'));
    assert.deepEqual([page.status, page.body.total], [200, 1]);
  });

  it('is stated by what describes the service', async () => {
    const { paths } = (await api.open('/openapi.json')).body;
    assert.deepEqual(paths['/v1/search'].get.security, [{ bearer: [] }, {}]);
    assert.deepEqual(paths['/v1/usage'].get.security, [{ bearer: [] }]);
    assert.match((await api.open('/llms.txt')).text, /Reading needs no key, up to 12 requests a minute/);
    assert.match((await api.open('/', from('198.51.100.6'))).body.auth, /^Reading needs no key/);
    const [{ headers }] = JSON.parse((await api.open('/mcp/server-card')).text).remotes;
    assert.isFalse(headers[0].variables.key.isRequired);
  });
});

describe('PUBLIC_READ by default', () => {
  const api = useApi([], ENV);

  it('is off: every request needs a key, agents included', async () => {
    for (const reply of [await api.open('/v1/search'), await api.open('/mcp', searchOf({}))]) {
      assert.equal(reply.status, 401);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(reply.body, { detail: 'Invalid or revoked API key' });
    }
    const { paths } = (await api.open('/openapi.json')).body;
    assert.deepEqual(paths['/v1/search'].get.security, [{ bearer: [] }]);
  });
});
