// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import { groupIds } from '../../../src/matching/grouping/group-ids.js';
import { oracle } from '../../support/chaos.js';

const before = (groups: Record<number, number[]>) =>
  new Map(
    Object.entries(groups).flatMap(([id, members]) => members.map((one) => [one, Number(id)] as const)),
  );

describe('groupIds', () => {
  it('are at first the ids of their first listings', () => {
    assert.deepEqual(groupIds([[3, 8], [5]], new Map()), [3, 5]);
  });

  it('remain with a group that grows, and with the larger part of a group that is merged or split', () => {
    assert.deepEqual(groupIds([[1, 4, 9]], before({ 4: [4, 9], 1: [1] })), [4], 'grown');
    assert.deepEqual(groupIds([[1, 2, 3, 8, 9]], before({ 8: [8, 9], 1: [1, 2, 3] })), [1], 'merged');
    assert.deepEqual(groupIds([[1, 2, 8, 9]], before({ 8: [8, 9], 1: [1, 2] })), [1], 'a tie');
    assert.deepEqual(groupIds([[2], [3, 4]], before({ 2: [2, 3, 4] }))[1], 2, 'fallen apart');
    assert.deepEqual(groupIds([[2], [3]], before({ 7: [2, 3] })), [7, 3], 'in equal parts');
  });

  it('never duplicates the id of another group', () => {
    const [alone, rest] = groupIds([[2], [3, 4]], before({ 2: [2, 3, 4] }));
    assert.strictEqual(rest, 2);
    assert.notInclude([2, 3, 4], alone);
    assert.deepEqual(groupIds([[2], [3, 4]], before({ 2: [2, 3, 4] })), [alone, rest], 'the same again');
    assert.notStrictEqual(groupIds([[5]], new Map(), (id) => id === 5)[0], 5);
  });

  it('never moves an id to an unrelated group, and never assigns an id twice', () => {
    const { random, rounds } = oracle(5, 200);
    for (let round = 0; round < rounds; round += 1) {
      const listings = Array.from({ length: 12 }, (_, at) => at + 1);
      const had = new Map(listings.map((id) => [id, 1 + Math.floor(random() * 5)]));
      const parts = new Map<number, number[]>();
      for (const id of listings) {
        const part = Math.floor(random() * 5);
        parts.set(part, [...(parts.get(part) ?? []), id]);
      }
      const groups = [...parts.values()];
      const ids = groupIds(groups, had);
      assert.strictEqual(new Set(ids).size, groups.length);
      const shared = (at: number, id: number) =>
        (groups[at] ?? []).filter((listing) => had.get(listing) === id).length;
      for (const [at, id] of ids.entries()) {
        if (shared(at, id) > 0) continue;
        for (const former of new Set(groups[at]?.map((listing) => had.get(listing) ?? 0)))
          assert.isAtLeast(
            shared(ids.indexOf(former), former),
            shared(at, former),
            'the larger part keeps it',
          );
      }
      const now = new Map(groups.flatMap((group, at) => group.map((id) => [id, ids[at] ?? 0] as const)));
      assert.deepEqual(groupIds(groups, now), ids, 'what is as it was keeps its ids');
    }
  });
});
