import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { type ApiProcess, startApiProcess } from '../faults/api-process.js';
import { startApi, type Api } from '../support/api.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { assertRefusal, inTime } from './refusals.js';
import { open } from './raw-http.js';

const PATH = '/v1/products/compare';
const BOMB_BYTES = 80_000_000;
/** The number of requests of each attack that are sent at the same time. */
const AT_ONCE = 6;
/**
 * The maximum growth of the process's memory in MB. If the service unpacked or kept the bodies, its memory
 * would grow by gigabytes.
 */
const MAX_GROWTH_MB = 200;

describe('hostile bodies', function () {
  let api: Api;
  let service: ApiProcess;
  let authorization: string;
  before(async () => {
    api = await startApi();
    authorization = `Bearer ${await api.key()}`;
    service = await startApiProcess({
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: api.prefix,
    });
  });
  after(async () => {
    await service.stop();
    await api.stop();
  });

  const post = (what: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    inTime(what, (signal) =>
      fetch(`${service.url}${PATH}`, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        signal,
      }),
    );

  const spaces = Buffer.alloc(BOMB_BYTES, ' ');
  const bombs = {
    gzip: gzipSync(spaces),
    deflate: deflateSync(spaces),
    br: brotliCompressSync(spaces),
    // A body that is compressed twice, because an attacker may know that the service decompresses a body
    // once.
    'gzip of gzip': gzipSync(gzipSync(spaces)),
  };
  const attacks: Record<string, () => Promise<{ status: number; body?: unknown; expected: number }>> = {
    '2 MB': async () => ({ ...(await post('2 MB', 'x'.repeat(2_000_000))), expected: 413 }),
    '2 MB without a length': async () => ({ ...(await chunked(2_000_000)), expected: 413 }),
    'deep arrays': async () => ({
      ...(await post('deep', `{"product_ids":${'['.repeat(60_000)}`)),
      expected: 422,
    }),
    'deep arrays, closed': async () => ({
      ...(await post('deep', `{"product_ids":${'['.repeat(48_000)}${']'.repeat(48_000)}}`)),
      expected: 422,
    }),
    'a text in UTF-16': async () => ({
      ...(await post('UTF-16', Buffer.from('{"product_ids":[1,2]}', 'utf16le'))),
      expected: 422,
    }),
    'an unknown charset': async () => ({
      ...(await post('charset', '{}', { 'content-type': 'application/json; charset=klingon' })),
      expected: 415,
    }),
    'another encoding than it says': async () => ({
      ...(await post('no gzip', '{"product_ids":[1,2]}', { 'content-encoding': 'gzip' })),
      expected: 400,
    }),
    'half a gzip': async () => ({
      ...(await post('half', gzipSync('{"product_ids":[1,2]}').subarray(0, 20), {
        'content-encoding': 'gzip',
      })),
      expected: 400,
    }),
    ...Object.fromEntries(
      Object.entries(bombs).map(([encoding, bomb]) => [
        `a bomb (${encoding})`,
        async () => ({
          ...(await post(encoding, bomb, { 'content-encoding': encoding.split(' ')[0] ?? '' })),
          // If a body is compressed twice, the service decompresses only the outer layer, so what remains is
          // not JSON.
          expected: encoding.includes(' ') ? 422 : 413,
        }),
      ]),
    ),
  };

  /** Sends a body without a `Content-Length`, so that the service cannot know its size beforehand. */
  function chunked(bytes: number): Promise<{ status: number; body: unknown }> {
    return new Promise((resolve, reject) => {
      const asking = request(
        `${service.url}${PATH}`,
        { method: 'POST', headers: { authorization }, agent: false, timeout: 5_000 },
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
          );
        },
      );
      asking.on('error', reject);
      for (let sent = 0; sent < bytes; sent += 50_000) asking.write('x'.repeat(50_000));
      asking.end();
    });
  }

  for (const [name, attack] of Object.entries(attacks)) {
    it(`(${name}) is refused`, async () => {
      const { expected, ...reply } = await attack();
      assert.equal(reply.status, expected);
      assertRefusal(reply, name);
    });
  }

  it('with a large Content-Length are refused before they arrive', async () => {
    for (const length of ['102401', '99999999999', '9007199254740993']) {
      const socket = open(service.url);
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n{`,
      );
      let text = '';
      // The service closes the connection, because it cannot skip the rest of a body that it does not read.
      for await (const chunk of socket) text += String(chunk);
      assert.match(text, /^HTTP\/1\.1 413 /, length);
      assert.include(text, '{"detail":"Request body too large"}', length);
    }
  });

  it('of all kinds at once need bounded memory, and other requests are still served', async () => {
    const before = residentMb(service.pid);
    let running = true;
    const others = (async () => {
      let served = 0;
      while (running) {
        assert.equal(
          (
            await inTime('another client', (signal) =>
              fetch(`${service.url}/v1/search`, { headers: { authorization }, signal }),
            )
          ).status,
          200,
        );
        served += 1;
      }
      return served;
    })();
    const storm = Object.values(attacks).flatMap((attack) => Array.from({ length: AT_ONCE }, attack));
    const replies = await Promise.all(storm);
    running = false;
    // A busy machine may read a body so late that the service has given it up with 408.
    for (const { status, expected } of replies) assert.include([expected, 408], status);
    assert.isAbove(await others, 0);
    const growth = residentMb(service.pid) - before;
    console.log(`      ${replies.length} attacks, ${growth.toFixed(0)} MB more at most`);
    assert.isBelow(growth, MAX_GROWTH_MB);
  });
});

/** Returns the peak memory of a process in MB. Only Linux reports it. */
function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
