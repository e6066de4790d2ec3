import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { Lease } from '../../src/engine/lease.js';
import type { PairDecision } from '../../src/matching/grouping/cluster.js';
import { reviewQuestions } from '../../src/matching/grouping/review-questions.js';
import { applyDecisions } from '../../src/usecases/link/link.js';
import { LINK } from '../../src/usecases/link/run.js';
import { readRates } from '../../src/products/read-rates.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { offer } from '../support/listings.js';

const GTIN = '4006381333931';

describe('the review of matches', () => {
  const api = useApi([
    offer('a', 'Auralis WH-900 Wireless Headphones Black', '99.00', { source: 'shop_a', brand: 'Auralis' }),
    offer('b', 'Auralis WH-900 Wireless Headphones', '98.00', { source: 'shop_b', brand: 'Auralis' }),
    offer('c', 'Borealis studio lamp', '20.00', { source: 'shop_c', brand: 'Borealis', gtin: GTIN }),
    offer('d', 'Corvus desk lamp', '21.00', { source: 'shop_d', brand: 'Corvus', gtin: GTIN }),
    offer('e', 'Something else entirely', '5.00', { source: 'shop_e' }),
  ]);
  const reviewers = new Map<string, string>();
  const keyOf = async (developer: string, scopes: string[] = ['review']) => {
    const { body, status, text } = await api.open('/v1/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        developer_id: developer,
        name: 'review',
        tier: 'premium',
        admin_secret: ADMIN_SECRET,
        scopes,
      }),
    });
    assert.strictEqual(status, 201, text);
    return `Bearer ${body.raw_key as string}`;
  };
  const as = (developer: string) => ({ authorization: reviewers.get(developer) ?? '' });
  const get = async (path: string, developer = 'ann') => {
    const { status, body, text } = await api.get(path, { headers: as(developer) });
    assert.strictEqual(status, 200, text);
    return body;
  };
  const decide = async (decisions: object[], developer = 'ann') => {
    const { status, body, text } = await api.post(
      '/v1/decisions',
      { decisions },
      { headers: { ...as(developer), 'content-type': 'application/json' } },
    );
    assert.strictEqual(status, 200, text);
    return body.results as any[];
  };
  const undo = (id: string, developer = 'ann') =>
    api.get(`/v1/decisions/${id}`, { method: 'DELETE', headers: as(developer) });
  const offersOf = async (sku: string) =>
    ((await api.ok(`/v1/products/${await api.id(sku)}/offers`)).offers as { sku: string }[])
      .map((one) => one.sku)
      .sort();
  const pairsOf = async (query = '', developer = 'ann') =>
    ((await get(`/v1/review?${query}`, developer)).items as any[]).map(({ a, b, reason }) => [
      reason,
      ...[a.sku, b.sku].sort(),
    ]);
  before(async () => {
    await outputOf(link, api.prefix);
    for (const developer of ['ann', 'bob']) reviewers.set(developer, await keyOf(developer));
    reviewers.set('partner', await keyOf('partner', ['write:shop_a']));
  });

  it('needs the scope review', async () => {
    for (const path of ['/v1/review', '/v1/decisions']) {
      const { status, body } = await api.get(path, { headers: as('partner') });
      assert.strictEqual(status, 403, path);
      assert.include(body.detail, 'no scope review');
    }
    const { status } = await api.post('/v1/decisions', {
      decisions: [{ a: 'shop_a:a', b: 'shop_b:b', decision: 'same' }],
    });
    assert.strictEqual(status, 403);
    assert.strictEqual((await undo('x', 'partner')).status, 403);
  });

  it('lists a shared GTIN of different makers, with reasons unless it is blind', async () => {
    assert.deepEqual(await pairsOf('reason=gtin_conflict'), [['gtin_conflict', 'c', 'd']]);
    const { items, open } = await get('/v1/review?source=shop_c&limit=1');
    assert.strictEqual(open, 1);
    assert.include(items[0].match_reasons, 'gtin');
    assert.include(items[0].contradictions, 'maker');
    const blind = (await get('/v1/review?source=shop_c&blind=true')).items[0];
    assert.doesNotHaveAnyKeys(blind, ['score', 'match_reasons', 'contradictions', 'readings']);
    const { a, readings } = (await get('/v1/review?source=shop_c&explain=true')).items[0];
    const { reading } = await api.ok(`/v1/products/${a.id}?explain=true`);
    assert.deepEqual(readings.a, reading);
    assert.equal(readings.b.kind, 'desk lamp');
    assert.deepEqual(await pairsOf('source=shop_e'), []);
  });

  it('forms the groups again with each decision, and as they were once it is undone', async () => {
    const [result] = await decide([
      { a: 'shop_a:a', b: String(await api.id('e')), decision: 'same', note: 'a set' },
    ]);
    assert.strictEqual(result.outcome, 'applied');
    assert.notStrictEqual(result.groups_before.a, result.groups_before.b);
    assert.strictEqual(result.groups_after.a, result.groups_after.b);
    assert.include(await offersOf('a'), 'e');
    const [{ decision_id: id, reviewer, note, pending }] = (await get('/v1/decisions')).items;
    assert.deepEqual([id, reviewer, note, pending], [result.decision_id, 'ann', 'a set', false]);
    const { status, body } = await undo(id);
    assert.strictEqual(status, 200);
    assert.strictEqual(body.outcome, 'applied');
    assert.notStrictEqual(body.groups_after.a, body.groups_after.b);
    assert.notInclude(await offersOf('a'), 'e');
    assert.strictEqual((await undo(id)).status, 404);
  });

  it('rejects what is not about two listings, without affecting the others', async () => {
    const results = await decide([
      { a: 'shop_a:a', b: 'shop_a:none', decision: 'same' },
      { a: 'shop_a:a', b: 'shop_a:a', decision: 'different' },
      { a: 'shop_a:a', b: 'shop_b:b', decision: 'different' },
    ]);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['rejected', 'rejected', 'applied'],
    );
    assert.include(results[0].detail, 'shop_a:none');
    assert.deepEqual(await offersOf('a'), ['a']);
    assert.strictEqual((await undo(results[2].decision_id)).status, 200);
    for (const decisions of [
      [],
      [{ a: 1, b: 2, decision: 'perhaps' }],
      [{ a: 'nocolon', b: 2, decision: 'same' }],
    ])
      assert.strictEqual(
        (
          await api.post(
            '/v1/decisions',
            { decisions },
            { headers: { ...as('ann'), 'content-type': 'application/json' } },
          )
        ).status,
        422,
      );
  });

  it('leaves a decided pair to a second reviewer only, and counts how far they agree', async () => {
    const pair = { a: 'shop_c:c', b: 'shop_d:d' };
    await decide([{ ...pair, decision: 'skip' }], 'bob');
    assert.deepEqual(await pairsOf('reason=gtin_conflict', 'bob'), []);
    assert.lengthOf(await pairsOf('reason=gtin_conflict', 'ann'), 1);
    const [{ decision_id: id }] = await decide([{ ...pair, decision: 'different' }], 'ann');
    assert.deepEqual(await pairsOf('reason=gtin_conflict', 'ann'), []);
    assert.deepEqual(await pairsOf('decided=true', 'ann'), []);
    await decide([{ ...pair, decision: 'same' }], 'bob');
    assert.include(await offersOf('c'), 'd', 'the latest decision counts');
    assert.deepEqual((await get('/v1/decisions')).agreement, { pairs: 1, agreed: 0 });
    await decide([{ ...pair, decision: 'different' }], 'bob');
    assert.deepEqual((await get('/v1/decisions')).agreement, { pairs: 1, agreed: 1 });
    assert.notInclude(await offersOf('c'), 'd');
    await undo(id);
    assert.notInclude(await offersOf('c'), 'd', 'the decision of the other reviewer remains');
    await outputOf(link, api.prefix, ['--all']);
    assert.notInclude(await offersOf('c'), 'd');
    assert.deepEqual(await pairsOf('reason=gtin_conflict', 'ann'), [], 'after linking again');
  });

  it('pages through the decisions, and refuses the cursor of other parameters', async () => {
    await decide([{ a: 'shop_a:a', b: 'shop_e:e', decision: 'different' }]);
    const first = await get('/v1/decisions?limit=1');
    const second = await get(`/v1/decisions?limit=1&cursor=${first.next_cursor}`);
    assert.notStrictEqual(first.items[0].decision_id, second.items[0].decision_id);
    const { status } = await api.get(`/v1/review?cursor=${first.next_cursor}`, { headers: as('ann') });
    assert.strictEqual(status, 422);
  });

  it('applies a decision on listings that are not linked yet, and links them', async () => {
    await api.load([
      offer('new-a', 'Quillon Larch floor lamp', '60.00', { source: 'shop_a', brand: 'Quillon' }),
      offer('new-b', 'Standing light in oak', '61.00', { source: 'shop_b' }),
      offer('new-c', 'Larch lamp by Quillon, standing', '62.00', { source: 'shop_c' }),
    ]);
    const [first] = await decide([{ a: 'shop_a:new-a', b: 'shop_b:new-b', decision: 'same' }]);
    assert.strictEqual(first.outcome, 'applied');
    assert.strictEqual(first.groups_after.a, first.groups_after.b);
    const [second] = await decide([{ a: await api.id('a'), b: 'shop_c:new-c', decision: 'same' }]);
    assert.strictEqual(second.outcome, 'applied', 'one of the two is linked');
    assert.deepEqual(await offersOf('new-b'), ['new-a', 'new-b']);
    assert.strictEqual((await api.ok(`/v1/products/${await api.id('new-a')}/offers`)).basis, 'linked');
    for (const { decision_id } of [first, second]) {
      const { body } = await undo(decision_id);
      assert.strictEqual(body.outcome, 'applied');
      assert.notStrictEqual(body.groups_after.a, body.groups_after.b);
    }
    for (const sku of ['new-a', 'new-b', 'new-c'])
      await api.es.delete({ index: api.products, id: String(await api.id(sku)), refresh: true });
  });

  it('leaves a decision to the next linking run if another run is at work, or the time is over', async () => {
    const lease = await Lease.acquire(api.es, api.prefix, LINK, () => undefined);
    const [result] = await decide([
      { a: 'shop_a:a', b: String(await api.id('e')), decision: 'same' },
    ]).finally(() => lease.release());
    assert.strictEqual(result.outcome, 'pending');
    const context = { es: api.es, indexPrefix: api.prefix, rates: readRates(null), report: () => undefined };
    const showProgress = () => ({ line() {}, update() {}, stop() {} });
    assert.isFalse(await applyDecisions({ ...context, showProgress, signal: AbortSignal.abort() }));
    assert.isTrue(await applyDecisions({ ...context, showProgress, signal: new AbortController().signal }));
    assert.include(await offersOf('a'), 'e');
  });
});

