import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const INJECTED = '\r\nSet-Cookie: session=stolen\r\n\r\n<html>';

describe('hostile text in headers', () => {
  const api = useApi(['a', 'b', 'c'].map((sku) => record({ sku, buy_url: `https://shop.example/${sku}` })));

  const assertNothingInjected = (headers: Headers, what: string) => {
    assert.isNull(headers.get('set-cookie'), what);
    for (const [name, value] of headers) assert.match(value, /^[\x20-\x7e]*$/, `${name} of ${what}`);
  };

  it('ends no header line, neither in a link to the next page nor in a request id', async () => {
    const query = new URLSearchParams({ platform: 'shop_a', source: INJECTED, limit: '1' });
    const reply = await api.get(`/v1/products/export?${query}`, {
      headers: { 'x-request-id': encodeURIComponent(INJECTED) },
    });
    assert.equal(reply.status, 200);
    assertNothingInjected(reply.headers, 'export');
    const link = /^<(.+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1] ?? '';
    // Spaces around a value of a list parameter are ignored.
    assert.equal(new URL(link).searchParams.get('source'), INJECTED.trim());
    assert.equal(new URL(link).searchParams.get('offset'), '1');
  });

  it('ends no header line of a tracked link, whatever a listing contains', async () => {
    // The URL is written directly into the index, because a load would reject it.
    const id = await api.id('a');
    await api.es.update({
      index: api.products,
      id: String(id),
      doc: { buy_url: `https://shop.example/${INJECTED}` },
      refresh: true,
    });
    const { status, headers } = await api.open(`/track/${id}`, { redirect: 'manual' });
    assert.equal(status, 302);
    assertNothingInjected(headers, 'track');
    assert.match(headers.get('location') ?? '', /^https:\/\/shop\.example\//);
  });

  it('does not change links, which begin with PUBLIC_URL', async () => {
    const spoofed = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-original-url': '/v1/keys',
      'x-rewrite-url': '/v1/keys',
      forwarded: 'host=evil.example;proto=gopher',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    };
    for (const path of [
      '/',
      '/readyz',
      '/v1/search?limit=3',
      '/v1/products/export?limit=1',
      '/openapi.json',
    ]) {
      const { status, text, headers } = await api.get(path, { headers: spoofed });
      assert.equal(status, 200);
      assert.notInclude(text, 'evil.example', path);
      for (const [name, value] of headers) assert.notInclude(value, 'evil', `${name} of ${path}`);
    }
    const { headers } = await api.get('/v1/products/export?limit=1');
    assert.match(headers.get('link') ?? '', /^<http:\/\/catalogue\.example\//);
  });

  it('is never interpreted as another type: each answer states its type', async () => {
    const statuses: number[] = [];
    for (const path of ['/', '/v1', '/v1/search?limit=0', '/v1/products/0', '/nothing', '/livez']) {
      const { status, headers } = await api.get(path);
      statuses.push(status);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('content-security-policy'), "default-src 'none';frame-ancestors 'none'", path);
      assert.isNull(headers.get('x-powered-by'), path);
      assert.match(headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/, path);
    }
    assert.deepEqual(statuses, [200, 200, 422, 404, 404, 200]);
  });

  it('does not choose the method', async () => {
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'PUT',
    };
    assert.equal((await api.open('/v1/search?_method=GET', { method: 'POST', headers })).status, 405);
  });
});
