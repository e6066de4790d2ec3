// Chaos only (oracles, sampled, 2 min): it follows fifty decisions through every endpoint.
import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { offer } from '../support/listings.js';

/** A pair of listings in two shops, of which `b` is the cheaper one, and what a reviewer decides about it. */
interface Judged {
  a: Record<string, any>;
  b: Record<string, any>;
  decision: 'same' | 'different';
}

const sold = (sku: string, source: string, name: string, price: string, brand: string) =>
  offer(sku, name, price, { source, brand, buy_url: `https://${source.replace('_', '-')}.example/p/${sku}` });

/**
 * Fifty decisions against the matcher: 25 on listings with the same model number, which are decided to be different, and 25
 * on listings with no word in common, which are decided to be the same.
 */
const JUDGED = Array.from({ length: 50 }, (_, i): Judged => {
  const code = 100 + i;
  return i % 2 === 0
    ? {
        a: sold(`a${code}`, 'shop_a', `Sonvara kettle VK-${code} steel`, '30.00', 'Sonvara'),
        b: sold(`b${code}`, 'shop_b', `Sonvara VK-${code} electric kettle, steel`, '20.00', 'Sonvara'),
        decision: 'different',
      }
    : {
        a: sold(`a${code}`, 'shop_a', `Rondure desk lamp LX-${code} brass`, '30.00', 'Rondure'),
        b: sold(`b${code}`, 'shop_b', `Reading light of season ${code}`, '20.00', 'Auralis'),
        decision: 'same',
      };
});

describe('fifty decisions of a reviewer', () => {
  const api = useApi(JUDGED.flatMap(({ a, b }) => [a, b]));
  let headers: Record<string, string>;
  let ids: Map<string, number>;
  const isOneProduct = ({ decision }: Judged) => decision === 'same';

  before(async () => {
    await outputOf(link, api.prefix);
    const body = {
      developer_id: 'ann',
      name: 'review',
      tier: 'premium',
      admin_secret: ADMIN_SECRET,
      scopes: ['review'],
    };
    const { raw_key: key } = (
      await api.post('/v1/keys', body, { headers: { 'content-type': 'application/json' } })
    ).body;
    headers = { authorization: `Bearer ${key as string}`, 'content-type': 'application/json' };
    const { items } = await api.ok('/v1/search?limit=100');
    ids = new Map((items as { sku: string; id: number }[]).map(({ sku, id }) => [sku, id]));
  });

  /** Returns what contradicts that the two listings are one product, or two. */
  async function faults({ a, b }: Judged, areOne: boolean): Promise<string[]> {
    const [idA, idB] = [ids.get(a['sku']), ids.get(b['sku'])];
    const { offers } = await api.ok(`/v1/products/${idA}/offers`);
    const { matches } = await api.ok(`/v1/products/compare?product_id=${idB}`);
    const cheapest = async (q: string): Promise<string> =>
      (await api.ok(`/v1/products/best-price?q=${encodeURIComponent(q)}`)).sku;
    const isObeyed = {
      groups: offers.some(({ id }: { id: number }) => id === idB) === areOne,
      compare: matches.some(({ id }: { id: number }) => id === idA) === areOne,
      'best price by name': (await cheapest(a['name'])) === (areOne ? b['sku'] : a['sku']),
      'best price by address': (await cheapest(a['buy_url'])) === (areOne ? b['sku'] : a['sku']),
    };
    return Object.entries(isObeyed).flatMap(([what, isSo]) => (isSo ? [] : [`${what} of ${a['sku']}`]));
  }

  /** Pairs are checked one after the other, because requests of a busy service can be refused. */
  async function allFaults(judged: readonly Judged[]): Promise<string[]> {
    const found: string[] = [];
    for (const pair of judged) found.push(...(await faults(pair, isOneProduct(pair))));
    return found;
  }

  it('are obeyed by groups, compare and best price at once', async () => {
    for (let at = 0; at < JUDGED.length; at += 10) {
      const decisions = JUDGED.slice(at, at + 10).map(({ a, b, decision }) => ({
        a: `shop_a:${a['sku']}`,
        b: `shop_b:${b['sku']}`,
        decision,
      }));
      const { body } = await api.post('/v1/decisions', { decisions }, { headers });
      const results = body.results as { outcome: string; groups_before: { a: number; b: number } }[];
      for (const [nth, { outcome, groups_before: before }] of results.entries()) {
        assert.strictEqual(outcome, 'applied');
        const wereOne = before.a === before.b;
        assert.strictEqual(wereOne, decisions[nth]?.decision === 'different', 'it is against the matcher');
      }
    }
    assert.deepEqual(await allFaults(JUDGED), []);
  });

  it('are obeyed after all listings are linked again', async () => {
    await outputOf(link, api.prefix, ['--all']);
    assert.deepEqual(await allFaults(JUDGED), []);
  });

  it('are obeyed without the one that is undone', async () => {
    const [undone, ...rest] = JUDGED as [Judged, ...Judged[]];
    const { items } = (await api.get('/v1/decisions', { headers })).body;
    const { decision_id: id } = items.find((one: any) => one.a.sku === undone.a['sku']);
    assert.strictEqual((await api.get(`/v1/decisions/${id}`, { method: 'DELETE', headers })).status, 200);
    assert.deepEqual(await faults(undone, true), []);
    assert.deepEqual(await allFaults(rest.slice(0, 9)), []);
  });
});
