// Runs first: it takes longer than most if it is drawn.
// Chaos only (hostile, sampled): it waits for time limits of the service.
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';
import { answerOf } from './raw-http.js';

const OF_EACH_KIND = 50;
const UPLOAD_SLOTS = 8;
const KEYS_PATH = 'POST /v1/keys HTTP/1.1\r\nHost: a\r\n';

/** Opens a connection whose client never closes its own side, even if the service does. */
function obstinate(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
}

/**
 * Sends a piece of a request every 200 ms, so that the service cannot close the connection because of
 * silence.
 */
function trickle(socket: Socket, first: string, piece: string): Socket {
  socket.write(first);
  const timer = setInterval(() => socket.write(piece), 200);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

describe('slow connections', function () {
  const api = useApi();

  const writer = async (source: string): Promise<string> => {
    const body = { developer_id: source, name: 'n', tier: 'free', scopes: [`write:${source}`] };
    const issued = await api.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({ ...body, admin_secret: ADMIN_SECRET }),
    });
    return issued.body.raw_key;
  };
  const uploadHead = (key: string, length: number): string =>
    `POST /v1/listings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`;

  it('are closed by the service, whatever their clients continue to send', async () => {
    const kinds: [first: string, piece: string][] = [
      ['GET /livez HTTP/1.1\r\n', 'X: y\r\n'],
      [`${KEYS_PATH}Content-Length: 9000\r\n\r\n{`, ' '],
      [`${KEYS_PATH}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
      // The service answers these requests at once, and never reads their bodies.
      ['GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{', ' '],
      ['POST /v1/products/compare HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{', ' '],
      ['POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{', ' '],
      // The second request on a connection, after the response to the first one.
      ['GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\n', 'X: y\r\n'],
    ];
    const sockets = kinds.flatMap(([first, piece]) =>
      Array.from({ length: OF_EACH_KIND }, () => trickle(obstinate(api.url), first, piece)),
    );
    for (const socket of sockets) socket.resume();
    await until(() => sockets.every((socket) => socket.closed));
    assert.equal((await api.open('/livez')).status, 200);
  });

  it('of uploads release their slots with their answers', async () => {
    const keys = await Promise.all(Array.from({ length: UPLOAD_SLOTS + 1 }, (_, i) => writer(`shop_${i}`)));
    const last = keys.pop() ?? '';
    const stalled = keys.map((key) => trickle(obstinate(api.url), `${uploadHead(key, 5_000_000)}{`, ' '));
    for (const socket of stalled) {
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 408 /);
    }
    assert.equal(
      (
        await api.open('/v1/listings', {
          method: 'POST',
          body: JSON.stringify(record({ source: `shop_${UPLOAD_SLOTS}`, sku: 's' })),
          headers: { authorization: `Bearer ${last}` },
        })
      ).status,
      200,
    );
  });

  it('that make progress are not closed: an upload may take longer than a stalled one', async () => {
    const pieces = 12;
    const piece = `${JSON.stringify(record({ source: 'steady', sku: 's', description: 'x' }))}\n${' '.repeat(100_000)}\n`;
    const key = await writer('steady');
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const answer = answerOf(socket);
    const body = piece.repeat(pieces);
    socket.write(uploadHead(key, body.length).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    for (let i = 0; i < pieces; i += 1) {
      await sleep(500);
      socket.write(piece);
    }
    const { status, body: loaded } = await answer;
    assert.equal(status, 200, JSON.stringify(loaded));
    assert.propertyVal(loaded, 'records', pieces);
  });

  /** Sends a whole body before it reads the response, as many clients do. */
  async function sendAllThenRead(head: string, length: number): Promise<number> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname).pause();
    let failure: Error | null = null;
    socket.on('error', (error) => (failure = error));
    socket.write(head);
    const piece = Buffer.alloc(64 * 1024, ' ');
    for (let sent = 0; sent < length && failure === null; sent += piece.length) {
      const isChunked = head.includes('chunked');
      if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`);
      const isFull = !socket.write(piece);
      if (isChunked) socket.write('\r\n');
      if (isFull) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    }
    const { status } = await answerOf(socket.resume());
    assert.isNull(failure);
    return status;
  }

  it('of clients that send everything before they read receive their 413', async () => {
    const key = await writer('large');
    const length = 192 * 64 * 1024;
    const chunked = uploadHead(key, length).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
    const small = `POST /v1/products/compare HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    for (let i = 0; i < 5; i += 1) {
      assert.equal(await sendAllThenRead(uploadHead(key, length), length), 413);
      assert.equal(await sendAllThenRead(`${small}Content-Length: ${length}\r\n\r\n`, length), 413);
      assert.equal(await sendAllThenRead(chunked, length), 413);
      assert.equal(await sendAllThenRead(`${small}Transfer-Encoding: chunked\r\n\r\n`, length), 413);
    }
  });
});
