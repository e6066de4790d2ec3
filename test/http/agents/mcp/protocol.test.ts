import { assert } from 'chai';
import { type Reply, startApi, useApi } from '../../../support/api.js';
import { pluck, record } from '../../../support/listings.js';

const OWN_ORIGIN = 'http://catalogue.example';
const BOTH = 'application/json, text/event-stream';

/** Tests `POST /mcp` at the level of HTTP. tools.test.ts tests what agents do with it. */
describe('the Model Context Protocol over HTTP', () => {
  const api = useApi([record({ sku: 'a', name: 'Blue kettle' })], { CORS_ORIGINS: 'https://agents.example' });
  let key: string;
  before(async () => {
    key = await api.key();
  });

  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  /**
   * Sends a message to `/mcp`.
   * @param authorization such as `Bearer KEY`.
   */
  const post = (message: unknown, headers: Record<string, string>, authorization: string): Promise<Reply> =>
    api.open('/mcp', {
      method: 'POST',
      body: typeof message === 'string' ? message : JSON.stringify(message),
      headers: { 'content-type': 'application/json', accept: BOTH, authorization, ...headers },
    });
  const ask = (message: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    post(message, headers, `Bearer ${key}`);
  const kettle = rpc('tools/call', { name: 'search_products', arguments: { q: 'kettle' } });
  const initialize = (protocolVersion: string) =>
    rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } });

  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    it(`agrees on ${version} by a handshake, and answers in JSON without a session`, async () => {
      const { status, headers, body } = await ask(initialize(version));
      assert.equal(status, 200);
      assert.equal(body.result.protocolVersion, version);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.isNull(headers.get('mcp-session-id'));
      const called = await ask(kettle, { 'mcp-protocol-version': version });
      assert.match(called.body.result.content[0].text, /"Blue kettle"/);
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const taken = await ask(initialized, { 'mcp-protocol-version': version });
      assert.deepEqual([taken.status, taken.text], [202, '']);
    });
  }

  it('offers its newest version if it does not support the client’s', async () => {
    const { body } = await ask(initialize('2024-11-05'));
    assert.equal(body.result.protocolVersion, '2025-11-25');
  });

  const modern = (method: string, params: object = {}) => ({
    message: rpc(method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
  });

  it('supports 2026-07-28 without a handshake', async () => {
    const { message, headers } = modern('server/discover');
    const { status, body, headers: answered } = await ask(message, headers);
    assert.equal(status, 200);
    assert.include(body.result.supportedVersions, '2026-07-28');
    assert.match(answered.get('content-type') ?? '', /^application\/json/);
  });

  it('ends a subscription at once, because nothing ever changes', async () => {
    const { message, headers } = modern('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const { status, text } = await ask(message, headers);
    assert.equal(status, 200);
    assert.match(text, /notifications\/subscriptions\/acknowledged/);
    assert.match(text, /"result"/);
  });

  it('requires a key or a token', async () => {
    for (const credential of ['', 'Bearer svc_live_unknown', 'Basic YTpi']) {
      const { status, headers, body } = await post(kettle, {}, credential);
      assert.deepEqual([status, body.detail], [401, 'Invalid or revoked API key']);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    }
    const { access_token: token } = (await api.post('/v1/token', '')).body;
    assert.equal((await post(kettle, {}, `Bearer ${token}`)).status, 200);
  });

  it('accepts POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await api.get('/mcp', { method });
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method);
    }
  });

  it('refuses pages of other origins', async () => {
    const from = async (origin: string) => (await ask(kettle, { origin })).status;
    assert.equal(await from(OWN_ORIGIN), 200);
    assert.equal(await from('https://agents.example'), 200);
    for (const origin of ['https://evil.example', 'null', `${OWN_ORIGIN}.evil.example`, 'http://localhost:1'])
      assert.equal(await from(origin), 403, origin);
  });

  it('accepts pages of the same machine if its public URL is local', async () => {
    const local = await startApi({ PUBLIC_URL: 'http://localhost:3000' });
    const authorization = `Bearer ${await local.key()}`;
    const from = async (origin: string) =>
      (
        await local.open('/mcp', {
          method: 'POST',
          body: JSON.stringify(rpc('tools/list')),
          headers: { 'content-type': 'application/json', accept: BOTH, authorization, origin },
        })
      ).status;
    assert.equal(await from('http://127.0.0.1:6274'), 200);
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null'])
      assert.equal(await from(origin), 403, origin);
    await local.stop();
  });

  it('counts each POST once, whatever a tool calls, and answers a 429 as JSON-RPC', async () => {
    const free = `Bearer ${await api.key('free')}`;
    const left = async (message: unknown) =>
      Number((await post(message, {}, free)).headers.get('x-ratelimit-remaining'));
    const wrong = rpc('tools/call', { name: 'find_best_price', arguments: { q: 'zzzzqqq' } });
    const before = await left(kettle);
    assert.equal(await left(wrong), before - 1);
    assert.equal(await left(rpc('tools/list')), before - 2);
    let last = await post(rpc('ping'), {}, free);
    while (last.status === 200) last = await post(rpc('ping'), {}, free);
    assert.equal(last.status, 429);
    assert.equal(last.headers.get('retry-after'), '60');
    assert.deepEqual(last.body, {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, message: 'Rate limit exceeded. Retry after 60 seconds.' },
    });
  });

  it('accepts batches in revision 2025-03-26, the only one that has them, and counts each message', async () => {
    const batch = [kettle, { ...rpc('ping'), id: 2 }, { jsonrpc: '2.0', method: 'notifications/cancelled' }];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, body } = await ask(batch, headers as Record<string, string>);
      assert.deepEqual([status, pluck(body, 'id').sort()], [200, [1, 2]]);
    }
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const { status, body } = await ask([kettle], { 'mcp-protocol-version': version });
      assert.deepEqual([status, body.error.code], [400, -32_600], version);
      assert.include(body.error.message, version);
    }
    const many = await ask(Array.from({ length: 21 }, () => rpc('ping')));
    assert.deepEqual([many.status, many.body.error.code], [400, -32_600]);

    const free = `Bearer ${await api.key('free')}`;
    const left = async (message: unknown) =>
      Number((await post(message, {}, free)).headers.get('x-ratelimit-remaining'));
    const before = await left(rpc('ping'));
    assert.equal(await left(batch), before - batch.length);
    const pings = Array.from({ length: 20 }, (_, i) => ({ ...rpc('ping'), id: i }));
    let last = await post(pings, {}, free);
    while (last.status === 200) last = await post(pings, {}, free);
    assert.deepEqual([last.status, last.body.error.code], [429, -32_000]);
  });

  const unreadable: [what: string, body: string, status: number, code: number][] = [
    ['no JSON', '{', 400, -32_700],
    ['nothing', '', 400, -32_700],
    ['no message', '{"a":1}', 400, -32_600],
    ['a number', '7', 400, -32_600],
    ['null', 'null', 400, -32_600],
    ['an empty list', '[]', 400, -32_600],
    ['a list of lists', '[[[]]]', 400, -32_600],
    ['what is nested without end', `{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`, 400, -32_600],
    ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600],
    ['more than anybody says', `{"a":"${'x'.repeat(200_000)}"}`, 413, -32_000],
  ];
  for (const [what, body, status, code] of unreadable) {
    it(`says what it cannot read: ${what}`, async () => {
      const reply = await ask(body);
      assert.deepEqual([reply.status, reply.body?.error?.code], [status, code], reply.text);
      assert.equal(reply.body.jsonrpc, '2.0');
    });
  }

  it('reports unknown methods and invalid messages', async () => {
    const unknown = await ask(rpc('tools/destroy'));
    assert.equal(unknown.body.error.code, -32_601);
    const text = await ask(kettle, { 'content-type': 'text/plain' });
    assert.deepEqual([text.status, text.body.jsonrpc], [415, '2.0']);
    const html = await ask(kettle, { accept: 'text/html' });
    assert.deepEqual([html.status, html.body.jsonrpc], [406, '2.0']);
  });
});
