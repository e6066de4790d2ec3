import { assert } from 'chai';
import { chooseAmong } from '../../src/matching/choice.js';
import type { Comparisons } from '../../src/matching/evidence.js';
import { FEATURES, type Features } from '../../src/matching/features.js';
import { matchCandidates, matchesAmong } from '../../src/matching/match.js';
import { MODEL, type PairWeights } from '../../src/matching/model.js';
import { asCandidate } from '../../src/matching/requested/requested-product.js';

const zeros = Object.fromEntries(FEATURES.map((name) => [name, 0]));
const pair = { ...zeros, coverLow: 10 } as PairWeights;
const choice = { bias: 0.5, logit: 1, others: -1, silent: -0.5, shared: 2 };

/** Creates candidates, two of which are offers of one product if their names begin with the same letter. */
const comparisonsOf = (...names: string[]) =>
  ({
    candidates: names.map((name) => ({ name })),
    features: names.map(() => zeros),
    between: (a: number, b: number) =>
      ({ ...zeros, coverLow: names[a]?.[0] === names[b]?.[0] ? 1 : -1 }) as Features,
  }) as unknown as Comparisons;

const chosen = (names: string[], logits: (number | null)[]) =>
  chooseAmong(comparisonsOf(...names), logits, { pair, choice });

describe('chooseAmong', () => {
  it('raises a candidate without competitors', () => {
    assert.deepEqual(chosen(['a'], [1]), [1.5]);
  });

  it('lowers candidates that are different products, and keeps their order', () => {
    const [first = 0, second = 0] = chosen(['a', 'b'], [1, 0.5]) as number[];
    assert.isBelow(first, 1);
    assert.isBelow(second, first);
    assert.closeTo(first, 1.5 - Math.log(1 + Math.exp(0.5)), 1e-9);
  });

  it('does not let offers of one product compete', () => {
    assert.deepEqual(chosen(['a1', 'a2'], [1, 0.5]), [1.5, 1]);
  });

  it('ignores candidates that are ruled out or unlikely', () => {
    assert.deepEqual(chosen(['a', 'b', 'c'], [1, null, -5]), [1.5, null, -5]);
  });

  it('lowers a candidate if only one listing states a variant, and raises it if the names share more words', () => {
    const evidence = { variantMissing: 0.5, countMissing: 0.5, sharedSum: 0.5 };
    const comparisons = { ...comparisonsOf('a', 'b'), features: [{ ...zeros, ...evidence }] as Features[] };
    assert.deepEqual(chooseAmong(comparisons, [1], { pair, choice }), [2]);
  });

  it('changes nothing without weights', () => {
    assert.deepEqual(chooseAmong(comparisonsOf('a', 'b'), [1, 0.5], { pair }), [1, 0.5]);
  });
});

describe('the shipped choice among candidates', () => {
  const named = (id: number, source: string, name: string) => ({ ...asCandidate(name), id, source });
  const sought = named(1, 'shop_a', 'Northwind Tidal insulated bottle blue');
  const likely = named(2, 'shop_b', 'Tidal insulated bottle by Northwind, blue');
  const rival = named(3, 'shop_c', 'Northwind Tidal bottle with straw blue');

  it('makes a candidate no likelier if another product is likely too', () => {
    const scoreOf = (...candidates: ReturnType<typeof named>[]) =>
      matchCandidates(sought, candidates)[0]?.score ?? 0;
    assert.isDefined(MODEL.choice);
    assert.isAtMost(scoreOf(likely, rival), scoreOf(likely));
  });

  it('gives the same scores whether or not other candidates are explained', () => {
    const candidates = [likely, rival, named(4, 'shop_d', 'Northwind Tidal insulated bottle red')];
    const all = matchCandidates(sought, candidates);
    for (const { id, score } of matchesAmong(sought, candidates))
      assert.strictEqual(all[candidates.findIndex((one) => one.id === id)]?.score, score);
  });
});