describe('the questions to reviewers', () => {
  const none = { decisions: [], shareGtin: () => false, profileOf: () => undefined };
  const pair = (a: number, b: number, probability: number, contradicted = false) => ({
    a,
    b,
    probability,
    contradicted,
  });

  it('are one for two groups, that nearest to one half, with the largest effect first', () => {
    const questions = reviewQuestions({
      ...none,
      groups: [[1, 2, 3], [4], [5], [6]],
      pairs: [pair(1, 4, 0.4), pair(2, 4, 0.45), pair(3, 4, 0.9), pair(5, 6, 0.5), pair(1, 5, 0.5, true)],
    });
    assert.deepEqual(questions, [
      { a: 2, b: 4, reason: 'uncertain', effect: 4, score: 0.45 },
      { a: 5, b: 6, reason: 'uncertain', effect: 2, score: 0.5 },
    ]);
  });

  it('are about an unlikely pair of one group, and about the least likely pair of a large one', () => {
    const large = Array.from({ length: 30 }, (_, at) => at + 100);
    const questions = reviewQuestions({
      ...none,
      groups: [[1, 2], large],
      pairs: [pair(1, 2, 0.1), pair(100, 101, 0.9), pair(101, 102, 0.8)],
    });
    assert.deepEqual(questions, [
      { a: 101, b: 102, reason: 'large_group', effect: 30, score: 0.8 },
      { a: 1, b: 2, reason: 'contradiction', effect: 2, score: 0.1 },
    ]);
  });

  it('leave out what was decided', () => {
    const decisions = [{ a: 2, b: 1, same: true }];
    const questions = reviewQuestions({ ...none, groups: [[1], [2]], pairs: [pair(1, 2, 0.5)], decisions });
    assert.deepEqual(questions, []);
  });

  it('leave out the other pairs of two groups that were decided to be different', () => {
    const asked = (decisions: PairDecision[]) =>
      reviewQuestions({
        ...none,
        groups: [[1, 2], [3, 4], [5]],
        pairs: [pair(1, 3, 0.5), pair(2, 4, 0.4), pair(2, 5, 0.5)],
        decisions,
      }).map(({ a, b }) => [a, b]);
    assert.deepEqual(asked([{ a: 1, b: 4, same: false }]), [[2, 5]]);
  });

  it('leave out a pair of which one listing was decided to be what the other surely is', () => {
    const asked = (sure: number) =>
      reviewQuestions({
        ...none,
        groups: [[1, 2, 3]],
        pairs: [pair(1, 3, 0.5), pair(2, 3, 0.4), pair(1, 2, sure)],
        decisions: [{ a: 1, b: 3, same: true }],
      }).map(({ a, b }) => [a, b]);
    assert.deepEqual(asked(0.9), []);
    assert.deepEqual(asked(0.7), [[2, 3]]);
  });
});
