import {
  changedListingsRequest,
  changedSinceRequest,
  FULL_SOURCE,
  IDS_SOURCE,
  withdrawnRequest,
} from '../../../src/engine/queries/changes.js';
import { snapshotTests } from './snapshots.js';

const index = 'catalog-products-v7';
const range = { index, shard: 0, after: 41, upTo: 90, base: 35, all: false };
const page = { size: 50, source: IDS_SOURCE, filter: {} };
const filter = { source: ['shop_a', 'shop_b'], category: 'Audio > Headphones' };

snapshotTests('changes', {
  'changes of a shard': () => changedListingsRequest(range, page),
  'changes of a shard with filters': () => changedListingsRequest(range, { ...page, filter }),
  'all listings of a shard': () =>
    changedListingsRequest({ ...range, after: -1, all: true }, { ...page, filter, source: FULL_SOURCE }),
  'changes since a time': () =>
    changedSinceRequest({ index, since: Date.UTC(2026, 0, 1), after: [1_767_225_600_000, 7] }, page),
  'withdrawn listings': () =>
    withdrawnRequest({ index: 'catalog-withdrawn', after: 1, upTo: 3 }, filter, 200),
});
