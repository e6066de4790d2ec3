import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assert } from 'chai';
import { enforceReadRate, type ReadRate } from '../../src/http/transfer/transfer-rate.js';

const closed = (response: IncomingMessage) => new Promise((resolve) => response.once('close', resolve));

const PIECE = Buffer.alloc(64 * 1024);

/**
 * Each of these tests was seen to fail without its line of `enforceReadRate`, because the response then never
 * ended.
 */
describe('the read rate of a long response', function () {
  const patient: ReadRate = { every: 10, window: 60_000, bytes: 1, total: 60_000 };
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Requests a response whose body is a stream. */
  async function ask(body: () => Readable, rate: ReadRate, isAllowed = () => Promise.resolve(true)) {
    server = createServer((_request, response) => {
      enforceReadRate(response, rate, isAllowed);
      pipeline(body(), response).catch(() => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asking = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { agent: false });
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  }
  /** The body is larger than the buffers of the sockets. */
  const large = () => Readable.from(Array.from({ length: 1_000 }, () => PIECE));

  it('ends the response to a client that does not read', async () => {
    const response = await ask(large, { ...patient, window: 100 });
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    while ((await connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
  });

  it('completes the response to a client that reads', async () => {
    const response = await ask(large, { ...patient, window: 2_000 });
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    assert.isTrue(response.complete);
    assert.equal(bytes, 1_000 * PIECE.length);
  });

  it('does not apply to a client that waits for the service', async () => {
    const source = new PassThrough();
    source.write('first');
    const maxChecks = 30;
    let checks = 0;
    const response = await ask(
      () => source,
      { ...patient, every: 5, window: 20, bytes: 1_000 },
      () => {
        checks += 1;
        if (checks === maxChecks) source.end('last');
        return Promise.resolve(true);
      },
    );
    let text = '';
    for await (const chunk of response) text += String(chunk);
    assert.equal(text, 'firstlast');
  });

  it('ends the response at its total deadline, however fast the client reads', async () => {
    const source = new PassThrough();
    source.write('first');
    const response = await ask(() => source, { ...patient, total: 100 });
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
  });

  it('ends the response if it is no longer allowed, but not if that cannot be determined', async () => {
    const source = new PassThrough();
    source.write('first');
    let checks = 0;
    const response = await ask(
      () => source,
      patient,
      () => {
        checks += 1;
        return checks < 5 ? Promise.reject(new Error('away')) : Promise.resolve(false);
      },
    );
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
    assert.equal(checks, 5);
  });
});
