import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assert } from 'chai';
import { keepPace, type Pace } from '../../src/http/transfer/transfer-rate.js';

const closed = (response: IncomingMessage) => new Promise((resolve) => response.once('close', resolve));

const PIECE = Buffer.alloc(64 * 1024);

/** Seen to fail: each where its line of `keepPace` is left out (the test then waits for ever). */
describe('the pace of a long answer', function () {
  this.timeout(20_000);
  const patient: Pace = { every: 10, window: 60_000, bytes: 1, total: 60_000 };
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Asks for an answer that is made of a stream. */
  async function ask(body: () => Readable, pace: Pace, isAllowed = () => Promise.resolve(true)) {
    server = createServer((_request, response) => {
      keepPace(response, pace, isAllowed);
      pipeline(body(), response).catch(() => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asking = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { agent: false });
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  }
  /** More than the sockets' buffers hold. */
  const large = () => Readable.from(Array.from({ length: 1_000 }, () => PIECE));

  it('is lost by a client that does not read: it is cut', async () => {
    const response = await ask(large, { ...patient, window: 100 });
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    while ((await connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
  });

  it('is kept by one that reads', async () => {
    const response = await ask(large, { ...patient, window: 2_000 });
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    assert.isTrue(response.complete);
    assert.equal(bytes, 1_000 * PIECE.length);
  });

  it('is not asked of a client that waits for us', async () => {
    const source = new PassThrough();
    source.write('first');
    const looks = 30;
    let looked = 0;
    const response = await ask(
      () => source,
      { ...patient, every: 5, window: 20, bytes: 1_000 },
      () => {
        looked += 1;
        if (looked === looks) source.end('last');
        return Promise.resolve(true);
      },
    );
    let text = '';
    for await (const chunk of response) text += String(chunk);
    assert.equal(text, 'firstlast');
  });

  it('ends at the deadline of the whole, however fast the client is', async () => {
    const source = new PassThrough();
    source.write('first');
    const response = await ask(() => source, { ...patient, total: 100 });
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
  });

  it('ends where it is no longer allowed, but not where nobody can say', async () => {
    const source = new PassThrough();
    source.write('first');
    let looked = 0;
    const response = await ask(
      () => source,
      patient,
      () => {
        looked += 1;
        return looked < 5 ? Promise.reject(new Error('away')) : Promise.resolve(false);
      },
    );
    response.resume();
    await closed(response);
    assert.isFalse(response.complete);
    assert.equal(looked, 5);
  });
});
