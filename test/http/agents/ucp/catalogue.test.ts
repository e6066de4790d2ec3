// Chaos only (oracles, sampled): it validates the answers to 1,000 random requests.
import { assert } from 'chai';
import { RELEASES } from '../../../../src/http/agents/ucp/releases.js';
import { useApi } from '../../../support/api.js';
import { oracle } from '../../../support/chaos.js';
import { daysAgo, groupListings, pastPrices, record } from '../../../support/listings.js';
import { type Answered, validatorOf } from './schemas.js';

const GTIN = '4006381333931';
const AGENT = { 'ucp-agent': 'profile="https://platform.example/.well-known/ucp"' };
const month = [50, 40, 30, 20, 10].map((day): [string, number] => ['100.00', day]);

const RECORDS = [
  record({
    sku: 'kettle-a',
    source: 'shop_a',
    name: 'Vortek kettle VK-900X',
    description: 'Boils water.',
    price: '80.00',
    list_price: '150.00',
    gtin: GTIN,
    category_path: ['Kitchen', 'Kettles'],
    is_available: true,
    rating: '4.5',
    buy_url: 'https://shop-a.example/kettle?ref=ü',
    image_url: 'https://shop-a.example/ü|kettle[1].jpg?100%&{x}#a#b',
    merchant_id: 'Kitchen Corner',
    price_history: pastPrices(...month, ['80.00', 5]),
    last_checked: daysAgo(0),
  }),
  record({
    sku: 'kettle-b',
    source: 'shop_b',
    name: 'Vortek VK-900X kettle',
    price: '79.905',
    is_available: false,
    gtin: GTIN,
  }),
  record({
    sku: 'pan:1',
    source: 'shop_a',
    name: 'Frying pan',
    price: '1299.50',
    currency: 'JPY',
    category: 'Pans',
  }),
  record({
    sku: 'pot',
    source: 'shop_c',
    name: 'Cooking pot',
    price: '12.345',
    currency: 'KWD',
    list_price: '20',
    condition: 'used',
  }),
  record({ sku: 'whisk', name: 'Whisk without a price', price: null }),
  record({ sku: 'ladle', name: 'Ladle without a currency', currency: null }),
  ...Array.from({ length: 25 }, (_, i) =>
    record({
      sku: `mug-${i}`,
      name: `Mug number ${i}`,
      price: `${i + 1}.50`,
      category_path: ['Kitchen', 'Mugs'],
    }),
  ),
];

