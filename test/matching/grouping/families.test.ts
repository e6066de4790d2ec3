import { assert } from 'chai';
import type { StoredListing } from '../../../src/listing/listing.js';
import { MAX_GROUP } from '../../../src/matching/grouping/cluster.js';
import { clusterFamilies, familiesOf } from '../../../src/matching/grouping/families.js';

describe('clusterFamilies', () => {
  const pair = (a: number, b: number) => ({ a, b, probability: 0.95, contradicted: false });
  const ids = Array.from({ length: 2 * MAX_GROUP }, (_, at) => at + 1);
  /** The first two listings are of two shops, all others are near-identical ones of a third shop. */
  const listings = new Map(
    ids.map((id) => [id, { internal: { alike: id < 3 ? `own ${id}` : 'evil' } } as StoredListing]),
  );

  it('keeps the listings of others with many near-identical ones of one owner', () => {
    const pairs = [pair(1, 2), ...ids.slice(2).map((id) => pair(1 + (id % 2), id))];
    assert.deepEqual(clusterFamilies(ids, familiesOf(listings, []), { pairs }), [ids]);
  });

  it('counts many near-identical listings once, also if one of them is contradicted', () => {
    const unlikely = ids.slice(3, 30).map((id) => ({ ...pair(2, id), probability: 0.3 }));
    const contradicted = { ...pair(2, 3), contradicted: true };
    const pairs = [pair(1, 2), pair(1, 3), contradicted, ...unlikely];
    assert.deepEqual(clusterFamilies(ids, familiesOf(listings, []), { pairs }), [ids]);
  });

  it('keeps them apart from what most of them contradict', () => {
    const contradicted = ids.slice(2, 9).map((id) => ({ ...pair(2, id), contradicted: true }));
    const pairs = [pair(1, 2), pair(2, 20), ...contradicted];
    assert.deepEqual(clusterFamilies(ids, familiesOf(listings, []), { pairs }), [[1, 2], ids.slice(2)]);
  });

  it('obeys decisions about one of them', () => {
    const decisions = [{ a: 1, b: 9, same: false }];
    const pairs = [pair(1, 2), pair(2, 3), pair(1, 3)];
    const groups = clusterFamilies(ids, familiesOf(listings, decisions), { pairs, decisions });
    assert.notInclude(groups[0] ?? [], 9);
    assert.include(groups[0] ?? [], 10);
  });
});
