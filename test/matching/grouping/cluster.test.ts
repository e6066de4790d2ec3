// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import {
  cluster as parts,
  type PairDecision,
  MAX_GROUP,
  type ScoredPair,
} from '../../../src/matching/grouping/cluster.js';
import { oracle } from '../../support/chaos.js';

const cluster = (ids: number[], pairs: ScoredPair[], decisions: PairDecision[] = []) =>
  parts(ids, { pairs, decisions });
const pair = (a: number, b: number, probability: number, contradicted = false): ScoredPair => ({
  a,
  b,
  probability,
  contradicted,
});
const same = (a: number, b: number): PairDecision => ({ a, b, same: true });
const different = (a: number, b: number): PairDecision => ({ a, b, same: false });
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Returns the probability of a pair, or -1 if the two listings were not compared. */
const probabilityOf = (pairs: readonly ScoredPair[], a: number, b: number): number =>
  pairs.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a))?.probability ?? -1;

/** Returns the items in random order. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

describe('cluster', () => {
  it('groups listings that are at least as likely one product as not', () => {
    const pairs = [pair(1, 2, 0.9), pair(3, 2, 0.7), pair(3, 4, 0.49), pair(5, 9, 0.9), pair(7, 6, 0.5)];
    assert.deepEqual(cluster(upTo(7), pairs), [[1, 2, 3], [4], [5], [6, 7]]);
    assert.deepEqual(cluster([], pairs), []);
  });

  it('merges the two groups with the highest mean of all compared pairs first', () => {
    const chain = [pair(1, 2, 0.95), pair(3, 4, 0.9), pair(2, 3, 0.6), pair(1, 4, 0.1)];
    assert.deepEqual(cluster(upTo(4), chain), [
      [1, 2],
      [3, 4],
    ]);
    const more = [...chain, pair(1, 3, 0.9), pair(2, 4, 0.7)];
    assert.deepEqual(cluster(upTo(4), more), [[1, 2, 3, 4]]);
  });

  it('lets no owner keep listings of others apart by several listings of its own for one product', () => {
    // 1, 2 and 3 are the honest ones; 4 and 5 of one owner are each most like one of them, and contradict each other.
    const honest = [pair(1, 2, 0.8), pair(1, 3, 0.8), pair(2, 3, 0.8)];
    const mimics = [pair(1, 4, 0.9), pair(2, 4, 0.95), pair(3, 4, 0.9), pair(1, 5, 0.9), pair(2, 5, 0.9)];
    const pairs = [...honest, ...mimics, pair(3, 5, 0.96), pair(4, 5, 0.85, true)];
    const ownerOf = (id: number) => (id > 3 ? 'mimic' : `shop_${id}`);
    assert.deepEqual(
      parts(upTo(5), { pairs }),
      [
        [1, 2, 4],
        [3, 5],
      ],
      'five owners',
    );
    assert.deepEqual(parts(upTo(5), { pairs, ownerOf }), [[1, 2, 3, 5], [4]]);
  });

  it('counts pairs that were searched for and not found against a merge', () => {
    const bridge = [1, 4].flatMap((id) => [pair(id, id + 1, 0.99), pair(id, id + 2, 0.99)]);
    const pairs = [...bridge, pair(2, 3, 0.99), pair(5, 6, 0.99), pair(3, 4, 0.7)];
    assert.deepEqual(cluster(upTo(6), pairs), [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const notSearched = new Set([1, 2, 4, 5, 6]);
    assert.deepEqual(
      parts(upTo(6), { pairs, notSearched }),
      [[1, 2, 3, 4, 5, 6]],
      'the others were not searched',
    );
  });

  it('groups two hundred shops, each of which finds the same twenty', () => {
    const ids = upTo(MAX_GROUP);
    const pairs = ids.flatMap((id) =>
      upTo(21)
        .filter((other) => other < id)
        .map((other) => pair(other, id, 0.95)),
    );
    assert.deepEqual(cluster(ids, pairs), [ids]);
  });

  it('never merges over a contradiction, not even indirectly', () => {
    const pairs = [pair(1, 2, 0.99), pair(2, 3, 0.98), pair(1, 3, 0.4, true)];
    assert.deepEqual(cluster(upTo(3), pairs), [[1, 2], [3]]);
  });

  it('never merges groups of which two listings are different, though they were not compared', () => {
    const pairs = [pair(1, 2, 0.99), pair(2, 3, 0.98), pair(3, 4, 0.97)];
    const notSearched = new Set(upTo(4));
    const areDifferent = (a: number, b: number) => Math.abs(a - b) === 2;
    assert.deepEqual(parts(upTo(4), { pairs, notSearched }), [[1, 2, 3, 4]]);
    assert.deepEqual(parts(upTo(4), { pairs, notSearched, areDifferent }), [
      [1, 2],
      [3, 4],
    ]);
    const joined = parts(upTo(4), { pairs, notSearched, areDifferent, decisions: [same(1, 3)] });
    assert.deepEqual(joined, [[1, 2, 3], [4]], 'a decision takes precedence');
  });

  it('obeys the decisions of people', () => {
    const pairs = [pair(1, 2, 0.99), pair(3, 4, 0.1, true), pair(4, 5, 0.9), pair(3, 5, 0.9)];
    assert.deepEqual(cluster(upTo(5), pairs, [different(2, 1), same(4, 3)]), [[1], [2], [3, 4, 5]]);
    assert.deepEqual(
      cluster(upTo(3), [], [same(1, 2), same(2, 3), different(1, 3)]),
      [[1, 2], [3]],
      'different wins where both cannot be',
    );
  });

  it('separates all different listings in any order of the input, and merges all others that are likely one product', () => {
    const { random, rounds } = oracle(23, 200);
    for (let round = 0; round < rounds; round += 1) {
      const size = 2 + Math.floor(random() * 14);
      const any = () => 1 + Math.floor(random() * size);
      const byKey = new Map(
        Array.from({ length: size * 2 }, () => pair(any(), any(), random() ** 0.5))
          .filter(({ a, b }) => a < b)
          .map((one) => [`${one.a} ${one.b}`, one]),
      );
      const pairs = [...byKey.values()];
      const makers = upTo(size).map(() => Math.floor(random() * 4));
      const areDifferent = (a: number, b: number) => {
        const [one = 0, other = 0] = [makers[a - 1], makers[b - 1]];
        return one !== other && one * other > 0;
      };
      const notSearched = new Set(upTo(size));
      const groups = parts(upTo(size), { pairs, notSearched, areDifferent });
      const again = parts(shuffled(upTo(size), random), {
        pairs: shuffled(pairs, random),
        notSearched,
        areDifferent,
      });
      assert.deepEqual(again, groups, 'the same from any order');
      for (const group of groups)
        assert.isFalse(
          group.some((a) => group.some((b) => probabilityOf(pairs, a, b) < 0 && areDifferent(a, b))),
        );
      groups.forEach((one, at) => {
        for (const other of groups.slice(at + 1)) {
          const between = one.flatMap((a) => other.map((b) => [a, b] as const));
          const found = between
            .map(([a, b]) => probabilityOf(pairs, a, b))
            .filter((probability) => probability >= 0);
          const mean = found.reduce((sum, probability) => sum + probability, 0) / found.length;
          if (found.length === 0 || mean < 0.5) continue;
          assert.isTrue(
            between.some(([a, b]) => areDifferent(a, b)),
            'nothing else keeps two groups apart',
          );
        }
      });
    }
  });

  it('limits the group size and obeys contradictions and decisions in any order of the input', () => {
    const { random, rounds } = oracle(17, 200);
    for (let round = 0; round < rounds; round += 1) {
      const size = 2 + Math.floor(random() * 30);
      const any = () => 1 + Math.floor(random() * size);
      const pairs = Array.from({ length: size * 3 }, () =>
        pair(any(), any(), random() ** 0.5, random() < 0.1),
      );
      const decisions = Array.from({ length: 3 }, () => ({ a: any(), b: any(), same: random() < 0.5 }));
      const groups = cluster(upTo(size), pairs, decisions);
      const ids = groups.flat().sort((a, b) => a - b);
      assert.deepEqual(ids, upTo(size), 'a partition');
      const again = cluster(
        shuffled(upTo(size), random),
        shuffled(pairs, random),
        shuffled(decisions, random),
      );
      assert.deepEqual(again, groups, 'the same from any order');
      const groupOf = new Map(groups.flatMap((group) => group.map((id) => [id, group] as const)));
      for (const { a, b, same: isSame } of decisions) {
        if (!isSame && a !== b) assert.notInclude(groupOf.get(a) ?? [], b);
      }
      const forced = new Set(decisions.filter(({ same: isSame }) => isSame).flatMap(({ a, b }) => [a, b]));
      for (const group of groups.filter((one) => !one.some((id) => forced.has(id)))) {
        const within = pairs.filter(({ a, b }) => a !== b && group.includes(a) && group.includes(b));
        assert.isFalse(within.some(({ contradicted }) => contradicted));
      }
    }
    const star = upTo(2 * MAX_GROUP + 50).map((id) => pair(1 + (id % 3), id, 0.99));
    const sizes = cluster(upTo(2 * MAX_GROUP + 50), star).map(({ length }) => length);
    assert.isAtMost(Math.max(...sizes), MAX_GROUP);
  });
});
