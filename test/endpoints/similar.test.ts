import { assert } from 'chai';
import { connectAgent } from '../support/agent.js';
import { useApi } from '../support/api.js';
import { groupListings, offer, pluck, skus } from '../support/listings.js';

const PATHS = {
  coolers: ['PC Components', 'Cooling'],
  boards: ['PC Components', 'Motherboards'],
  processors: ['PC Components', 'Processors'],
  phones: ['Phones'],
  accessories: ['Phone accessories'],
};

const listing = (
  path: keyof typeof PATHS,
  sku: string,
  name: string,
  price: string | null,
  fields: Record<string, unknown> = {},
) => offer(sku, name, price, { category_path: PATHS[path], ...fields });

describe('what is related to a listing', () => {
  const api = useApi([
    listing('coolers', 'cooler', 'Frosta Glacier 7 360mm Liquid CPU Cooler, PWM Fans, black', '100.00', {
      brand: 'Frosta',
      metadata: { radiator: 'aluminium', stock: 0, reviews: '0', warehouse: 'north', finish: 'n/a' },
    }),
    listing('coolers', 'same', 'Frosta Glacier 7 360mm Liquid CPU Cooler, black', '90.00', {
      brand: 'Frosta',
    }),
    listing('coolers', 'linked', 'Glacier cooler of Frosta', '95.00', { brand: 'Frosta' }),
    listing('coolers', 'near', 'Kaldur Wave 9 360mm Liquid CPU Cooler, PWM Fans', '104.00', {
      brand: 'Kaldur',
      metadata: { radiator: 'aluminium', stock: 0, reviews: '0', warehouse: 'north', finish: 'n/a' },
    }),
    listing('coolers', 'cheap', 'Novento Aqua 3 360mm Liquid CPU Cooler', '60.00', { brand: 'Novento' }),
    listing('coolers', 'small', 'Novento Aqua 2 120mm Liquid CPU Cooler', '40.00', { brand: 'Novento' }),
    listing('boards', 'board', 'Tessara TX90 Motherboard, sWQX8, ATX, 8 DDR9', '500.00', {
      brand: 'Tessara',
    }),
    listing('boards', 'other-board', 'Tessara TX70 Motherboard, sWQX8, ATX', '400.00', { brand: 'Tessara' }),
    listing('boards', 'small-board', 'Tessara TX50 Board, DDR7 M-ATX', '90.00', {
      description: 'For fast memory',
    }),
    listing('boards', 'same-board', 'Kaldur K5 Board, DDR7 ATX', '90.00', { description: 'For fast memory' }),
    listing('boards', 'memory', 'Ardent 16GB DDR7 Memory', '50.00', { category_path: ['Modules'] }),
    listing('processors', 'fits', 'Ardent 5975X, WQX8, 3.6 GHz, 32-Core', '900.00', { brand: 'Ardent' }),
    listing('processors', 'fits-not', 'Ardent 1200F, 1551, 3.2 GHz, 6-Core', '150.00', { brand: 'Ardent' }),
    listing('phones', 'phone', 'Orbita Nova S24 smartphone 256GB black', '800.00', { brand: 'Orbita' }),
    listing('phones', 'twin', 'Halden portable drive 256GB, black', '80.00', { category_path: ['Drives'] }),
    listing('phones', 'same-twin', 'HALDEN Portable Drive, 256GB black', '70.00', {
      category_path: ['Drives'],
    }),
    listing('phones', 'other-drive', 'Corvia portable drive 512GB', '90.00', { category_path: ['Drives'] }),
    listing('phones', 'webcam', 'Orbita webcam 4K with 1L bag', '80.00', { category_path: ['Webcams'] }),
    listing('phones', 'kettle', 'Corvia kettle 1L', '30.00', { category_path: ['Kettles'] }),
    listing('phones', 'beetle', 'Corvia Beetle', '30.00', { category_path: ['Kettles'] }),
    listing('phones', 'other-beetle', 'Halden Beetle', '30.00', { category_path: ['Screens'] }),
    listing('phones', 'screen', 'Halden screen 4K', '300.00', { category_path: ['Screens'] }),
    ...['30 inch', '20 inch', '27 inch', '24 inch'].map((size) =>
      listing('phones', `rod ${size}`, `Halden rod ${size}`, '30.00', { category_path: ['Rods'] }),
    ),
    listing('phones', 'rod 686mm', 'Corvia rod 686mm', '30.00', { category_path: ['Rods'] }),
    listing('phones', 'rod 508mm', 'Corvia rod 508mm', '30.00', { category_path: ['Rods'] }),
    listing('accessories', 'mount', 'Mounting kit of Kaldur, also 5975X', '9.00'),
    listing('accessories', 'case', 'Clear case for Orbita Nova S24', '12.00'),
    listing('accessories', 'tier-case', 'Clear case for Orbita Nova S24 Ultra black', '12.00'),
    listing('accessories', 'maker-case', 'Clear case for Pixela Nova S24 black', '12.00'),
    listing('phones', 'printer', 'Halden L3250 A4 Printer IPX7 2026', '90.00', {
      category_path: ['Printers'],
    }),
    listing('phones', 'paper', 'Corvia A4 Paper 500 sheets IPX7 2026', '5.00', { category_path: ['Paper'] }),
    listing('phones', 'ink', 'Ink for L3250 black', '9.00', { category_path: ['Ink'] }),
    listing('accessories', 'other-case', 'Clear case for Pixela 9', '12.00'),
  ]);
  const related = async (sku: string, what: string) =>
    (await api.get(`/v1/products/${await api.id(sku)}/${what}`)).body;
  const reasonsOf = (body: any, sku: string): string[] =>
    body.items.find((one: { sku: string }) => one.sku === sku)?.reasons ?? [];
  before(() => groupListings(api, ['cooler', 'linked']));

  it('is what can replace it: the same kind, near in size, attributes and price, of any maker', async () => {
    const body = await related('cooler', 'similar');
    assert.deepEqual(skus(body), ['near', 'cheap', 'small']);
    assert.equal(body.total, 3);
    assert.deepEqual(reasonsOf(body, 'near'), [
      'same kind: cooling',
      'both have: 36 cm',
      'same radiator: aluminium',
      '4 % dearer',
      'other maker: Kaldur',
    ]);
    assert.include(reasonsOf(body, 'cheap'), '40 % cheaper');
    assert.notInclude(reasonsOf(body, 'small').join(), 'both have');
  });

  it('has the same size first, in whatever unit names state it', async () => {
    assert.equal(skus(await related('rod 686mm', 'similar'))[0], 'rod 27 inch');
    assert.equal(skus(await related('rod 508mm', 'similar'))[0], 'rod 20 inch');
  });

  it('is sorted by price, those of another size last, and passes filters', async () => {
    assert.deepEqual(skus(await related('cooler', 'similar?sort=price_asc')), ['cheap', 'near', 'small']);
    assert.deepEqual(skus(await related('cooler', 'similar?max_price=70')), ['cheap', 'small']);
    assert.deepEqual(skus(await related('cooler', 'similar?attr.radiator=aluminium')), ['near']);
    const second = await related('cooler', 'similar?sort=price_asc&limit=1&offset=1');
    assert.deepEqual([skus(second), second.total, second.has_more], [['near'], 3, true]);
    assert.deepEqual(skus(await related('cooler', 'similar?offset=80')), []);
  });

  it('is what fits it, by the codes that both state, or the product that a name is for', async () => {
    const body = await related('board', 'compatible?q=CPU');
    assert.deepEqual(skus(body), ['fits']);
    assert.deepEqual(reasonsOf(body, 'fits'), ['both state: wqx8']);
    assert.deepEqual(skus(await related('board', 'compatible')), ['fits']);
    const phone = await related('phone', 'compatible');
    assert.equal(skus(phone)[0], 'case');
    assert.match(reasonsOf(phone, 'case').join(), /made for: .*nova s24/);
    assert.notInclude(skus(phone), 'other-case');
  });

  it('is for the same maker and tier, and shares more than a size, a year or a kind of protection', async () => {
    assert.deepEqual(skus(await related('phone', 'compatible')), ['case']);
    const cases = await related('phone', 'compatible?q=case');
    assert.deepEqual([skus(cases), cases.total], [['case'], 1]);
    assert.deepEqual(skus(await related('phone', 'compatible?limit=1&offset=1')), []);
    const printer = await related('printer', 'compatible');
    assert.deepEqual(skus(printer), ['ink']);
    assert.deepEqual(reasonsOf(printer, 'ink'), ['made for: l3250 black', 'both state: l3250']);
  });

  it('is of another kind, unless the words that say what is wanted name the same kind', async () => {
    const memory = await related('small-board', 'compatible?q=memory');
    assert.deepEqual(skus(memory), ['memory']);
    assert.deepEqual(reasonsOf(memory, 'memory'), ['both state: ddr7']);
    assert.deepEqual(skus(await related('small-board', 'compatible?q=fast')), []);
    assert.include(skus(await related('small-board', 'compatible?q=motherboard')), 'same-board');
  });

  it('is no listing that shares only a quantity or a colour, unless it is asked for', async () => {
    assert.deepEqual(skus(await related('webcam', 'compatible')), [], 'capacities and resolutions');
    const { items } = await related('phone', 'compatible');
    assert.notIncludeMembers(skus({ items }), ['twin', 'same-twin']);
    const asked = await related('phone', 'compatible?q=portable+drive');
    assert.includeMembers(skus(asked), ['twin']);
    for (const { reasons } of asked.items) assert.notInclude(reasons.join(), 'both state: 256gb');
    assert.include(reasonsOf(await related('fits', 'compatible'), 'mount'), 'both state: 5975x');
  });

  it('is of a kind that a category of the catalogue names, not of a product line', async () => {
    const body = await related('beetle', 'similar');
    assert.deepEqual(skus(body), ['kettle']);
    assert.include(reasonsOf(body, 'kettle'), 'same kind: kettles');
  });

  it('has a reason, whatever it is', async () => {
    for (const sku of ['cooler', 'board', 'phone', 'twin', 'webcam', 'fits', 'case', 'screen'])
      for (const what of ['similar', 'compatible', 'compatible?q=portable+drive'])
        for (const { reasons, name } of (await related(sku, what)).items)
          assert.isNotEmpty(reasons, `${sku} ${what}: ${name}`);
  });

  it('is no offer with the same words in its name', async () => {
    assert.deepEqual(skus(await related('twin', 'similar')), ['other-drive']);
  });

  it('is on pages of at most 100 listings, as every list', async () => {
    for (const path of ['similar', 'compatible']) {
      const status = async (limit: number) =>
        (await api.get(`/v1/products/${await api.id('near')}/${path}?limit=${limit}`)).status;
      assert.deepEqual([await status(100), await status(101), await status(0)], [200, 422, 422], path);
    }
  });

  it('needs a listing', async () => {
    for (const path of ['/v1/products/1/similar', '/v1/products/1/compatible'])
      assert.equal((await api.get(path)).status, 404);
  });

  it('rejects price limits that cross before it looks for the listing', async () => {
    for (const path of ['/v1/products/1/similar', '/v1/products/1/compatible'])
      assert.equal((await api.get(`${path}?min_price=2&max_price=1`)).status, 400);
  });

  it('reaches agents, with reasons as quoted data', async () => {
    const agent = await connectAgent(api.url, `Bearer ${await api.key()}`, 'each request');
    const product_id = await api.id('cooler');
    const { text, structured } = await agent.call('find_similar', {
      product_id,
      sort: 'price_asc',
      limit: 2,
    });
    assert.deepEqual(pluck(structured.items, 'id'), [await api.id('cheap'), await api.id('near')]);
    assert.match(
      text,
      /^3 of the most similar; 1 to 2 of them; offset=2 gives the next\n1\. \d+ "Novento .*, because "same kind: cooling", /,
    );
    const fits = await agent.call('find_compatible', { product_id: await api.id('board'), q: 'CPU' });
    assert.deepEqual(pluck(fits.structured.items, 'reasons'), [['both state: wqx8']]);
    const none = await agent.call('find_compatible', { product_id, max_price: 1 });
    assert.isFalse(none.isError);
    assert.match(none.text, /^Nothing matches: no listing that passes says that it fits\nThis call works: /);
    await agent.close();
  });
});