describe('the catalogue of the Universal Commerce Protocol', () => {
  const api = useApi(RECORDS, { PUBLIC_READ: 'on', PUBLIC_READ_LIMIT: '20000' });
  let ids: Record<string, number>;
  before(async () => {
    await groupListings(api, ['kettle-a', 'kettle-b']);
    const skus = ['kettle-a', 'kettle-b', 'pan:1', 'pot', 'whisk'];
    ids = Object.fromEntries(await Promise.all(skus.map(async (sku) => [sku, await api.id(sku)])));
  });

  const validators = Object.fromEntries(RELEASES.map((release) => [release, validatorOf(release)]));
  const post = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = AGENT,
    base = '/ucp/v1',
  ) =>
    api.open(`${base}/catalog/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ANSWERS: Record<string, Answered> = {
    search: 'search_response',
    lookup: 'lookup_response',
    product: 'catalog_get_product_response',
  };
  const ok = async (path: string, body: unknown) => {
    const reply = await post(path, body);
    assert.equal(reply.status, 200, reply.text);
    assert.isNull(validators['2026-08-25']?.(ANSWERS[path] ?? 'error_response', reply.body), reply.text);
    return reply.body;
  };

  it('is announced at /.well-known/ucp, with the earlier release', async () => {
    for (const [release, path, base] of [
      ['2026-08-25', '/.well-known/ucp', '/ucp'],
      ['2026-04-08', '/.well-known/ucp/2026-04-08', '/ucp/2026-04-08'],
    ]) {
      const { status, headers, body } = await api.open(path ?? '');
      assert.equal(status, 200);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
      assert.equal(body.ucp.version, release);
      assert.deepEqual(body.ucp.payment_handlers, {});
      const services = body.ucp.services['dev.ucp.shopping'];
      assert.deepEqual(
        services.map(({ transport, endpoint }: any) => [transport, endpoint]),
        [
          ['rest', `http://catalogue.example${base}/v1`],
          ['mcp', `http://catalogue.example${base}/mcp`],
        ],
      );
      for (const [name, [capability]] of Object.entries<any>(body.ucp.capabilities)) {
        assert.match(name, /^dev\.ucp\.shopping\.catalog\.(search|lookup)$/);
        assert.match(capability.schema, new RegExp(`^https://ucp.dev/${release}/schemas/`));
      }
    }
    const { body } = await api.open('/.well-known/ucp');
    assert.deepEqual(body.ucp.supported_versions, {
      '2026-04-08': 'http://catalogue.example/.well-known/ucp/2026-04-08',
    });
  });

  it('shows a group as a product and a listing as a variant, with integers in minor units', async () => {
    const { products, pagination } = await ok('search', { query: 'Vortek kettle' });
    assert.deepEqual(pagination, { has_next_page: false, total_count: 1 });
    const [{ id, price_range, variants, ...shared }] = products;
    assert.equal(id, `g_${ids['kettle-a']}`);
    assert.deepEqual(price_range, {
      min: { amount: 7991, currency: 'SGD' },
      max: { amount: 8000, currency: 'SGD' },
    });
    assert.deepEqual(variants, [
      {
        id: `l_${ids['kettle-a']}`,
        sku: 'kettle-a',
        barcodes: [{ type: 'GTIN', value: '04006381333931' }],
        title: 'Vortek kettle VK-900X',
        description: { plain: 'Boils water.' },
        url: `http://catalogue.example/track/${ids['kettle-a']}`,
        categories: [{ value: 'Kitchen > Kettles', taxonomy: 'merchant' }],
        price: { amount: 8000, currency: 'SGD' },
        list_price: { amount: 10_000, currency: 'SGD' },
        availability: { available: true, status: 'in_stock' },
        media: [
          {
            type: 'image',
            url: 'https://shop-a.example/%C3%BC%7Ckettle%5B1%5D.jpg?100%25&%7Bx%7D#a%23b',
            alt_text: 'Vortek kettle VK-900X',
          },
        ],
        rating: { value: 4.5, scale_min: 0, scale_max: 5 },
        metadata: { condition: 'new' },
        seller: { name: 'Kitchen Corner (shop_a)' },
      },
    ]);
    assert.equal(shared.title, 'Vortek kettle VK-900X');
    const [pan] = (await ok('search', { query: 'frying pan' })).products;
    assert.equal(pan.id, `l_${ids['pan:1']}`);
    assert.deepEqual(pan.variants[0].price, { amount: 1300, currency: 'JPY' });
    assert.notProperty(pan.variants[0], 'availability');
    const [pot] = (await ok('search', { query: 'cooking pot' })).products;
    assert.deepEqual(pot.variants[0].price, { amount: 12_345, currency: 'KWD' });
    assert.deepEqual(pot.variants[0].metadata, { condition: 'used' });
    assert.notProperty(pot, 'metadata');
    // The shop states a list price, but no reduction was observed.
    assert.notProperty(pot.variants[0], 'list_price');
  });

  it('leaves out listings without a price or a currency, and answers a search without results', async () => {
    assert.deepEqual((await ok('search', { query: 'whisk' })).products, []);
    const ladles = await ok('search', { query: 'ladle' });
    assert.deepEqual([ladles.products, ladles.pagination.total_count], [[], 0]);
    const lookup = await ok('lookup', { ids: [`l_${ids['whisk']}`] });
    assert.deepEqual(lookup.products, []);
    assert.deepEqual(lookup.messages, [{ type: 'info', code: 'not_found', content: `l_${ids['whisk']}` }]);
  });

  it('pages by cursors, which belong to one search', async () => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let pages = 0; pages < 3; pages += 1) {
      const { products, pagination } = await ok('search', {
        query: 'mug',
        pagination: { limit: 10, cursor },
      });
      for (const { id } of products) seen.add(id);
      assert.equal(pagination.total_count, 25);
      assert.equal(pagination.has_next_page, pages < 2);
      cursor = pagination.cursor;
      if (pages === 0) {
        const other = await post('search', { query: 'pan', pagination: { cursor } });
        assert.deepEqual([other.status, other.body.code], [400, 'invalid_cursor']);
      }
    }
    assert.equal(seen.size, 25);
    assert.isUndefined(cursor);
    assert.lengthOf((await ok('search', { query: 'mug', pagination: { limit: 500 } })).products, 25);
    assert.lengthOf((await ok('search', { query: 'mug' })).products, 10);
  });

  it('filters by category and by price in a currency', async () => {
    const price = { min: 250, max: 350 };
    const inSgd = await ok('search', { query: 'mug', filters: { price }, context: { currency: 'sgd' } });
    assert.deepEqual(inSgd.products.map(({ title }: any) => title).sort(), ['Mug number 1', 'Mug number 2']);
    assert.equal(inSgd.messages[0].code, 'currency_not_converted');
    const ignored = await ok('search', { query: 'mug', filters: { price } });
    assert.equal(ignored.pagination.total_count, 25);
    assert.equal(ignored.messages[0].code, 'price_filter_ignored');
    for (const [category, count] of [
      ['Kitchen > Mugs', 25],
      ['Kitchen', 26],
      ['Pans', 1],
      ['Garden', 0],
    ] as const) {
      const { pagination } = await ok('search', { filters: { categories: [category] } });
      assert.equal(pagination.total_count, count, category);
    }
    const filters = { price: { max: 7_995 } };
    const lookup = await ok('lookup', { ids: [GTIN], filters, context: { currency: 'SGD' } });
    assert.deepEqual(lookup.products, []);
  });

  it('resolves every kind of identifier, and correlates the answers', async () => {
    const group = `g_${ids['kettle-a']}`;
    const listing = `l_${ids['kettle-b']}`;
    const given = [
      group,
      listing,
      GTIN,
      'shop_a:pan:1',
      'https://shop-a.example/kettle?ref=ü',
      'nothing',
      group,
    ];
    const { products, messages } = await ok('lookup', { ids: given });
    assert.deepEqual(messages, [{ type: 'info', code: 'not_found', content: 'nothing' }]);
    const inputs = products.map(({ id, variants }: any) => [
      id,
      variants.map((one: any) => [one.sku, one.inputs]),
    ]);
    assert.deepEqual(inputs, [
      [
        group,
        [
          [
            'kettle-a',
            [
              { id: group, match: 'featured' },
              { id: GTIN, match: 'exact' },
              { id: 'https://shop-a.example/kettle?ref=ü', match: 'exact' },
            ],
          ],
          ['kettle-b', [{ id: listing, match: 'exact' }]],
        ],
      ],
      [`l_${ids['pan:1']}`, [['pan:1', [{ id: 'shop_a:pan:1', match: 'exact' }]]]],
    ]);
  });

  it('returns a product with its offers, the named one first', async () => {
    const skus = async (id: string) =>
      (await ok('product', { id })).product.variants.map(({ sku }: any) => sku);
    assert.deepEqual(await skus(`g_${ids['kettle-a']}`), ['kettle-a', 'kettle-b']);
    assert.deepEqual(await skus(`l_${ids['kettle-b']}`), ['kettle-b', 'kettle-a']);
    for (const id of [
      'g_1',
      'l_99999999999999999',
      'x',
      'shop_a:none',
      'https://x.example/',
      'g_9007199254740993',
    ]) {
      const body = await ok('product', { id });
      assert.equal(body.ucp.status, 'error');
      assert.deepEqual(
        body.messages.map(({ code, severity }: any) => [code, severity]),
        [['not_found', 'unrecoverable']],
      );
    }
  });

  it('refuses what the protocol refuses', async () => {
    const refused = async (path: string, body: unknown, headers?: Record<string, string>) => {
      const reply = await post(path, body, headers);
      return [reply.status, reply.body.code];
    };
    assert.deepEqual(await refused('search', { query: 'mug' }, {}), [400, 'invalid_profile_url']);
    for (const agent of [
      'x',
      'profile=https://x.example',
      'profile="ftp://x"',
      `profile="${'x'.repeat(5_000)}"`,
    ])
      assert.deepEqual(await refused('search', { query: 'mug' }, { 'ucp-agent': agent }), [
        400,
        'invalid_profile_url',
      ]);
    assert.deepEqual(await refused('search', {}), [400, 'invalid_request']);
    assert.deepEqual(await refused('search', '{'), [400, 'invalid_request']);
    assert.deepEqual(await refused('lookup', {}), [400, 'invalid_request']);
    const many = Array.from({ length: 51 }, (_, i) => `l_${i}`);
    assert.deepEqual(await refused('lookup', { ids: many }), [400, 'request_too_large']);
    const crossed = { query: 'mug', context: { currency: 'SGD' }, filters: { price: { min: 2, max: 1 } } };
    assert.deepEqual(await refused('search', crossed), [400, 'invalid_request']);
    const wrong = { ...AGENT, authorization: 'Bearer x' };
    assert.deepEqual(await refused('search', { query: 'mug' }, wrong), [401, 'unauthorized']);
    const get = await api.open('/ucp/v1/catalog/search');
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
  });

  it('answers the same over MCP', async () => {
    const call = async (name: string, args: object, base = '/ucp') =>
      (
        await api.open(`${base}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name, arguments: args },
          }),
        })
      ).body;
    const meta = { 'ucp-agent': { profile: 'https://platform.example/.well-known/ucp' } };
    for (const [tool, path, catalog] of [
      ['search_catalog', 'search', { query: 'kettle' }],
      ['lookup_catalog', 'lookup', { ids: [GTIN, 'nothing'] }],
      ['get_product', 'product', { id: `l_${ids['kettle-b']}` }],
      ['get_product', 'product', { id: 'nothing' }],
    ] as const) {
      const { result, error } = await call(tool, { meta, catalog });
      assert.isUndefined(error, JSON.stringify(error));
      assert.deepEqual(result.structuredContent, await ok(path, catalog));
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    }
    const earlier = await call('search_catalog', { meta, catalog: { query: 'kettle' } }, '/ucp/2026-04-08');
    assert.isNull(validators['2026-04-08']?.('search_response', earlier.result.structuredContent));
    const codes = async (args: object) => {
      const { error } = await call('lookup_catalog', args);
      return [error.code, error.data.code];
    };
    assert.deepEqual(await codes({ catalog: { ids: [GTIN] } }), [-32_001, 'invalid_profile_url']);
    const many = Array.from({ length: 51 }, (_, i) => `l_${i}`);
    assert.deepEqual(await codes({ meta, catalog: { ids: many } }), [-32_602, 'request_too_large']);
  });

  it('answers random requests in the form of the release', async () => {
    const { random, rounds } = oracle(20_260_825, 1_000);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const maybe = <T>(make: () => T): T | undefined => (random() < 0.4 ? make() : undefined);
    const id = () =>
      pick([
        `g_${ids['kettle-a']}`,
        ...Object.values(ids).map((one) => `l_${one}`),
        GTIN,
        'shop_a:pan:1',
        'https://shop-a.example/kettle?ref=ü',
        'none',
        '🫖',
        `l_${Math.floor(random() * 1e17)}`,
      ]);
    const filters = () => ({
      categories: maybe(() => [pick(['Kitchen', 'Kitchen > Mugs', 'Pans', '>', 'Ki*'])]),
      price: maybe(() => ({
        min: maybe(() => Math.floor(random() * 900)),
        max: maybe(() => 900 + Math.floor(random() * 9e5)),
      })),
    });
    const context = () => ({ currency: pick(['SGD', 'JPY', 'KWD', 'XXX', 'eur']), language: 'de' });
    const query = () => pick(['kettle', 'mug number', 'pan', 'zzz', '', 'Töpfe "', 'shop_a', GTIN]);
    const bodies: Record<string, () => object> = {
      search: () => ({
        query: query(),
        filters: maybe(filters),
        context: maybe(context),
        pagination: maybe(() => ({ limit: 1 + Math.floor(random() * 60) })),
        signals: maybe(() => ({ 'dev.ucp.buyer_ip': '203.0.113.1' })),
      }),
      lookup: () => ({
        ids: Array.from({ length: 1 + Math.floor(random() * 5) }, id),
        filters: maybe(filters),
        context: maybe(context),
      }),
      product: () => ({
        id: id(),
        filters: maybe(filters),
        context: maybe(context),
        selected: maybe(() => []),
      }),
    };
    const counts: Record<string, number> = {};
    for (let i = 0; i < rounds; i += 1) {
      const release = pick(RELEASES);
      const path = pick(['search', 'search', 'lookup', 'product']);
      const body = bodies[path]?.();
      const base = release === '2026-08-25' ? '/ucp/v1' : '/ucp/2026-04-08/v1';
      const reply = await post(path, body, AGENT, base);
      const sent = `${base} ${path} ${JSON.stringify(body)}: ${reply.text}`;
      const outcome =
        reply.status === 400 ? '400' : `${path} ${reply.body.products?.length === 0 ? 'empty' : 'found'}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (reply.status === 400) assert.hasAllKeys(reply.body, ['code', 'content'], sent);
      else {
        assert.equal(reply.status, 200, sent);
        assert.isNull(validators[release]?.(ANSWERS[path] ?? 'error_response', reply.body), sent);
      }
    }
    assert.isAbove(counts['search found'] ?? 0, 5);
    assert.isAbove(counts['lookup found'] ?? 0, 5);
  });
});
