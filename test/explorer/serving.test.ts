import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { startApi, useApi } from '../support/api.js';

/** The most that the files of the explorer may take, in bytes after compression. */
const MOST_BYTES = 250_000;

describe('the explorer is served', () => {
  const api = useApi([]);

  it('without a key, with a strict content security policy, at the addresses of its views', async () => {
    const views = ['', '/products/1', '/deals', '/categories', '/sources'].map((view) => `/explore${view}`);
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

  it('in files that take at most 250 kB', async () => {
    let bytes = 0;
    for (const file of [
      '',
      '/app.js',
      '/search-client.js',
      '/search-widgets.js',
      '/uplot.js',
      '/app.css',
      '/icon.svg',
    ]) {
      const { status, text } = await api.open(`/explore${file}`);
      assert.equal(status, 200, file);
      bytes += gzipSync(text).length;
    }
    assert.isAbove(bytes, 20_000);
    assert.isAtMost(bytes, MOST_BYTES);
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
      for (const path of ['', '/app.js', '/uplot.js', '/deals'])
        assert.equal((await other.open(`/explore${path}`)).status, 404, path);
    } finally {
      await other.stop();
    }
  });
});
