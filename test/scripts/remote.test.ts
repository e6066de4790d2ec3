import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { fetchFeed, type FetchOptions } from '../../scripts/loading/remote.js';
import { FeedError } from '../../src/feeds/read/feed.js';
import { isPublicAddress } from '../../src/platform/outbound.js';
import { startServer, type TestServer } from '../usecases/images/server.js';

describe('fetchFeed', () => {
  let server: TestServer;
  let other: TestServer;
  let logins: (string | undefined)[] = [];
  before(async () => {
    other = await startServer(({ headers }, response) => {
      logins.push(headers.authorization);
      response.end('other');
    });
    server = await startServer(({ url = '', headers }, response) => {
      logins.push(headers.authorization);
      const [, kind, rest = ''] = /^\/(\w+)\/?(.*)$/.exec(url) ?? [];
      const to = (location: string) => response.writeHead(302, { location }).end('elsewhere');
      if (kind === 'hops') return rest === '0' ? response.end('feed') : to(`/hops/${Number(rest) - 1}`);
      if (kind === 'to') return to(decodeURIComponent(rest));
      return response.writeHead(404).end();
    });
  });
  after(() => Promise.all([server.stop(), other.stop()]));
  beforeEach(() => {
    logins = [];
  });

  const local = (address: string) => address === '127.0.0.1';
  const read = async (address: string, options: Partial<FetchOptions> = {}): Promise<string> => {
    const chunks = [];
    const { signal } = new AbortController();
    for await (const chunk of fetchFeed(address, signal, { accepts: local, firstWaitMs: 1, ...options }))
      chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const refusal = (address: string, options?: Partial<FetchOptions>): Promise<string> =>
    read(address, options).catch((error: unknown) => {
      assert.instanceOf(error, FeedError);
      return (error as FeedError).message;
    });
  const leads = (to: string) => server.url(`/to/${encodeURIComponent(to)}`);

  it('gives up a server that sends a byte now and then, in one answer or in many', async () => {
    const slow = await startServer(({ url = '' }, response) => {
      response.writeHead(206, { etag: '"1"' });
      if (url === '/cut') return response.write(' ', () => response.destroy());
      const drip = setInterval(() => response.write(' '), 5);
      return response.on('close', () => clearInterval(drip));
    });
    try {
      for (const path of ['/cut', '/drip'])
        assert.match(await refusal(slow.url(path), { patienceMs: 50 }), /its server sends it too slowly\.$/);
    } finally {
      await slow.stop();
    }
  });

  it('decompresses a compressed transfer, repeats it after an interruption, and notices if it is cut off', async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');
    const packed = gzipSync(text);
    const asked: string[] = [];
    const compressing = await startServer(({ url, headers }, response) => {
      asked.push(`${headers['accept-encoding']} ${headers.range}`);
      const head = { 'content-encoding': 'gzip', etag: '"1"' };
      if (url === '/cut') return response.writeHead(200, head).end(packed.subarray(0, 20_000));
      if (asked.length > 1) return response.writeHead(200, head).end(packed);
      response.writeHead(200, { ...head, 'content-length': packed.length });
      return response.write(packed.subarray(0, 20_000), () => response.destroy());
    });
    try {
      assert.strictEqual(await read(compressing.url('/feed')), text);
      assert.deepEqual(asked, ['gzip undefined', 'gzip undefined']);
      assert.match(await refusal(compressing.url('/cut')), /its transfer is cut off or damaged/);
    } finally {
      await compressing.stop();
    }
  });

  // Without the limit, a redirect loop would be followed forever.
  it('follows at most five redirects', async () => {
    assert.strictEqual(await read(server.url('/hops/5')), 'feed');
    const before = server.requests.length;
    assert.match(await refusal(server.url('/hops/6')), /redirects more than 5 times/);
    assert.strictEqual(server.requests.length - before, 6);
  });

  // An address must be checked in each of these ways, because each is a separate path in the code.
  it('refuses an address that is not accepted, in the URL, by resolution or by a redirect', async () => {
    const { port } = other;
    for (const host of ['127.0.0.2', '2130706434', '[::1]', '[::ffff:127.0.0.2]', 'localhost']) {
      const resolve: FetchOptions['resolve'] = (_name, _options, callback) =>
        callback(null, [{ address: '127.0.0.2', family: 4 }]);
      for (const address of [`http://${host}:${port}/`, leads(`http://${host}:${port}/`)])
        assert.match(await refusal(address, { resolve }), /not public. --allow-private allows that/, address);
    }
    assert.match(await refusal(server.url('/hops/0'), { accepts: isPublicAddress }), /not public/);
    assert.match(
      await refusal(leads('file:///etc/passwd')),
      /redirects to an address that is not http or https/,
    );
    assert.deepEqual(other.requests, []);
  });

  it('sends the user and password only to their own origin, and none of a redirect', async () => {
    const withLogin = (address: string) => address.replace('//', '//me:secret@');
    const login = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    assert.strictEqual(await read(withLogin(server.url('/hops/1'))), 'feed');
    assert.deepEqual(logins, [login, login]);
    logins = [];
    assert.strictEqual(await read(withLogin(leads(other.url('/')))), 'other');
    assert.deepEqual(logins, [login, undefined]);
    logins = [];
    assert.strictEqual(await read(leads(`http://you:too@${other.host}/`)), 'other');
    assert.deepEqual(logins, [undefined, undefined]);
    assert.notMatch(await refusal(withLogin(server.url('/none'))), /secret/);
  });
});
