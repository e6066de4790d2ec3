import diagnostics from 'node:diagnostics_channel';
import { assert } from 'chai';
import { endpoints } from '../../src/http/routes/index.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

/** A mark that no path of a request to Elasticsearch may contain, in any spelling. */
const MARK = 'zqxmark';
/** Percent-encoded texts that change the meaning of a path in which they are written, whether encoded or not. */
const TEXTS = [
  '',
  '.',
  '..',
  '%20',
  '%2F',
  '%00',
  '*',
  `${MARK}%2F_search`,
  `..%2F${MARK}`,
  `${MARK}%3Fpretty`,
  `${MARK},*`,
  `_all%0A${MARK}`,
  'x'.repeat(100),
];

describe('requests to Elasticsearch', () => {
  const api = useApi([record({ sku: 'one', name: 'Kettle one' })]);
  const sent = new Set<string>();
  const listen = (message: unknown) => {
    const { request } = message as { request: { origin: unknown; path: string } };
    if (String(request.origin) === new URL(elasticsearchUrl).origin) sent.add(request.path);
  };
  const plain: Record<string, string> = { q: 'kettle' };
  let reviewer = '';
  before(async () => {
    const shared = { developer_id: 'paths', name: 'paths', tier: 'premium', scopes: ['review'] };
    const issued = await api.post('/v1/keys', { ...shared, admin_secret: ADMIN_SECRET });
    reviewer = issued.body.raw_key;
    plain['product_id'] = String(await api.id('one'));
    const alert = await api.post(
      '/v1/alerts',
      {
        product_id: Number(plain['product_id']),
        when: { any_price_change: true },
        url: 'https://shop.example/',
      },
      { headers: { authorization: `Bearer ${reviewer}` } },
    );
    assert.equal(alert.status, 201, alert.text);
    plain['alert_id'] = alert.body.alert_id;
  });

  /** The paths of an endpoint in which one parameter has each of the texts, and the others have valid values. */
  const pathsOf = ({ path, pathParameters, query }: Endpoint): string[] => {
    const pathOf = (texts: Record<string, string>) => {
      const values = { ...plain, ...texts };
      const written = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
      const names = Object.keys(query.properties).filter((name) => name in values);
      return `${written}?${names.map((name) => `${name}=${values[name]}`).join('&')}`;
    };
    const ofPath = Object.keys(pathParameters.properties).flatMap((name) =>
      // A client removes the segments "." and ".." from a path.
      TEXTS.filter((text) => !/^\.*$/.test(text)).map((text) => pathOf({ [name]: text })),
    );
    const ofQuery = Object.keys(query.properties).flatMap((name) =>
      TEXTS.map((text) => pathOf({ [name]: text })),
    );
    return [...ofPath, ...ofQuery];
  };

  it('have no value of a parameter in their path', async () => {
    const wrong: string[] = [];
    const attacked = endpoints.filter(({ path, upload }) => upload === undefined && path !== '/v1/keys');
    const attack = async (endpoint: Endpoint) => {
      // Each endpoint has a key of its own, because a key may send a limited number of requests per minute.
      const key = endpoint.path.startsWith('/v1/decisions') ? reviewer : await api.key('premium', 'paths');
      const headers = { authorization: `Bearer ${key}`, 'x-admin-secret': ADMIN_SECRET };
      for (const path of pathsOf(endpoint)) {
        const body = endpoint.body === null ? {} : { body: '{}' };
        const method = endpoint.method.toUpperCase();
        const reply = await api.open(path, { method, headers, ...body, redirect: 'manual' });
        if (reply.status === 500 || reply.status === 429) wrong.push(`${method} ${path}: ${reply.text}`);
      }
    };
    diagnostics.subscribe('undici:request:create', listen);
    await Promise.all(attacked.map(attack));
    diagnostics.unsubscribe('undici:request:create', listen);
    assert.deepEqual(wrong, []);
    assert.isAbove(sent.size, 20);
    for (const path of sent) {
      assert.notInclude(decodeURIComponent(path), MARK, path);
      const [segments = ''] = path.split('?');
      for (const segment of segments.split('/').slice(1)) assert.match(segment, /^[\w,*-][\w,*.%-]*$/, path);
    }
  });
});
