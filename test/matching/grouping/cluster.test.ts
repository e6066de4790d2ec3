// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import {
  cluster as parts,
  type Decision,
  MAX_GROUP,
  type Pair,
} from '../../../src/matching/grouping/cluster.js';
import { oracle } from '../../support/chaos.js';

const cluster = (ids: number[], pairs: Pair[], decisions: Decision[] = []) =>
  parts(ids, { pairs, decisions });
const pair = (a: number, b: number, probability: number, contradicted = false): Pair => ({
  a,
  b,
  probability,
  contradicted,
});
const same = (a: number, b: number): Decision => ({ a, b, same: true });
const different = (a: number, b: number): Decision => ({ a, b, same: false });
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** In an order of their own. */
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

  it('obeys the decisions of people', () => {
    const pairs = [pair(1, 2, 0.99), pair(3, 4, 0.1, true), pair(4, 5, 0.9), pair(3, 5, 0.9)];
    assert.deepEqual(cluster(upTo(5), pairs, [different(2, 1), same(4, 3)]), [[1], [2], [3, 4, 5]]);
    assert.deepEqual(
      cluster(upTo(3), [], [same(1, 2), same(2, 3), different(1, 3)]),
      [[1, 2], [3]],
      'different wins where both cannot be',
    );
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
      assert.deepEqual(
        groups.flat().sort((a, b) => a - b),
        upTo(size),
        'a partition',
      );
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
