import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { assert } from 'chai';
import express, { type Response as Answer } from 'express';
import { answerErrors } from '../../src/http/errors.js';
import { boundOpenPaths } from '../../src/http/open-paths.js';
import { trustProxies } from '../../src/platform/access/client-address.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { open } from '../attack/raw-http.js';
import { useApi } from '../support/api.js';
import { until } from '../support/until.js';

describe('requests to open paths', () => {
  const held: Answer[] = [];
  let url: string;
  let close: () => void;
  before(async () => {
    const app = express();
    trustProxies(app, ['loopback']);
    app.use(boundOpenPaths({ concurrent: 3, waiting: 4 }));
    app.get('/', (_request, response) => void held.push(response));
    app.use(answerErrors(createLogger({ environment: 'test', logLevel: 'silent' })));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    close = () => {
      server.close();
      server.closeAllConnections();
    };
  });
  after(() => close());
  afterEach(async () => {
    for (const response of held.splice(0)) response.end();
    await until(() => held.length === 0);
  });
  const from = (address: string, signal?: AbortSignal) =>
    fetch(url, { headers: { 'x-forwarded-for': address }, ...(signal === undefined ? {} : { signal }) });

  it('are answered a few at a time for a network, in order; then they wait, and then they are refused', async () => {
    const answers = Array.from({ length: 9 }, () => from('203.0.113.1'));
    const statuses: number[] = [];
    for (const answer of answers) void answer.then(({ status }) => statuses.push(status));
    await until(() => statuses.length === 2);
    assert.deepEqual(statuses, [503, 503]);
    assert.lengthOf(held, 3);
    const other = from('203.0.113.2');
    await until(() => held.length === 4);
    held.pop()?.end('other');
    assert.equal((await other).status, 200, 'another network does not wait');
    for (let answered = 1; answered <= 7; answered += 1) {
      held.shift()?.end();
      await until(() => statuses.length === 2 + answered && held.length === Math.min(3, 7 - answered));
    }
    assert.deepEqual(statuses, [503, 503, ...new Array<number>(7).fill(200)]);
  });

  it('of one IPv6 /48 share their places', async () => {
    const answers = ['2001:db8:1::1', '2001:db8:1:ff00::1', '2001:db8:1:a:b::', '2001:db8:1:ffff::'].map(
      (address) => from(address),
    );
    await until(() => held.length === 3);
    const other = from('2001:db8:2::1');
    await until(() => held.length === 4);
    held.splice(0).forEach((response) => response.end());
    await until(() => held.length === 1);
    held.shift()?.end();
    for (const answer of [...answers, other]) assert.equal((await answer).status, 200);
  });

  it('leave their places when their clients disconnect', async () => {
    const ends = new AbortController();
    const gone = Array.from({ length: 7 }, () => from('203.0.113.3', ends.signal).catch(() => null));
    await until(() => held.length === 3);
    ends.abort();
    await Promise.all(gone);
    held.length = 0;
    const answer = from('203.0.113.3');
    await until(() => held.length === 1);
    held.shift()?.end();
    assert.equal((await answer).status, 200);
  });
});

describe('a client that does not read answers of open paths', () => {
  const api = useApi([], { TRUST_PROXY: 'loopback' });

  it('delays the open paths of its own network alone, but not health probes', async () => {
    const address = 'X-Forwarded-For: 203.0.113.1\r\n';
    const sockets = Array.from({ length: 8 }, () => {
      const socket = open(api.url).pause();
      // Together the answers are larger than the buffers of the connection.
      socket.write(`GET /openapi.json HTTP/1.1\r\nHost: a\r\n${address}\r\n`.repeat(60));
      return socket;
    });
    const paths = ['/openapi.json', '/docs', '/docs/swagger-ui.css', '/llms.txt', '/explore', '/nowhere'];
    const answered: string[] = [];
    const ask = async (path: string, from: string) => {
      const { status } = await api.open(path, { headers: { 'x-forwarded-for': from } });
      answered.push(`${path} ${status}`);
      return status;
    };
    await once(sockets[0] as Socket, 'connect');
    // The service has received the requests of all sockets once it answers a later one.
    for (let i = 0; i < 3; i += 1) assert.equal(await ask('/livez', '203.0.113.1'), 200);
    const own = paths.map((path) => ask(path, '203.0.113.1'));
    for (const path of paths) assert.include([200, 404], await ask(path, '203.0.113.2'), path);
    for (const path of ['/livez', '/readyz', '/']) assert.equal(await ask(path, '203.0.113.1'), 200);
    // A busy Elasticsearch may exceed the deadline of the probe; its 503 has a `status`, that of a refusal an `error`.
    const health = await api.open('/health', { headers: { 'x-forwarded-for': '203.0.113.1' } });
    assert.property(health.body, 'status');
    answered.push('/health');
    assert.lengthOf(answered, 3 + paths.length + 4, answered.join());
    for (const socket of sockets) socket.destroy();
    for (const status of await Promise.all(own)) assert.include([200, 404], status);
  });
});
