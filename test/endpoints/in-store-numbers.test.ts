import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { main as quality } from '../../scripts/quality.js';
import { checkDigit } from '../../src/listing/gtin.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { pluck, record, skus } from '../support/listings.js';

const withCheckDigit = (digits: string): string => digits + checkDigit(digits);

const CHEESE = withCheckDigit('200000002001');
const ROLL = withCheckDigit('021234500277');
const MELON = withCheckDigit('291234500555');
const TEA = withCheckDigit('2003001');
const JAM = withCheckDigit('220000000001');
const CANDLE = withCheckDigit('401234500077');

/** Goods with the number that their shop gave them; two shops that use one number sell different products. */
const IN_STORE: [gtin: string, sku: string, source: string, name: string, price: string][] = [
  [CHEESE, 'cheese', 'market_a', 'Own dairy edam slices 200 g', '1.99'],
  [CHEESE, 'sausage', 'market_b', 'Own butcher sausage slices 200 g', '1.79'],
  [ROLL, 'roll', 'market_a', 'Poppy seed roll', '0.39'],
  [ROLL, 'pretzel', 'market_c', 'Pretzel roll', '0.59'],
  [MELON, 'melon', 'market_b', 'Melon yellow, per kg', '2.29'],
  [MELON, 'grapes', 'market_c', 'Grapes red, per kg', '3.49'],
  [TEA, 'tea', 'market_a', 'Peppermint tea 20 bags', '0.99'],
  [TEA, 'oil', 'market_b', 'Sunflower oil 1 l', '2.49'],
];

describe('in-store numbers', function () {
  const api = useApi([
    ...IN_STORE.map(([gtin, sku, source, name, price], at) =>
      record({
        sku,
        source,
        name,
        price,
        gtin,
        brand: ['Alma', 'Borg', 'Cilla', 'Dorn'][at % 4],
        category: 'Food',
      }),
    ),
    record({ sku: 'jam', name: 'Apricot jam', gtin: JAM }),
    record({ sku: 'candle', source: 'market_a', name: 'Pillar candle Lumo ivory', gtin: CANDLE }),
    record({ sku: 'candle-b', source: 'market_b', name: 'Lumo pillar candle, ivory', gtin: CANDLE }),
  ]);

  before(async () => {
    await outputOf(link, api.prefix);
    await outputOf(quality, api.prefix);
  });

  const PAIRS = [0, 2, 4, 6].map((at) => [IN_STORE[at], IN_STORE[at + 1]] as const);

  it('do not make listings of different sources one product', async () => {
    for (const [one, other] of PAIRS) {
      const sku = one?.[1] ?? '';
      const id = await api.id(sku);
      const offers = await api.ok(`/v1/products/${id}/offers`);
      assert.deepEqual(pluck(offers.offers, 'sku'), [sku]);
      const compared = await api.ok(
        `/v1/products/compare?product_id=${id}&product_id=${await api.id(other?.[1] ?? '')}`,
      );
      for (const { matches } of compared.comparisons ?? [compared]) assert.isEmpty(matches, sku);
    }
    const { offers } = await api.ok(`/v1/products/${await api.id('candle')}/offers`);
    assert.sameMembers(pluck(offers, 'sku'), ['candle', 'candle-b'], 'a real GTIN does');
  });

  it('are looked up in all sources, and marked', async () => {
    const page = await api.ok(`/v1/lookup?gtin=${CHEESE}`);
    assert.deepInclude(page, { total: 2, in_store: true });
    assert.sameMembers(skus(page), ['cheese', 'sausage']);
    assert.isTrue((await api.ok(`/v1/lookup?url=https://id.example/01/0${CHEESE}`)).in_store);
    assert.notProperty(await api.ok(`/v1/lookup?gtin=${CANDLE}`), 'in_store');
    const identifiers = [TEA, CANDLE].map((value) => ({ type: 'gtin', value }));
    const [tea, candle] = (await api.post('/v1/lookup', { identifiers })).body.results;
    assert.include(tea, { total: 2, in_store: true });
    assert.notProperty(candle, 'in_store');
  });

  it('are no conflict between brands, and name no product for a best price unless one source has them', async () => {
    const conflicts = await api.ok('/v1/quality/gtin_conflict');
    assert.isEmpty(skus(conflicts));
    assert.strictEqual((await api.get(`/v1/products/best-price?q=${CHEESE}`)).status, 404);
    assert.strictEqual((await api.ok(`/v1/products/best-price?q=${JAM}`)).sku, 'jam');
  });

  it('name no single product of the catalogue of UCP if several have them', async () => {
    const headers = { 'UCP-Agent': 'profile="https://agent.example/profile"' };
    const lookUp = (id: string) => api.post('/ucp/v1/catalog/product', { id }, { headers });
    assert.strictEqual((await lookUp(JAM)).body.product?.title, 'Apricot jam');
    assert.notProperty((await lookUp(CHEESE)).body, 'product');
    assert.notProperty((await lookUp(JAM)).body.product.variants[0], 'barcodes');
  });

  it('leave the listings with the same number among the similar ones', async () => {
    const { items } = await api.ok(`/v1/products/${await api.id('roll')}/similar`);
    assert.include(pluck(items, 'sku'), 'pretzel');
  });
});
