import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import { createDocumentFetcher } from '../../../../src/platform/fetch-document.js';
import { profileUrl } from '../../../../src/http/agents/ucp/platforms.js';
import { useApi } from '../../../support/api.js';
import { record } from '../../../support/listings.js';

const profile = (version: string, capabilities: object | null = null) => ({
  ucp: { version, services: {}, payment_handlers: {}, ...(capabilities === null ? {} : { capabilities }) },
});
const searching = (version: string) =>
  profile(version, { 'dev.ucp.shopping.catalog.search': [{ version: '2026-01-23' }, { version }] });

describe('the profiles of platforms', () => {
  let server: Server;
  let host: string;
  let fetched = 0;
  const PROFILES: Record<string, unknown> = {
    '/current': searching('2026-08-25'),
    '/earlier': searching('2026-04-08'),
    '/future': searching('2027-01-01'),
    '/checkout': profile('2026-08-25', { 'dev.ucp.shopping.checkout': [{ version: '2026-08-25' }] }),
    '/other-version': profile('2026-08-25', {
      'dev.ucp.shopping.catalog.search': [{ version: '2026-04-08' }],
    }),
    '/no-capabilities': profile('2026-08-25'),
    '/list': [1],
    '/null': null,
    '/large': { ucp: 'x'.repeat(200_000) },
  };
  const api = useApi([record({ sku: 'a', name: 'Blue kettle' })], async () => {
    server = createServer((request, response) => {
      fetched += 1;
      const path = request.url ?? '';
      if (path === '/redirect') response.writeHead(302, { location: '/current' }).end();
      else if (path === '/text') response.end('<html>');
      else if (path in PROFILES) response.end(JSON.stringify(PROFILES[path]));
      else response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { UCP_PROFILES: 'fetch', DOCUMENT_ALLOWED_HOSTS: host };
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const search = async (url: string) => {
    const { status, body } = await api.post(
      '/ucp/v1/catalog/search',
      { query: 'kettle' },
      { headers: { authorization: `Bearer ${await api.key()}`, 'ucp-agent': `profile="${url}"` } },
    );
    return { status, body };
  };
  const outcome = async (url: string) => {
    const { status, body } = await search(url);
    return [status, body.code ?? body.messages?.[0].code ?? body.ucp.version];
  };

  it('decide the release of the answer, or that there is none', async () => {
    const expected: Record<string, [number, string]> = {
      '/current': [200, '2026-08-25'],
      '/earlier': [200, '2026-04-08'],
      '/future': [422, 'version_unsupported'],
      '/checkout': [200, 'capabilities_incompatible'],
      '/other-version': [200, 'capabilities_incompatible'],
      '/no-capabilities': [200, 'capabilities_incompatible'],
      '/list': [422, 'profile_malformed'],
      '/null': [422, 'profile_malformed'],
      '/text': [422, 'profile_malformed'],
      '/missing': [424, 'profile_unreachable'],
      '/redirect': [424, 'profile_unreachable'],
      '/large': [424, 'profile_unreachable'],
    };
    for (const [path, result] of Object.entries(expected))
      assert.deepEqual(await outcome(`http://${host}${path}`), result, path);
    assert.lengthOf((await search(`http://${host}/current`)).body.products, 1);
  });

  it('are fetched once, failures included', async () => {
    const before = fetched;
    await outcome(`http://${host}/current?again`);
    await outcome(`http://${host}/current?again`);
    await outcome(`http://${host}/missing?again`);
    await outcome(`http://${host}/missing?again`);
    assert.equal(fetched, before + 2);
  });

  it('are fetched only over https from public addresses', async () => {
    for (const url of [
      'http://platform.example/profile',
      'https://127.0.0.1/profile',
      'https://[::1]/profile',
      'https://2130706433/profile',
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/profile',
      'https://user:secret@platform.example/profile',
      'https://platform.example:6379/profile',
    ])
      assert.deepEqual(await outcome(url), [400, 'invalid_profile_url'], url);
    // The name resolves to a loopback address, which is found when connecting.
    assert.deepEqual(await outcome('https://localhost/profile'), [424, 'profile_unreachable']);
  });

  it('are not fetched from a name that resolves to a private address', async () => {
    const fetcher = createDocumentFetcher({
      resolve: (_name, _options, callback) => {
        callback(null, [{ address: '10.1.2.3', family: 4 }]);
      },
    });
    const error: unknown = await fetcher
      .fetch('https://platform.example/profile')
      .catch((thrown: unknown) => thrown);
    assert.equal((error as Error).message, 'no connection');
    await fetcher.close();
  });

  it('are named in the header UCP-Agent, a dictionary by RFC 8941', () => {
    const url = 'https://platform.example/profile';
    assert.equal(profileUrl(`profile="${url}"`), url);
    assert.equal(profileUrl(`version="1", profile="${url}";a=1`), url);
    assert.equal(profileUrl('profile="https://platform.example/a\\"b"'), 'https://platform.example/a%22b');
    for (const wrong of [
      undefined,
      '',
      url,
      `other="${url}"`,
      `xprofile="${url}"`,
      'profile="x"',
      'profile="data:,x"',
    ])
      assert.throws(() => profileUrl(wrong), /UCP-Agent must name/);
  });
});
