import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { ImageFailure } from '../../../src/usecases/images/failure.js';
import {
  createImageFetcher,
  type ImageFetcherOptions,
  type ImageFetcher,
} from '../../../src/usecases/images/fetch.js';
import { startServer, type TestServer } from './server.js';
import { words } from '../../support/words.js';

const BYTES = Buffer.from('the bytes of an image');
const MAX_BYTES = 100_000;

describe('guarded image fetcher', () => {
  let server: TestServer;
  /** The server of a host from which images must not be fetched. */
  let secret: TestServer;
  const fetchers: ImageFetcher[] = [];

  /** Sends the headers at once, and then a byte every 10 ms without end. */
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('.'), 10);
    response.once('close', () => {
      clearInterval(timer);
    });
  };
  const flood = (response: ServerResponse) => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    if (!response.destroyed) response.once('drain', () => flood(response));
  };

  before(async () => {
    secret = await startServer((_request, response) => response.end(BYTES));
    server = await startServer((request, response) => {
      const [, path = '', rest = ''] = /^\/([a-z-]*)\/?(.*)$/.exec(request.url ?? '') ?? [];
      const redirect = (location: string, status = 302) =>
        response.writeHead(status, { location }).end('elsewhere');
      switch (path) {
        case 'image':
          return response.end(BYTES);
        case 'redirect':
          return redirect(decodeURIComponent(rest));
        case 'hops':
          return rest === '0' ? response.end(BYTES) : redirect(`/hops/${Number(rest) - 1}`, 307);
        case 'nowhere':
          return response.writeHead(301).end();
        case 'status':
          return response.writeHead(Number(rest)).end(BYTES);
        case 'drip':
          return drip(response);
        case 'silent':
          return undefined;
        case 'flood':
          return flood(response);
        case 'long':
          return response.writeHead(200, { 'content-length': String(10 ** 12) }).end(BYTES);
        case 'gzip':
          return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BYTES));
        case 'bomb':
          return response
            .writeHead(200, { 'content-encoding': 'gzip' })
            .end(gzipSync(Buffer.alloc(MAX_BYTES * 100)));
        case 'liar':
          response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n' + 'x'.repeat(MAX_BYTES * 2));
          return undefined;
        case 'cut':
          response.writeHead(200, { 'content-length': '1000' }).write(BYTES);
          return setTimeout(() => response.destroy(), 20);
        default:
          return response.writeHead(404).end();
      }
    });
  });
  after(async () => {
    await Promise.all(fetchers.map((fetcher) => fetcher.close()));
    await Promise.all([server.stop(), secret.stop()]);
  });

  const fetcher = (options: Partial<ImageFetcherOptions> = {}) => {
    const made = createImageFetcher({ allowedHosts: [server.host], maxBytes: MAX_BYTES, ...options });
    fetchers.push(made);
    return made;
  };

  async function reasonFor(url: string, options: Partial<ImageFetcherOptions> = {}): Promise<string> {
    try {
      return `${(await fetcher(options).fetch(url)).length} bytes`;
    } catch (error) {
      assert.instanceOf(error, ImageFailure);
      return error.reason;
    }
  }

  it('downloads an image from an allowed host', async () => {
    assert.deepEqual(await fetcher().fetch(server.url('/image')), BYTES);
    assert.deepEqual(await fetcher({ allowedHosts: ['127.0.0.1'] }).fetch(server.url('/image')), BYTES);
  });

  it('decompresses a response', async () => {
    assert.deepEqual(await fetcher().fetch(server.url('/gzip')), BYTES);
  });

  describe('never reaches an address that is not public', () => {
    /**
     * Spellings of loopback and other internal addresses, as hostile listings may use them. The port is that
     * of a real server, so that a request to it would be noticed.
     */
    const literals = words(`
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0x7F.0x0.0x0.0x1
    127.0.0.1. 0 0.0.0.0 １２７.０.０.１ 127。0。0。1 ①②⑦.0.0.1 %31%32%37.0.0.1 [::1] [::] [0:0:0:0:0:0:0:1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::] [fe80::1]
    [fd00:ec2::254] [fc00::1] [ff02::1] 10.1.2.3 172.16.0.1 192.168.0.1 169.254.169.254 0xa9fea9fe
    2852039166 100.64.0.1 168.63.129.16 224.0.0.1 255.255.255.255 192.0.2.1
  `);

    for (const literal of literals) {
      it(`${literal}`, async () => {
        assert.strictEqual(await reasonFor(`http://${literal}/image`), 'address not allowed');
        assert.strictEqual(await reasonFor(`https://${literal}/image`), 'address not allowed');
      });
    }

    it('by a host name that resolves to one', async () => {
      const names = ['localhost', 'LOCALHOST', 'ⓛocalhost'];
      for (const name of names) {
        assert.strictEqual(await reasonFor(`http://${name}/image`), 'address not allowed', name);
      }
    });

    it('by a host name with one such address', async () => {
      const resolve = resolving(['93.184.215.14', '127.0.0.1']);
      assert.strictEqual(await reasonFor('http://shop.example/a.png', { resolve }), 'address not allowed');
      const mapped = resolving(['::ffff:127.0.0.1']);
      assert.strictEqual(
        await reasonFor('http://shop.example/a.png', { resolve: mapped }),
        'address not allowed',
      );
    });

    it('by a redirect', async () => {
      const { port } = secret;
      const targets = [
        `http://127.0.0.1/`,
        `http://localhost/`,
        'http://169.254.169.254/latest/meta-data/',
        `//0x7f.1/`,
        'http://[::ffff:127.0.0.1]/',
      ];
      for (const target of targets) {
        const url = server.url(`/redirect/${encodeURIComponent(target)}`);
        assert.strictEqual(await reasonFor(url), 'address not allowed', target);
      }
      const elsewhere = server.url(`/redirect/${encodeURIComponent(`http://127.0.0.1:${port}/`)}`);
      assert.strictEqual(await reasonFor(elsewhere), 'port not allowed');
      const later = server.url(`/redirect/${encodeURIComponent(elsewhere)}`);
      assert.strictEqual(await reasonFor(later), 'port not allowed');
    });

    it('through a port that is neither a web port nor allowed', async () => {
      assert.strictEqual(await reasonFor(secret.url('/')), 'port not allowed');
      assert.strictEqual(await reasonFor('http://93.184.215.14:6379/'), 'port not allowed');
    });

    after('no request arrived', () => {
      assert.deepEqual(secret.requests, []);
    });
  });

  it('connects to the addresses that were checked, without resolving the name again', async () => {
    let lookups = 0;
    const resolve: ImageFetcherOptions['resolve'] = (_name, _options, callback) => {
      lookups += 1;
      // Responds as the DNS server of a rebinding attack: with a harmless address for the check, and with an
      // internal one afterwards.
      callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    const allowedHosts = [`shop.example:${server.port}`];
    const url = `http://shop.example:${server.port}/image`;
    assert.deepEqual(await fetcher({ resolve, allowedHosts }).fetch(url), BYTES);
    assert.strictEqual(lookups, 1);
  });

  it('accepts only http and https without credentials', async () => {
    const urls = [
      'ftp://shop.example/a.png',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      'gopher://a/',
      'javascript:alert(1)',
      '//shop.example/a.png',
      'a.png',
      '',
      'http://',
      'http://[::1%25lo]/',
      'http://user:pass@shop.example/',
      'http://user@shop.example/',
      `http://${'x'.repeat(70_000)}`,
      'http://shop.example@127.0.0.1/',
      'http://1.2.3.4.5/',
      'http://999.1.1.1/',
    ];
    const noHost = 'host not found';
    for (const url of urls) {
      const reason = await reasonFor(url, { resolve: failing('ENOTFOUND') });
      const expected = url.endsWith('x') ? [noHost, 'URL is not http or https, or holds a login'] : [];
      assert.include([...expected, 'URL is not http or https, or holds a login'], reason, url.slice(0, 80));
    }
    const redirected = server.url(`/redirect/${encodeURIComponent('file:///etc/passwd')}`);
    assert.strictEqual(await reasonFor(redirected), 'URL is not http or https, or holds a login');
  });

  it('follows at most three redirects', async () => {
    assert.deepEqual(await fetcher().fetch(server.url('/hops/3')), BYTES);
    assert.strictEqual(await reasonFor(server.url('/hops/4')), 'too many redirects');
    assert.strictEqual(await reasonFor(server.url('/nowhere')), 'redirect without a target');
  });

  it('accepts only status 200', async () => {
    assert.strictEqual(await reasonFor(server.url('/status/404')), 'HTTP 404');
    assert.strictEqual(await reasonFor(server.url('/status/503')), 'HTTP 503');
    assert.strictEqual(await reasonFor(server.url('/status/206')), 'HTTP 206');
  });

  it('stops at the deadline, including redirects', async () => {
    const deadlineMs = 300;
    assert.strictEqual(await reasonFor(server.url('/silent'), { deadlineMs }), 'timeout');
    assert.strictEqual(await reasonFor(server.url('/drip'), { deadlineMs }), 'timeout');
    const redirected = server.url(`/redirect/${encodeURIComponent(server.url('/drip'))}`);
    assert.strictEqual(await reasonFor(redirected, { deadlineMs }), 'timeout');
    const resolve: ImageFetcherOptions['resolve'] = () => undefined;
    assert.strictEqual(await reasonFor('http://shop.example/', { deadlineMs, resolve }), 'timeout');
  });

  it('stops at the size limit, whatever the headers state', async () => {
    assert.strictEqual(await reasonFor(server.url('/flood')), 'too large');
    assert.strictEqual(await reasonFor(server.url('/long')), 'too large');
    assert.strictEqual(await reasonFor(server.url('/bomb')), 'too large');
    assert.notInclude(['too large'], await reasonFor(server.url('/image'), { maxBytes: BYTES.length }));
    assert.strictEqual(await reasonFor(server.url('/image'), { maxBytes: BYTES.length - 1 }), 'too large');
    assert.include(['5 bytes', 'connection failed'], await reasonFor(server.url('/liar')));
  });

  it('rejects a truncated image', async () => {
    assert.strictEqual(await reasonFor(server.url('/cut')), 'connection failed');
  });

  it('distinguishes an unknown host from one that does not respond', async () => {
    const resolve = failing('ENOTFOUND');
    assert.strictEqual(await reasonFor('http://shop.example/', { resolve }), 'host not found');
    const closed = await startServer(() => undefined);
    await closed.stop();
    const allowedHosts = [closed.host];
    assert.strictEqual(await reasonFor(closed.url('/'), { allowedHosts }), 'connection failed');
  });

  it('sends a user agent and no other information', async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    const curious = await startServer((request, response) => {
      headers = request.headers;
      response.end(BYTES);
    });
    await fetcher({ allowedHosts: [curious.host] }).fetch(curious.url('/'));
    await curious.stop();
    assert.match(String(headers['user-agent']), /^product-catalogue-images\//);
    assert.notProperty(headers, 'referer');
    assert.notProperty(headers, 'cookie');
    assert.notProperty(headers, 'authorization');
  });
});

function resolving(addresses: string[]): ImageFetcherOptions['resolve'] {
  const answer = addresses.map((address): LookupAddress => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  return (_name, _options, callback) => {
    callback(null, answer);
  };
}

function failing(code: string): ImageFetcherOptions['resolve'] {
  return (_name, _options, callback) => {
    callback(Object.assign(new Error('no such name'), { code }), []);
  };
}
