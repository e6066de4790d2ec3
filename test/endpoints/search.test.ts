import { assert } from 'chai';
import { itRefuses, useApi } from '../support/api.js';
import { offer, record, skus } from '../support/listings.js';
import { words } from '../support/words.js';

describe('GET /v1/search and /v1/products', () => {
  const api = useApi([
    offer('h1', 'Auralis AX-1000M5 wireless headphones', '0.10', {
      category: 'Over-ear Headphones',
      is_available: true,
    }),
    offer('h2', 'Auralis AX-1000M4 wireless headphones', '443164.00', {
      source: 'shop_b',
      category: 'Over-ear Headphones',
      is_available: false,
    }),
    offer('c1', 'Café crème, 100% arabica', '19.999', {
      category: 'Coffee* & Tea',
      currency: 'KWD',
      buy_url: 'https://shop.example/c1',
    }),
    offer('c2', 'Filter papers', null, { source: 'shop_b', category: 'Coffee? & Tea', currency: null }),
    offer('n1', 'A thing of no category', '10.00', { is_available: true }),
  ]);

  const found = async (query: string) => skus(await api.ok(`/v1/search?${query}`)).sort();

  it('finds listings with any word, or with match=all only those with every word', async () => {
    assert.deepEqual(await found('q=wireless+coffee'), ['c1', 'c2', 'h1', 'h2']);
    assert.deepEqual(await found('q=wireless+coffee&match=any'), ['c1', 'c2', 'h1', 'h2']);
    assert.deepEqual(await found('q=wireless+coffee&match=all'), []);
    assert.deepEqual(await found('q=coffee+arabica&match=all'), ['c1']);
    assert.deepEqual(await found('q=head+phones+ax1000m5&match=all'), ['h1']);
    // With `match=all`, typos are corrected as well, and an identifier alone finds its listing.
    assert.deepEqual(await found('q=wireless+hedphones+ax-1000m4&match=all'), ['h2']);
    assert.deepEqual(await found('q=n1&match=all'), ['n1']);
    assert.equal((await api.get('/v1/search?q=x&match=some')).body.detail[0].type, 'literal_error');
  });

  it('reads a colon between words and an opening angle bracket as a blank', async () => {
    for (const text of ['name:auralis', 'auralis:coffee', 'coffee<auralis'])
      assert.includeMembers(await found(`q=${encodeURIComponent(text)}`), ['h1', 'h2'], text);
  });

  it('answers a page', async () => {
    const { body, headers } = await api.get('/v1/search?q=headphones&limit=1');
    assert.hasAllKeys(body, ['total', 'limit', 'offset', 'has_more', 'items']);
    assert.include(body, { total: 2, limit: 1, offset: 0, has_more: true });
    assert.lengthOf(body.items, 1);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    const last = await api.get('/v1/search?q=headphones&limit=1&offset=1');
    assert.isFalse(last.body.has_more);
    assert.notEqual(last.body.items[0].id, body.items[0].id);
  });

  it('returns each listing with every field of a Product and nothing else', async () => {
    const { body } = await api.get('/v1/search?q=arabica');
    const [item] = body.items;
    assert.deepEqual(
      Object.keys(item),
      words(`
    id sku source merchant_id name description price currency buy_url affiliate_url image_url brand
    category category_path rating is_available last_checked metadata updated_at
  `),
    );
    assert.include(item, { sku: 'c1', price: '19.999', currency: 'KWD', brand: null, is_available: null });
    assert.deepEqual(item.category_path, []);
    assert.equal(item.affiliate_url, `http://catalogue.example/track/${item.id}`);
    assert.match(item.updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    assert.deepEqual((await api.get(`/v1/products/${item.id}`)).body, item);
  });

  it('returns the same under both paths', async () => {
    const [a, b] = await Promise.all(
      ['search', 'products'].map((path) => api.get(`/v1/${path}?q=headphones`)),
    );
    assert.deepEqual(a?.body, b?.body);
  });

  it('filters prices exactly to the cent, and excludes listings without a price', async () => {
    assert.deepEqual(await found('min_price=0'), ['c1', 'h1', 'h2', 'n1']);
    assert.deepEqual(await found('min_price=0.10&max_price=0.10'), ['h1']);
    assert.deepEqual(await found('min_price=0.11&max_price=10'), ['n1']);
    assert.deepEqual(await found('max_price=9.99'), ['h1']);
    assert.deepEqual(await found('min_price=19.999&max_price=19.999'), ['c1']);
    assert.deepEqual(await found('min_price=19.9991&max_price=443163.99'), []);
    assert.deepEqual(await found('min_price=443164'), ['h2']);
  });

  it('filters by part of the category, in which no character is special', async () => {
    assert.deepEqual(await found('category=HEADPHONES'), ['h1', 'h2']);
    assert.deepEqual(await found(`category=${encodeURIComponent('coffee*')}`), ['c1']);
    assert.deepEqual(await found(`category=${encodeURIComponent('coffee?')}`), ['c2']);
    assert.deepEqual(await found(`category=${encodeURIComponent('%')}`), []);
    assert.deepEqual(await found(`category=${encodeURIComponent('o.f')}`), []);
    assert.deepEqual(await found(`category=${encodeURIComponent('\\')}`), []);
    assert.deepEqual(await found('category='), ['c1', 'c2', 'h1', 'h2', 'n1']);
  });

  it('filters by platform, under both names, and by stock in three states', async () => {
    assert.deepEqual(await found('platform=shop_b'), ['c2', 'h2']);
    assert.deepEqual(await found('source=shop_b'), ['c2', 'h2']);
    assert.deepEqual(await found('platform=nobody'), []);
    assert.deepEqual(await found('platform=shop_b&source=shop_a'), ['c2', 'h2'], 'platform wins');
    assert.deepEqual(await found('platform=&source=shop_b'), ['c2', 'h2'], 'a blank one is none');
    assert.deepEqual(await found('in_stock=yes'), ['h1', 'n1']);
    assert.deepEqual(await found('in_stock=0'), ['h2']);
  });

  it('ignores a blank q, and uses the last of repeated parameters', async () => {
    assert.lengthOf(await found('q=%20'), 5);
    assert.deepEqual(await found('q=arabica&q=headphones'), ['h1', 'h2']);
    assert.deepEqual(await found('unknown=1&q=arabica'), ['c1']);
  });

  it('sorts by the last change, then by id', async () => {
    await api.load([offer('n1', 'A thing of no category, renamed', '10.00', { is_available: true })]);
    const { body } = await api.get('/v1/products');
    assert.equal(body.items[0].sku, 'n1');
    const order = body.items
      .slice(1)
      .map(({ updated_at, id }: { updated_at: string; id: number }) => [updated_at, id]);
    const sorted = [...order].sort(([a, i], [b, j]) => (a === b ? i - j : a < b ? 1 : -1));
    assert.deepEqual(order, sorted);
  });

  const invalid: Record<string, [string, string]> = {
    'limit=0': ['limit', 'greater_than_equal'],
    'limit=101': ['limit', 'less_than_equal'],
    'limit=ten': ['limit', 'int_parsing'],
    'limit=': ['limit', 'int_parsing'],
    'limit=1.5': ['limit', 'int_parsing'],
    'offset=-1': ['offset', 'greater_than_equal'],
    'min_price=NaN': ['min_price', 'float_parsing'],
    'min_price=Infinity': ['min_price', 'float_parsing'],
    'max_price=0x10': ['max_price', 'float_parsing'],
    'max_price=1e400': ['max_price', 'float_parsing'],
    'max_price=-1': ['max_price', 'greater_than_equal'],
    'in_stock=perhaps': ['in_stock', 'bool_parsing'],
    [`q=${'x'.repeat(1001)}`]: ['q', 'string_too_long'],
  };
  itRefuses(api, '/v1/search', invalid);

  it('answers 400 if price limits cross or an offset is too large', async () => {
    const crossed = await api.get('/v1/search?min_price=2&max_price=1');
    assert.equal(crossed.status, 400);
    assert.isString(crossed.body.detail);
    const far = await api.get('/v1/search?offset=1000001');
    assert.equal(far.status, 400);
    assert.include(far.body.detail, 'export');
    assert.deepEqual((await api.get('/v1/search?offset=1000000')).body.items, []);
  });

  it('answers 304 to a client that has the page already', async () => {
    const { headers } = await api.get('/v1/search?q=headphones');
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^W\/"/);
    assert.deepInclude(await api.get('/v1/search?q=headphones', { headers: { 'if-none-match': etag } }), {
      status: 304,
      text: '',
    });
  });
});

describe('a search for an identifier or the exact name of a listing', () => {
  const api = useApi();

  it('finds a GTIN in each of its forms, as does the best price', async () => {
    const forms = ['036000291452', '0036000291452', '00036000291452'];
    const short = ['96385074', '0000096385074', '00000096385074'];
    const of = (prefix: string, gtins: string[], name: string) =>
      gtins.map((gtin, i) => ({
        ...offer(`${prefix}${i}`, `${name} ${'ABC'[i]}`, `${9 - i}.00`),
        ...(i === 0 ? { gtin } : { metadata: { ean: gtin } }),
      }));
    await api.load([...of('u', forms, 'Tissues'), ...of('s', short, 'Kettle'), record({ sku: 'other' })]);
    const search = async (q: string, more = '') => {
      const { body } = await api.get(`/v1/search?q=${encodeURIComponent(q)}${more}`);
      return skus(body).sort();
    };
    const best = async (q: string) =>
      (await api.get(`/v1/products/best-price?q=${encodeURIComponent(q)}`)).body.sku;
    for (const [name, skusOfIt, written] of [
      ['tissues', ['u0', 'u1', 'u2'], [...forms, '0 36000 29145 2', '0-36000-29145-2']],
      ['kettle', ['s0', 's1', 's2'], [...short, '9638-5074']],
    ] as [string, string[], string[]][]) {
      for (const q of written) {
        assert.deepEqual(await search(q), skusOfIt, q);
        assert.deepEqual(await search(q, '&match=all'), skusOfIt, q);
        assert.equal(await best(q), skusOfIt[2], q);
      }
      for (const form of written.slice(0, 3)) {
        assert.deepEqual(await search(`${name} ${form}`, '&match=all'), skusOfIt, form);
        assert.equal(await best(`${name} ${form}`), skusOfIt[2], form);
      }
    }
    assert.deepEqual(await search('036000291453'), [], 'a mistyped one');
  });

  it('ranks other shops’ offers before further listings of the same shop, on every page', async () => {
    const own = Array.from({ length: 12 }, (_, at) =>
      offer(`own-${at}`, `Brontide BH-200 Studio Headphones Colour ${at}`),
    );
    const unlike = Array.from({ length: 100 }, (_, at) => offer(`x-${at}`, `Porcelain teapot ${at}`));
    await api.load([
      ...own,
      ...unlike,
      offer('theirs', 'Brontide BH200 Studio Headphones, Black', '10.00', { source: 'shop_b' }),
    ]);
    const page = async (q: string, more = '') =>
      skus((await api.get(`/v1/search?q=${encodeURIComponent(q)}${more}`)).body);
    const name = 'Brontide BH-200 Studio Headphones Colour 0';
    assert.deepEqual((await page(name)).slice(0, 2), ['own-0', 'theirs']);
    assert.notInclude((await page(`${name} boxed`)).slice(0, 5), 'theirs');
    const all = await page(name.toUpperCase(), '&limit=50');
    const paged = [];
    for (let offset = 0; offset < all.length; offset += 4)
      paged.push(...(await page(name, `&limit=4&offset=${offset}`)));
    assert.deepEqual(paged, all);
  });
});

describe('a search that finds listings that are near-identical to a better one of their owner', () => {
  const api = useApi();

  it('ranks them below others with as many words, and above those with fewer', async () => {
    await api.load([
      offer('copy', 'Pravello pasta maker pasta maker', '30.00'),
      offer('other', 'Maker of fresh pasta and noodles, steel, for the kitchen', '40.00'),
      offer('fewer', 'Pasta', '2.00'),
    ]);
    const found = async () => skus(await api.ok('/v1/search?q=pasta+maker'));
    assert.deepEqual(await found(), ['copy', 'other', 'fewer']);
    await api.es.updateByQuery({
      index: api.products,
      query: { term: { sku: 'copy' } },
      script: { source: 'ctx._source.internal.crowd = true' },
      refresh: true,
    });
    assert.deepEqual(await found(), ['other', 'copy', 'fewer']);
  });
});
