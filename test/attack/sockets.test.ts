// Runs first: it takes longer than most if it is drawn.
// Chaos only (hostile, sampled): it waits for time limits of the service.
import { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { assertRefusal } from './refusals.js';
import { answerOf, open, type RawAnswer, send } from './raw-http.js';

const IDLE = 300;

describe('hostile connections', function () {
  const api = useApi();

  const POST = 'POST /v1/keys HTTP/1.1\r\nHost: a\r\n';
  const GET = 'GET /livez HTTP/1.1\r\nHost: a\r\n';
  const CLOSE = 'Connection: close\r\n';
  const malformed: Record<string, [bytes: string | Buffer, status: number]> = {
    'no Host': [`GET /livez HTTP/1.1\r\n${CLOSE}\r\n`, 400],
    'two Hosts': [`GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400],
    'the same Host twice': [`GET /livez HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n`, 400],
    'two Hosts of HTTP/1.0': [`GET /livez HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`, 400],
    'HTTP/0.9': [`GET /livez\r\n\r\n`, 400],
    'HTTP/0.9 by name': [`GET /livez HTTP/0.9\r\nHost: a\r\n\r\n`, 400],
    ...Object.fromEntries(
      ['HTTP/1.2', 'HTTP/2.0', 'HTTP/3.7', 'HTTP/9.9', 'HTTP/1.10', 'HTTP/1', 'HTPP/1.1', 'http/1.1'].map(
        (version) => [version, [`GET /livez ${version}\r\nHost: a\r\n\r\n`, 400] as [string, number]],
      ),
    ),
    'an unknown expectation': [`${POST}Expect: the-unexpected\r\n${CLOSE}Content-Length: 2\r\n\r\n{}`, 417],
    'two lengths': [`${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, 400],
    'a length and chunks': [`${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    'chunks that are not last': [`${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
    'a length past all numbers': [`${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n{`, 400],
    'a negative length': [`${POST}Content-Length: -1\r\n\r\n{`, 400],
    'a chunk past all numbers': [`${POST}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\n`, 400],
    'endless extensions of a chunk': [
      `${POST}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}\r\n`,
      400,
    ],
    'a header of 100 kB': [`${GET}X-Large: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    'headers of 100 kB': [`${GET}${'X-Many: x\r\n'.repeat(10_000)}\r\n`, 431],
    'a header with NUL': [`${GET}X-Id: a\0b\r\n\r\n`, 400],
    'a header that goes on in the next line': [`${GET}X-Request-Id: a\r\n Set-Cookie: b\r\n\r\n`, 400],
    'a bare line feed': [`GET /livez HTTP/1.1\nHost: a\n\n`, 400],
    'a bare carriage return': [`${GET}X-Id: a\rSet-Cookie: b\r\n\r\n`, 400],
    'a name with a blank': [`${GET}X Id: a\r\n\r\n`, 400],
    'a path with NUL': [`GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
    'a path in no encoding': [Buffer.from(`GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n`, 'latin1'), 400],
    'HTTP/2 at once': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    TLS: [Buffer.from('16030100c0010000bc0303', 'hex'), 400],
    'an unknown method': [`HACK /livez HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
    TRACE: [`TRACE /livez HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`, 405],
  };
  for (const [name, [bytes, status]] of Object.entries(malformed)) {
    it(`(${name}) are refused in JSON, with an id`, async () => {
      const answer = await send(api.url, bytes);
      assert.equal(answer.status, status);
      assertRefusal(answer, name);
      assert.match(answer.headers, /^x-request-id: [\w-]{36}$/im);
      assert.notMatch(answer.headers, /^set-cookie/im);
    });
  }

  it('that request a tunnel are refused', async () => {
    assert.equal((await send(api.url, 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 0);
  });

  it('of a client with a key that sends its bodies slowly do not affect other clients', async () => {
    // The number of connections exceeds the number of requests that the service processes at the same time.
    const key = await api.key();
    const head = `POST /v1/products/compare HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    const sockets = Array.from({ length: 600 }, () => open(api.url));
    for (const socket of sockets) socket.write(`${head}Content-Length: 9000\r\n\r\n{`);
    const answers = Promise.all(sockets.map(answerOf));
    const statuses = new Set<number>();
    while (sockets.some((socket) => !socket.closed)) {
      statuses.add((await api.get('/v1/search')).status);
      await sleep(50);
    }
    assert.deepEqual([...statuses], [200]);
    for (const [i, answer] of (await answers).entries()) {
      assert.equal(answer.status, 408, `connection ${i}`);
    }
  });

  it('that send nothing or very little end with a timeout, and other clients are served meanwhile', async () => {
    const sockets: Socket[] = [];
    /**
     * Sends a piece of a request every 200 ms, so that the service cannot close the connection because of
     * silence.
     */
    const slowly = (first: string, piece: string): Promise<RawAnswer> => {
      const socket = open(api.url);
      sockets.push(socket);
      socket.write(first);
      const timer = setInterval(() => socket.write(piece), 200);
      socket.once('close', () => clearInterval(timer));
      return answerOf(socket);
    };
    const slow = Promise.all([
      ...Array.from({ length: IDLE }, () => answerOf(sockets[sockets.push(open(api.url)) - 1] as Socket)),
      ...Array.from({ length: 20 }, () => slowly('GET /livez HTTP/1.1\r\n', 'X: y\r\n')),
      ...Array.from({ length: 20 }, () => slowly('G', 'E')),
      ...Array.from({ length: 20 }, () => slowly(`${POST}Content-Length: 9000\r\n\r\n{`, ' ')),
      ...Array.from({ length: 20 }, () => slowly(`${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')),
    ]);
    let served = 0;
    const serving = (async () => {
      while (sockets.some((socket) => !socket.closed)) {
        assert.equal((await api.get('/v1/search')).status, 200);
        served += 1;
        await sleep(50);
      }
    })();
    const answers = await slow;
    await serving;
    assert.isAbove(served, 10);
    for (const [i, answer] of answers.entries()) {
      // A method that begins with "GEE" is invalid from its third letter on, which causes status 400.
      assert.include([408, 400], answer.status, `connection ${i}`);
      assertRefusal(answer, `connection ${i}`);
    }
    assert.isAtLeast(answers.filter(({ status }) => status === 408).length, IDLE + 60);
  });
});
