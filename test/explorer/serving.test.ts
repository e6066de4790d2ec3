import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { startApi, useApi } from '../support/api.js';

/** The most that may be loaded after compression, in bytes: for the first view, and for all views. */
const MOST_BYTES = { first: 115_000, all: 250_000 };

describe('the explorer is served', () => {
  const api = useApi([]);

  it('without a key, with a strict content security policy, at the addresses of its views', async () => {
    const views = ['', '/products/1', '/deals', '/categories', '/sources', '/watched'].map(
      (view) => `/explore${view}`,
    );
    for (const view of [...views, '/review', '/review/decisions']) {
      const { status, headers, text } = await api.open(view);
      assert.equal(status, 200, view);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.include(text, '<div id="app">');
      const policy = headers.get('content-security-policy') ?? '';
      assert.include(policy, "default-src 'none'");
      assert.notMatch(policy, /unsafe|data:|https?:|\*/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    }
    assert.equal((await api.open('/explore/nothing')).status, 404);
    assert.equal((await api.open('/explore', { method: 'POST' })).status, 405);
  });

  it('to whoever asks the root for HTML, but not to a client that refuses HTML', async () => {
    const reply = (accept: string) => api.open('/', { headers: { accept }, redirect: 'manual' });
    for (const accept of ['text/html', 'text/html;q=0.5, */*', 'application/json, text/html;q=0.001']) {
      const { status, headers } = await reply(accept);
      assert.deepEqual([status, headers.get('location')], [302, '/explore'], accept);
    }
    for (const accept of ['text/html;q=0', 'text/html; Q=0.000, application/json', '*/*'])
      assert.equal((await reply(accept)).status, 200, accept);
  });

  it('in files of which the search needs at most 115 kB, and all views 250 kB', async () => {
    const read = async (path: string) => {
      const { status, text } = await api.open(path);
      assert.equal(status, 200, path);
      return text;
    };
    const files = new Map<string, string>();
    const imports = (text: string) => [
      ...text.matchAll(/["'(=](?:\.|\/explore)\/([\w.-]+\.(?:js|css|svg))["')]/g),
    ];
    const load = async (text: string): Promise<void> => {
      for (const [, name = ''] of imports(text)) {
        if (files.has(name)) continue;
        files.set(name, await read(`/explore/${name}`));
        await load(files.get(name) ?? '');
      }
    };
    const page = await read('/explore');
    await load(page);
    const bytesOf = (names: string[]) =>
      names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '').length, gzipSync(page).length);
    const names = [...files.keys()];
    const lazy = /^(product|deals|categories|sources|review|decisions|watch|uPlot)/;
    for (const view of ['product', 'review', 'uPlot', 'search-widgets'])
      assert.isTrue(
        names.some((name) => name.startsWith(view)),
        view,
      );
    assert.isAbove(bytesOf(names), 20_000);
    assert.isAtMost(bytesOf(names), MOST_BYTES.all);
    assert.isAtMost(bytesOf(names.filter((name) => !lazy.test(name))), MOST_BYTES.first);
  });

  it('with a public URL and no key', async () => {
    const { text } = await api.open('/explore');
    const [, content = ''] = /<meta name="settings" content="([^"]*)"/.exec(text) ?? [];
    assert.deepEqual(JSON.parse(content.replaceAll('&quot;', '"')), {
      public_url: 'http://catalogue.example',
      key: null,
    });
  });

  it('unless EXPLORER=off', async () => {
    const other = await startApi({ EXPLORER: 'off' });
    try {
      for (const path of ['', '/app.js', '/deals'])
        assert.equal((await other.open(`/explore${path}`)).status, 404, path);
    } finally {
      await other.stop();
    }
  });
});
