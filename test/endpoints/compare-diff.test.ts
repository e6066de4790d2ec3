import { assert } from 'chai';
import type { SeenImage } from '../../src/listing/listing.js';
import type { StoredDecision } from '../../src/schemas/decisions.js';
import { decisionDocument, storeDecisions } from '../../src/matcher/decisions.js';
import { Backoff } from '../../src/engine/backoff.js';
import { useApi } from '../support/api.js';
import { offer, pluck, record } from '../support/listings.js';
import { words } from '../support/words.js';

const PATH = '/v1/products/compare/diff';

describe('POST /v1/products/compare/diff', () => {
  /** The ids of the listings by SKU. */
  const ids: Record<string, number> = {};
  const image = (sku: string) => `https://images.example/${sku}.png`;

  const records = [
    offer('cheap', 'Kettle', '80.00', {
      source: 'shop_a',
      category_path: ['Home', 'Kettles'],
      is_available: true,
      metadata: { colour: 'red', attributes: { litres: 1.7 }, only_here: 1 },
      image_url: image('cheap'),
    }),
    offer('dear', 'Kettle', '100.00', {
      source: 'shop_b',
      category_path: ['Home', 'Kettles'],
      metadata: { colour: 'blue', attributes: { litres: 1.7 } },
      image_url: image('dear'),
    }),
    offer('free', 'Kettle', null, { source: 'shop_c', image_url: image('free') }),
    offer('dollar', 'Kettle', '70.00', { source: 'shop_d', currency: 'USD' }),
    offer('hostile', '<b>=1+1</b>\u202e "quoted" &amp;', '1.00'),
    offer('tie', 'Kettle', '80.00', { source: 'shop_e' }),
    offer('dinar', 'Kettle', '12.345', { source: 'shop_f', currency: 'KWD' }),
    offer('same', 'Kettle', '12.3450', { source: 'shop_g', currency: 'KWD' }),
    offer('round', 'Kettle', '12.1', { source: 'shop_h', currency: 'KWD' }),
  ];
  const api = useApi(records);

  before(async () => {
    for (const { sku } of records) ids[String(sku)] = await api.id(String(sku));
  });

  const diff = (skus: string[], more: object = {}) =>
    api.post(PATH, { product_ids: skus.map((sku) => ids[sku]), ...more });
  const hash = (sku: string, seen: Partial<SeenImage>) =>
    api.es.update({
      index: api.products,
      id: String(ids[sku]),
      doc: {
        internal: {
          image: { url: image(sku), seen_at: '2026-01-01T00:00:00Z', hash: null, failure: null, ...seen },
        },
      },
    });

  it('returns complete products in request order, each with its price rank', async () => {
    const { status, body } = await diff(['dear', 'cheap', 'free']);
    assert.equal(status, 200);
    assert.hasAllKeys(
      body,
      words(`
    products field_diffs identical_fields cheapest_product_id most_expensive_product_id price_spread
    price_spread_pct currency
  `),
    );
    for (const [i, sku] of ['dear', 'cheap', 'free'].entries()) {
      const { price_rank, ...product } = body.products[i];
      assert.deepEqual(product, (await api.get(`/v1/products/${ids[sku]}`)).body);
      assert.equal(price_rank, [2, 1, 3][i]);
    }
  });

  it('returns the cheapest product, the most expensive product and the spread', async () => {
    const { body } = await diff(['dear', 'free', 'cheap']);
    assert.equal(body.cheapest_product_id, ids['cheap']);
    assert.equal(body.most_expensive_product_id, ids['dear']);
    assert.equal(body.price_spread, '20.00');
    assert.equal(body.price_spread_pct, 25);
    assert.equal(body.currency, 'SGD');
  });

  it('converts currencies: 70 US dollars are more than 80 Singapore dollars', async () => {
    const { body } = await diff(['dollar', 'cheap']);
    assert.equal(body.cheapest_product_id, ids['cheap']);
    assert.equal(body.currency, 'USD');
    assert.match(body.price_spread, /^\d+\.\d\d$/);
    assert.isAbove(Number(body.price_spread), 0);
    assert.isBelow(Number(body.price_spread), 20);
  });

  it('gives equal prices the same rank', async () => {
    const { body } = await diff(['dear', 'tie', 'cheap']);
    assert.deepEqual(pluck(body.products, 'price_rank'), [3, 1, 1]);
  });

  it('compares prices and not their zeros, and writes them with the decimals of their currency', async () => {
    const { body } = await diff(['dinar', 'same', 'round']);
    const price = body.field_diffs.find(({ field }: { field: string }) => field === 'price');
    assert.deepEqual(price.values, ['12.345', '12.345', '12.100']);
    assert.strictEqual(body.price_spread, '0.245');
    assert.include((await diff(['dinar', 'same'])).body.identical_fields, 'price');
  });

  it('returns every compared field, and the names of the equal fields', async () => {
    const { body } = await diff(['cheap', 'dear']);
    const fields = body.field_diffs as { field: string; values: string[]; all_identical: boolean }[];
    const values = Object.fromEntries(fields.map(({ field, values: shown }) => [field, shown]));
    assert.deepEqual(values['category_path'], ['Home > Kettles', 'Home > Kettles']);
    assert.deepEqual(values['is_available'], ['true', '']);
    assert.deepEqual(values['metadata.colour'], ['red', 'blue']);
    assert.deepEqual(values['metadata.attributes.litres'], ['1.7', '1.7']);
    for (const absent of ['id', 'image_url', 'buy_url', 'updated_at', 'metadata', 'metadata.only_here']) {
      assert.notProperty(values, absent);
    }
    assert.includeMembers(body.identical_fields, ['name', 'currency', 'metadata.attributes.litres']);
    assert.deepEqual(
      body.identical_fields,
      pluck(
        fields.filter(({ all_identical }) => all_identical),
        'field',
      ),
    );
  });

  it('does not change hostile text', async () => {
    const { body } = await diff(['hostile', 'cheap']);
    const { values } = body.field_diffs.find(({ field }: { field: string }) => field === 'name');
    assert.deepEqual(values, [body.products[0].name, 'Kettle']);
    assert.include(values[0], '<b>=1+1</b>');
  });

  it('compares images by their hashes, and states the reason if it cannot', async () => {
    assert.notProperty(
      (await diff(['cheap', 'dear'], { include_image_similarity: false })).body,
      'image_similarity',
    );
    await hash('cheap', { hash: '00000000000000ff' });
    await hash('dear', { hash: '00000000000000fe' });
    const { body } = await diff(['dear', 'cheap', 'free', 'dollar'], { include_image_similarity: true });
    const [dear, cheap, free, dollar] = body.products.map(({ id }: { id: number }) => id);
    assert.deepEqual(body.image_similarity, [
      { product_ids: [dear, cheap], similarity: 0.999, reason: 'perceptual hash' },
      { product_ids: [dear, free], similarity: null, reason: 'image not hashed yet' },
      { product_ids: [dear, dollar], similarity: null, reason: 'no image' },
      { product_ids: [cheap, free], similarity: null, reason: 'image not hashed yet' },
      { product_ids: [cheap, dollar], similarity: null, reason: 'no image' },
      { product_ids: [free, dollar], similarity: null, reason: 'no image' },
    ]);
    await hash('free', { failure: 'HTTP 404' });
    const again = await diff(['dear', 'free'], { include_image_similarity: true });
    assert.deepEqual(again.body.image_similarity, [
      { product_ids: [dear, free], similarity: null, reason: 'image unavailable' },
    ]);
    assert.notInclude(again.text, '404');
    assert.notInclude(again.text, 'internal');
  });

  describe('with explain=true', () => {
    const WORDS = { brand: 'Auralis', category_path: ['Audio', 'Headphones'], price: '200.00' };
    interface Pair {
      a: number;
      b: number;
      score: number;
      reasons: string[];
      contradictions: string[];
    }
    before(async () => {
      const names = {
        m5: ['shop_a', 'Auralis AX1000M5 wireless headphones black'],
        'm5-elsewhere': ['shop_b', 'AX1000M5 by Auralis, black headphones'],
        'm5-again': ['shop_a', 'Auralis AX1000M5 headphones wireless, black'],
        'm5-silver': ['shop_c', 'Auralis AX1000M5 wireless headphones silver'],
        m4: ['shop_b', 'Auralis AX1000M4 wireless headphones black'],
        nimbus: ['shop_a', 'Auralis Nimbus wireless headphones black'],
        stratus: ['shop_b', 'Auralis Stratus wireless headphones black'],
      };
      const records = Object.entries(names).map(([sku, [source = '', name = '']]) =>
        record({ sku, source, name, ...WORDS }),
      );
      await api.load(records);
      for (const sku of Object.keys(names)) ids[sku] = await api.id(sku);
    });
    const pairs = async (...skus: string[]): Promise<Pair[]> =>
      (await diff(skus, { explain: true })).body.same_product;
    const pair = async (a: string, b: string): Promise<Pair> => {
      const [one] = await pairs(a, b);
      assert.isDefined(one);
      return one;
    };

    it('adds every pair once, sorted by id and independent of the order of the request', async () => {
      const skus = ['m4', 'm5', 'm5-again', 'm5-silver', 'm5-elsewhere'];
      const sorted = skus.map((sku) => ids[sku] ?? 0).sort((a, b) => a - b);
      const all = await pairs(...skus);
      const expected = sorted.flatMap((a, at) => sorted.slice(at + 1).map((b) => [a, b]));
      assert.deepEqual(pluck(all, 'a', 'b'), expected);
      assert.deepEqual(await pairs(...skus.toReversed()), all);
      for (const one of all) assert.hasAllKeys(one, ['a', 'b', 'score', 'reasons', 'contradictions']);
    });

    it('reports that two product lines differ', async () => {
      const { contradictions } = await pair('nimbus', 'stratus');
      assert.include(contradictions, 'line');
      assert.notInclude((await pair('m5', 'm5-silver')).contradictions, 'line');
    });

    it('accepts it in the query as well', async () => {
      const body = { product_ids: [ids['m5'], ids['m4']] };
      const { same_product } = (await api.post(`${PATH}?explain=true`, body)).body;
      assert.deepEqual(same_product, await pairs('m5', 'm4'));
      assert.notProperty((await api.post(`${PATH}?explain=false`, body)).body, 'same_product');
    });

    it('adds nothing without it', async () => {
      assert.notProperty((await diff(['m5', 'm4'])).body, 'same_product');
      assert.notProperty((await diff(['m5', 'm4'], { explain: false })).body, 'same_product');
    });

    it('scores a pair as a comparison does', async () => {
      const { a, b, score, reasons, contradictions } = await pair('m5', 'm5-elsewhere');
      const { body } = await api.get(`/v1/products/compare?product_id=${a}`);
      const match = body.matches.find(({ id }: { id: number }) => id === b);
      assert.deepEqual([score, reasons], [match.match_score, match.match_reasons]);
      assert.deepEqual(contradictions, []);
    });

    it('scores listings of one source', async () => {
      assert.isAtLeast((await pair('m5', 'm5-again')).score, 0.5);
    });

    it('names what differs', async () => {
      for (const [sku, contradiction] of [
        ['m4', 'model'],
        ['m5-silver', 'colour'],
      ] as const) {
        const { score, contradictions } = await pair('m5', sku);
        assert.isBelow(score, 0.5);
        assert.include(contradictions, contradiction);
      }
    });

    it('obeys decisions of people', async () => {
      const keys = { a_source: 'shop_a', a_sku: 'm5', b_source: 'shop_b', b_sku: 'm5-elsewhere' };
      const backoff = new Backoff({ giveUpAfterMs: 1_000 });
      const author = { reviewer: null, key_id: null, note: null, decided_at: new Date().toISOString() };
      const decide = (decision: StoredDecision['decision']) =>
        storeDecisions(api.es, api.prefix, [decisionDocument({ ...keys, decision }, author)], backoff);
      await decide('different');
      const different = await pair('m5', 'm5-elsewhere');
      assert.isBelow(different.score, 0.5);
      assert.strictEqual(different.contradictions[0], 'decision');
      await decide('same');
      const same = await pair('m5', 'm5-elsewhere');
      assert.isAtLeast(same.score, 0.5);
      assert.notInclude(same.contradictions, 'decision');
    });

    it('rejects a value that is not a boolean', async () => {
      assert.deepEqual(await findings({ product_ids: [1, 2], explain: 'maybe' }), [
        [['body', 'explain'], 'bool_parsing'],
      ]);
    });
  });

  it('counts a repeated id once', async () => {
    const { body } = await diff(['dear', 'cheap', 'dear']);
    assert.lengthOf(body.products, 2);
  });

  const findings = async (body: unknown) => {
    const { status, body: answer } = await api.post(PATH, body);
    assert.equal(status, 422);
    return answer.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [loc, type]);
  };
  const at = ['body', 'product_ids'];

  it('requires two to five different integers', async () => {
    assert.deepEqual(await findings({}), [[at, 'missing']]);
    assert.deepEqual(await findings({ product_ids: [] }), [[at, 'too_short']]);
    assert.deepEqual(await findings({ product_ids: [ids['dear']] }), [[at, 'too_short']]);
    assert.deepEqual(await findings({ product_ids: [ids['dear'], ids['dear']] }), [[at, 'too_short']]);
    assert.deepEqual(await findings({ product_ids: [1, 2, 3, 4, 5, 6] }), [[at, 'too_long']]);
    assert.deepEqual(await findings({ product_ids: [1, 'two'] }), [[[...at, 1], 'int_parsing']]);
    assert.deepEqual(await findings({ product_ids: [1, 2.5] }), [[[...at, 1], 'int_from_float']]);
    assert.deepEqual(await findings({ product_ids: [1, 2], include_image_similarity: 'maybe' }), [
      [['body', 'include_image_similarity'], 'bool_parsing'],
    ]);
  });

  it('returns 404 with the unknown ids', async () => {
    const unknown = [0, -1, 2 ** 53 - 1, 1e22];
    const { status, body } = await api.post(PATH, { product_ids: [ids['dear'], ...unknown] });
    assert.equal(status, 404);
    assert.equal(body.detail, 'Product not found: 0, -1, 9007199254740991, 1e+22');
    const { status: one, body: named } = await api.post(PATH, { product_ids: [ids['dear'], 7] });
    assert.deepEqual([one, named], [404, { detail: 'Product not found: 7' }]);
  });

  it('requires a key', async () => {
    assert.equal((await api.open(PATH, { method: 'POST', body: '{"product_ids":[1,2]}' })).status, 401);
  });
});
