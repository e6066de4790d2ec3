import { assert } from 'chai';
import { endpoints } from '../../src/http/routes/index.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';

describe('strict=true', () => {
  const api = useApi([record({ sku: 'one', name: 'Kettle' })]);
  const extras = async (path: string, init: RequestInit = {}) => {
    const { body } = await api.get(path, init);
    const detail: any[] = Array.isArray(body?.detail) ? body.detail : [];
    return detail
      .filter(({ type }) => type === 'extra_forbidden')
      .map(({ loc }) => loc.join('.'))
      .sort();
  };

  it('reports unknown parameters and members of the body of every path below /v1', async () => {
    for (const { method, path, body } of endpoints.filter((one) => one.path.startsWith('/v1'))) {
      const init = {
        method: method.toUpperCase(),
        ...(body === null ? {} : { body: '{"colour":"red","id":{}}' }),
        headers: { 'x-admin-secret': ADMIN_SECRET },
      };
      const url = path.replaceAll(/\{\w+\}/g, '1');
      if (path === '/v1/listings') continue;
      const unknown = ['query.brand[]', 'query.Strict', 'query.constructor'];
      const members = body === null ? [] : ['body.colour', 'body.id'];
      const sent = `${url}?strict=true&brand[]=Sony&Strict=1&constructor=`;
      assert.deepEqual(await extras(sent, init), [...members, ...unknown].sort(), `${method} ${path}`);
      assert.notInclude(
        await extras(sent.replace('=true', '=false'), init),
        'query.brand[]',
        `${method} ${path}`,
      );
    }
  });

  it('accepts every known parameter, and names that clients choose', async () => {
    assert.equal((await api.get('/v1/search?strict=true&attr.colour=red&q=kettle&limit=1')).status, 200);
    const history = { product_ids: [await api.id('one')], include: [] };
    assert.equal((await api.post('/v1/products/price-history?strict=1', history)).status, 200);
    const { status, body } = await api.get('/v1/search?strict=perhaps&limit=0&x=1');
    assert.equal(status, 422);
    assert.deepEqual(
      body.detail.map(({ loc }: any) => loc.join('.')),
      ['query.limit', 'query.strict'],
      'an invalid value of strict is an error, and finds no unknown parameters',
    );
  });

  it('reports at most 100 members', async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i]));
    assert.lengthOf(
      await extras('/v1/lookup?strict=true', { method: 'POST', body: JSON.stringify(body) }),
      100,
    );
  });
});
