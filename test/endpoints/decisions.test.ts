import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { decisionDocument, storeDecisions } from '../../src/matcher/decisions.js';
import { Backoff } from '../../src/engine/backoff.js';
import type { StoredDecision } from '../../src/schemas/decisions.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { offer, skus } from '../support/listings.js';

const NAME = 'Sony WH-1000XM5 Wireless Headphones';
const [A, B, C] = ['shop_a', 'shop_b', 'shop_c'];

describe('decisions of people on pairs of listings', function () {
  const api = useApi([
    ...[A, B, C].map((source) =>
      offer('xm5', NAME, '10.00', { source: source ?? '', brand: 'Sony', metadata: { model: 'WH1000XM5' } }),
    ),
    offer('bundle', 'Travel set of the season', '410.00', { source: 'shop_d' }),
  ]);

  /** Stores decisions as the command `link` does when it starts, but does not link listings. */
  const decide = (...decisions: [a: string, b: string, decision: StoredDecision['decision']][]) => {
    const author = { reviewer: null, key_id: null, note: null, decided_at: new Date().toISOString() };
    const stored = decisions.map(([a, b, decision]) => {
      const [[a_source = '', a_sku = ''], [b_source = '', b_sku = '']] = [a.split(' '), b.split(' ')];
      return decisionDocument({ a_source, a_sku, b_source, b_sku, decision }, author);
    });
    return storeDecisions(api.es, api.prefix, stored, new Backoff({ giveUpAfterMs: 1_000 }));
  };
  const idOf = async (listing: string) => {
    const [source, sku] = listing.split(' ');
    const { items } = (await api.get(`/v1/lookup?sku=${sku}&source=${source}`)).body;
    return items[0].id as number;
  };
  const matchesOf = async (listing: string, query = '') => {
    const { body } = await api.get(`/v1/products/compare?product_id=${await idOf(listing)}${query}`);
    return (body.matches as { source: string; sku: string }[])
      .map(({ source, sku }) => `${source} ${sku}`)
      .sort();
  };
  const offersOf = async (listing: string) =>
    (await api.get(`/v1/products/${await idOf(listing)}/offers`)).body;

  it('apply immediately to live matching, in both directions', async () => {
    assert.deepEqual(await matchesOf('shop_a xm5'), ['shop_b xm5', 'shop_c xm5']);
    await decide(['shop_b xm5', 'shop_a xm5', 'different'], ['shop_a xm5', 'shop_d bundle', 'same']);
    assert.deepEqual(await matchesOf('shop_a xm5'), ['shop_c xm5', 'shop_d bundle']);
    assert.deepEqual(await matchesOf('shop_b xm5'), ['shop_c xm5']);
    assert.deepEqual(await matchesOf('shop_d bundle'), ['shop_a xm5']);
    const { basis, offers } = await offersOf('shop_d bundle');
    assert.strictEqual(basis, 'live');
    assert.sameMembers(skus({ items: offers }), ['bundle', 'xm5']);
    for (const { match_score: score } of offers) assert.isAtLeast(score, 0.5);
    assert.deepEqual(await matchesOf('shop_a xm5', '&max_price=100'), ['shop_c xm5'], 'under filters too');
  });

  it('apply after linking, to listings that changed since, and after a new decision', async () => {
    await outputOf(link, api.prefix);
    const linked = await offersOf('shop_a xm5');
    assert.strictEqual(linked.basis, 'linked');
    assert.include(await matchesOf('shop_a xm5'), 'shop_d bundle');
    assert.notInclude(await matchesOf('shop_a xm5'), 'shop_b xm5');
    await api.load([
      offer('bundle', 'Set of this season', '410.00', { source: 'shop_d' }),
      offer('xm5', `${NAME} Black`, '10.00', {
        source: 'shop_b',
        brand: 'Sony',
        metadata: { model: 'WH1000XM5' },
      }),
    ]);
    assert.strictEqual((await offersOf('shop_d bundle')).basis, 'live');
    assert.deepEqual(await matchesOf('shop_d bundle'), ['shop_a xm5']);
    assert.include(await matchesOf('shop_a xm5'), 'shop_d bundle', 'from its group too');
    assert.notInclude(await matchesOf('shop_b xm5'), 'shop_a xm5');
    await decide(['shop_a xm5', 'shop_d bundle', 'different'], ['shop_c xm5', 'shop_a xm5', 'different']);
    assert.deepEqual(await matchesOf('shop_d bundle'), []);
    assert.deepEqual(await matchesOf('shop_a xm5'), [], 'before it is linked again');
  });
});
