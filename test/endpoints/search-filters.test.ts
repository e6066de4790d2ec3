import { assert } from 'chai';
import { itRefuses, useApi } from '../support/api.js';
import { record, skus } from '../support/listings.js';

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

describe('filters, orders and fields of a search', () => {
  const api = useApi([
    record({
      sku: 'tv',
      source: 'Shop_A',
      brand: 'Nescafé',
      category: 'TVs',
      category_path: ['Electronics', 'Video', 'TVs'],
      price: '100.00',
      currency: 'SGD',
      rating: '4.5',
      last_checked: ago(60),
      image_url: 'https://images.example/tv.jpg',
      description: 'Shows <b>films</b> & "series" of <em>any</em> kind, and a tv guide',
      metadata: { Colour: ['Black', 'Red'], model: 'TV-1', nested: { no: 1 }, hdr: true, inches: 55 },
    }),
    record({
      sku: 'set',
      source: 'shop_b',
      brand: 'NESCAFE',
      category: 'Sets',
      category_path: ['Home', 'Electronics', 'Video'],
      price: '90.00',
      currency: 'USD',
      rating: '4.49',
      last_checked: ago(7_200),
      metadata: { attributes: { colour: 'BLACK', 'Screen  Size': '55"' }, colour: 'blue' },
    }),
    record({ sku: 'radio', source: 'shop_c', brand: 'Bose', price: '3.00', currency: 'BND', rating: '5' }),
    record({ sku: 'free', source: 'shop_c', price: null, currency: null, list_price: '20.00' }),
    record({ sku: 'deal', source: 'shop_c', price: '10.00', list_price: '20.00', currency: 'SGD' }),
  ]);

  const found = async (query: string, path = '/v1/search') => {
    const body = await api.ok(`${path}?${query}`);
    return (Array.isArray(body) ? skus({ items: body }) : skus(body)).sort();
  };

  const filters: Record<string, string[]> = {
    'brand=nescafe': ['set', 'tv'],
    'brand=Bose|N%C3%89SCAF%C3%89': ['radio', 'set', 'tv'],
    'brand=Nesc': [],
    'source=shop_a|SHOP_B': ['set', 'tv'],
    'platform=shop_c&source=shop_a': ['deal', 'free', 'radio'],
    'currency=usd|bnd': ['radio', 'set'],
    'attr.colour=black': ['set', 'tv'],
    'attr.COLOUR=red|blue': ['tv'],
    'attr.colour=black&attr.hdr=TRUE': ['tv'],
    'attr.inches=55': ['tv'],
    'attr.screen%20size=55%22': ['set'],
    'attr.model=TV-1': [],
    'min_rating=4.5': ['radio', 'tv'],
    'min_rating=4.49': ['radio', 'set', 'tv'],
    // A listing whose feed states no time was seen when it was loaded.
    'max_age_s=3600': ['deal', 'free', 'radio', 'tv'],
    'max_age_s=7100': ['deal', 'free', 'radio', 'tv'],
    'max_age_s=31536000': ['deal', 'free', 'radio', 'set', 'tv'],
    'has_image=true': ['tv'],
    'has_image=0&currency=SGD': ['deal'],
    'category_path=electronics': ['tv'],
    'category_path=Electronics%20>%20VIDEO': ['tv'],
    'category_path=Electronics|Home>Electronics': ['set', 'tv'],
    'category_path=Video': [],
    'category=Electronics%20>%20Video': ['set', 'tv'],
    'category=Electronics': [],
    'category=tv': ['tv'],
    'brand=&source=|&attr.colour=': ['deal', 'free', 'radio', 'set', 'tv'],
    'brand=&brand=|&fields=,&facets=&attr=y': ['deal', 'free', 'radio', 'set', 'tv'],
    'brand=Bose&brand=NESCAFE&source=shop_a&source=shop_b|shop_c': ['radio', 'set', 'tv'],
    'currency=usd&currency=&currency=bnd': ['radio', 'set'],
    'attr.colour=red&attr.colour=blue&attr.Color=black': ['set', 'tv'],
    'attr.color=black': ['set', 'tv'],
    'category_path=nothing&category_path=Home': ['set'],
    'min_rating=5&min_rating=4': ['radio', 'set', 'tv'],
  };
  for (const [query, expected] of Object.entries(filters)) {
    it(`filters by ${query} in all lists alike`, async () => {
      assert.deepEqual(await found(query), expected);
      assert.deepEqual(await found(query, '/v1/products/export'), expected);
      assert.deepEqual(await found(query, '/v1/products/trending'), expected);
      assert.deepEqual(
        await found(`${query}&min_discount_pct=0`, '/v1/deals'),
        expected.filter((sku) => sku === 'deal'),
      );
    });
  }

  it('links to the next page of an export with the same filters', async () => {
    const { headers } = await api.get('/v1/products/export?brand=Bose|Nescafe&attr.colour=black|x&limit=1');
    const next = new URL(/<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    assert.equal(next.searchParams.get('brand'), 'Bose|Nescafe');
    assert.equal(next.searchParams.get('attr.colour'), 'black|x');
  });

  const ordered = async (query: string) => skus(await api.ok(`/v1/search?${query}`));

  it('sorts by converted prices, with listings without an exchange rate or a price last', async () => {
    // A price of 90 USD is higher than one of 100 SGD. A price in BND is sorted last, because there is no
    // exchange rate.
    const [a, b] = [await ordered('sort=price_asc'), await ordered('sort=price_desc')];
    assert.deepEqual(a, ['deal', 'tv', 'set', 'radio', 'free']);
    assert.deepEqual(b, ['set', 'tv', 'deal', 'radio', 'free']);
    const paged = await Promise.all(
      [0, 1, 2, 3, 4].map((at) => ordered(`sort=price_asc&limit=1&offset=${at}`)),
    );
    assert.deepEqual(paged.flat(), a);
  });

  it('sorts by rating, by discount and by first observation', async () => {
    assert.deepEqual((await ordered('sort=rating')).slice(0, 3), ['radio', 'tv', 'set']);
    assert.deepEqual((await ordered('sort=discount'))[0], 'deal');
    assert.lengthOf(await ordered('sort=discount'), 5);
    await api.load([record({ sku: 'newest', source: 'shop_d', brand: 'Bose' })]);
    assert.equal((await ordered('sort=newest'))[0], 'newest');
    await api.load([
      record({ sku: 'radio', source: 'shop_c', brand: 'Bose', price: '4.00', currency: 'BND', rating: '5' }),
    ]);
    assert.equal((await ordered('sort=newest'))[0], 'newest');
    assert.equal((await ordered('sort=updated'))[0], 'radio');
    assert.equal((await ordered('q=bose&sort=updated'))[0], 'radio');
    assert.deepEqual(await ordered('q=bose&sort=relevance'), await ordered('q=bose'));
  });

  it('returns the requested fields in their order, and the id', async () => {
    const { body } = await api.get('/v1/search?fields=price,name&q=tv&source=shop_a');
    assert.deepEqual(body.items.map(Object.keys), [['id', 'name', 'price']]);
    const linked = await api.get('/v1/search?fields=affiliate_url&source=shop_a');
    assert.deepEqual(linked.body.items.map(Object.keys), [['id', 'affiliate_url']]);
    const whole = await api.get('/v1/search?source=shop_a');
    assert.equal(linked.body.items[0].affiliate_url, whole.body.items[0].affiliate_url);
    const all = await api.get(
      `/v1/search?source=shop_a&fields=${Object.keys(whole.body.items[0]).join(',')}`,
    );
    assert.deepEqual(all.body, whole.body);
  });

  it('highlights matches in HTML without other markup', async () => {
    const { body } = await api.get('/v1/search?q=tv+films&highlight=true&source=shop_a');
    const { highlight, ...item } = body.items[0];
    assert.equal(highlight.name, 'Listing <em>tv</em>');
    assert.equal(
      highlight.description,
      'Shows &lt;b&gt;<em>films</em>&lt;/b&gt; &amp; &quot;series&quot; of &lt;em&gt;any&lt;/em&gt; kind, and a <em>tv</em> guide',
    );
    assert.deepEqual(item, (await api.get(`/v1/products/${item.id}`)).body);
    const unmatched = await api.get('/v1/search?highlight=true&source=shop_b&fields=sku');
    assert.deepEqual(unmatched.body.items[0].highlight, { name: 'Listing set', description: null });
  });

  it('highlights only the beginning of a long description, and returns all of it', async () => {
    const description = `Lantern oil. ${'So bright, so warm. '.repeat(400)}Lantern.`;
    await api.load([record({ sku: 'lantern', source: 'shop_long', name: 'Storm light', description })]);
    const { body } = await api.get('/v1/search?q=lantern&highlight=true&source=shop_long');
    const marked: string = body.items[0].highlight.description;
    assert.equal(marked, description.replace('Lantern', '<em>Lantern</em>'));
  });

  const words = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join('|');
  const invalid: Record<string, [name: string, type: string]> = {
    'sort=best': ['sort', 'literal_error'],
    'sort=relevance': ['sort', 'value_error'],
    'sort=relevance&q=%20': ['sort', 'value_error'],
    [`brand=${'x|'.repeat(20)}x`]: ['brand', 'too_long'],
    [`source=${'x'.repeat(201)}`]: ['source', 'too_long'],
    [`attr.colour=${'x'.repeat(201)}`]: ['attr.colour', 'too_long'],
    [Array.from({ length: 11 }, (_, i) => `attr.a${i}=x`).join('&')]: ['attr.NAME', 'too_long'],
    [`brand=${'x|'.repeat(10)}x&brand=${'y|'.repeat(9)}y`]: ['brand', 'too_long'],
    [`attr.color=${words(20)}&attr.colour=other`]: ['attr.colour', 'too_long'],
    'attr.=x': ['attr.', 'value_error'],
    'attr.%20=x': ['attr.', 'value_error'],
    'min_rating=5.1': ['min_rating', 'less_than_equal'],
    'min_rating=-1': ['min_rating', 'greater_than_equal'],
    'min_rating=good': ['min_rating', 'float_parsing'],
    'max_age_s=0': ['max_age_s', 'greater_than_equal'],
    'max_age_s=31536001': ['max_age_s', 'less_than_equal'],
    'has_image=some': ['has_image', 'bool_parsing'],
    'has_price=some': ['has_price', 'bool_parsing'],
    'price_currency=RM': ['price_currency', 'string_pattern_mismatch'],
    'price_currency=XTS&min_price=1': ['price_currency', 'value_error'],
    'fields=price,cost': ['fields', 'literal_error'],
    'fields=internal': ['fields', 'literal_error'],
    'highlight=some': ['highlight', 'bool_parsing'],
  };
  itRefuses(api, '/v1/search', invalid);

  it('reports all errors at once, including those of several parameters', async () => {
    const { body } = await api.get(
      '/v1/search?limit=0&sort=relevance&facets=x,brand,y&min_rating=9&offset=1&cursor=',
    );
    assert.deepEqual(
      body.detail
        .map(({ loc, type }: { loc: unknown[]; type: string }) => `${loc.slice(1).join('.')} ${type}`)
        .sort(),
      [
        'facets.0 literal_error',
        'facets.2 literal_error',
        'limit greater_than_equal',
        'min_rating less_than_equal',
        'offset value_error',
        'sort value_error',
      ],
    );
    const mangled = await api.get('/v1/search?cursor=abc&limit=0&min_rating=9');
    const named = mangled.body.detail.map(({ loc }: { loc: unknown[] }) => loc[1]);
    assert.sameMembers(named, ['cursor', 'limit', 'min_rating']);
    const many = Array.from({ length: 11 }, (_, i) => `attr.a${i}=x`).join('&');
    for (const path of ['products/export', 'products/trending', 'deals'])
      assert.equal((await api.get(`/v1/${path}?${many}`)).status, 422, path);
  });

  it('answers 400 to crossing price limits in all lists', async () => {
    for (const path of ['search', 'products', 'products/trending', 'products/export', 'deals'])
      assert.equal((await api.get(`/v1/${path}?min_price=2&max_price=1`)).status, 400, path);
  });
});
