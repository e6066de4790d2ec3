import { assert } from 'chai';
import { documentedPaths } from '../../../src/http/agents/index.js';
import { useApi } from '../../support/api.js';

const PUBLIC_URL = 'https://catalogue.example';
const PATHS = ['/llms.txt', '/.well-known/api-catalog', '/.well-known/ai-catalog.json', '/mcp/server-card'];

describe('the discovery documents', () => {
  const api = useApi([], { PUBLIC_URL });

  for (const path of PATHS) {
    it(`is open to anybody, not counted, and sent but once: ${path}`, async () => {
      const { status, headers } = await api.open(path);
      assert.equal(status, 200);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.isFalse(headers.has('x-ratelimit-limit'));
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
      const again = await api.open(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      assert.deepEqual([again.status, again.text], [304, '']);
      const other = await api.open(path, { method: 'POST' });
      assert.deepEqual([other.status, other.headers.get('allow')], [405, 'GET, HEAD']);
    });
  }

  /** Requests a link of a document from this service. */
  const leads = async (href: string) => {
    assert.match(href, new RegExp(`^${PUBLIC_URL}/`));
    return (await api.get(href.slice(PUBLIC_URL.length))).status;
  };

  it('list every path and tool on one page for language models', async () => {
    const { text, headers } = await api.open('/llms.txt');
    assert.match(headers.get('content-type') ?? '', /^text\/markdown/);
    assert.match(text, /^# .+\n\n> .+\n\n/);
    for (const { method, path } of documentedPaths) assert.include(text, `[${method.toUpperCase()} ${path}]`);
    assert.include(text, '`search_products`');
    for (const [, href = ''] of text.matchAll(/\]\(([^)]+)\)/g)) assert.equal(await leads(href), 200, href);
  });

  it('include a linkset by RFC 9727 whose links work', async () => {
    const { text, headers } = await api.open('/.well-known/api-catalog');
    assert.match(
      headers.get('content-type') ?? '',
      /^application\/linkset\+json; *profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"/,
    );
    const { linkset } = JSON.parse(text) as { linkset: Record<string, unknown>[] };
    const hrefs = linkset.flatMap(({ anchor: _anchor, ...relations }) =>
      (Object.values(relations) as { href: string }[][]).flat().map(({ href }) => href),
    );
    assert.include(hrefs, `${PUBLIC_URL}/openapi.json`);
    for (const href of hrefs) assert.include([200, 405], await leads(href), href);
    const head = await api.open('/.well-known/api-catalog', { method: 'HEAD' });
    assert.match(head.headers.get('link') ?? '', /<\/\.well-known\/api-catalog>; *rel="api-catalog"/);
  });

  it('lead agents to the tools and state the protocol', async () => {
    const { specVersion, entries } = JSON.parse((await api.open('/.well-known/ai-catalog.json')).text);
    assert.equal(specVersion, '1.0');
    for (const { identifier, type, url } of entries) {
      assert.match(identifier, /^urn:air:catalogue\.example:\w+:product-catalogue$/);
      assert.isString(type);
      assert.equal(await leads(url), 200);
    }
    const card = JSON.parse((await api.open('/mcp/server-card')).text);
    assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.equal(card.name, 'example.catalogue/product-catalogue');
    assert.isAtMost(card.description.length, 100);
    assert.equal(card.remotes[0].url, `${PUBLIC_URL}/mcp`);
    assert.include(card.remotes[0].supportedProtocolVersions, '2026-07-28');
  });
});
