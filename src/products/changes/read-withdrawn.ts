import type { Client } from '@elastic/elasticsearch';
import type { Checkpoints } from '../../engine/change-checkpoints.js';
import { withdrawnRequest } from '../../engine/queries/changes.js';
import { mayPassCategory } from '../../listing/category-path.js';
import type { Tombstone } from '../withdrawn.js';
import type { Change, ReadOptions } from './change.js';
import type { ChangePosition } from './position.js';

/** The time in milliseconds within which a withdrawal that has written its tombstone deletes the listing, or is abandoned. */
const ABANDONED_MS = 10 * 60_000;

interface WithdrawnRead {
  checkpoints: Checkpoints;
  now: number;
  options: ReadOptions;
  /** The number of changes for which the page has room. */
  room: number;
}

interface WithdrawnPage {
  changes: Change[];
  position: ChangePosition['withdrawn'];
  /** `complete`: all were read. `more`: the page is full. `held`: it ends before a tombstone whose listing still exists. */
  state: 'complete' | 'more' | 'held';
}

/** Reads the listings that were withdrawn after a position. Each is looked up, because it may have been loaded again. */
export async function readWithdrawn(
  es: Client,
  { index: products, withdrawn: position }: ChangePosition,
  { checkpoints, now, options, room }: WithdrawnRead,
): Promise<WithdrawnPage> {
  if (checkpoints.withdrawn === null) return { changes: [], position, state: 'complete' };
  const { index, uuid, shards } = checkpoints.withdrawn;
  const upTo = shards[0] ?? -1;
  const after = position.uuid === uuid ? position.seq : -1;
  const end = { uuid, seq: upTo };
  if (after >= upTo || options.kinds?.includes('withdrawn') === false)
    return { changes: [], position: end, state: 'complete' };
  if (room <= 0) return { changes: [], position: { uuid, seq: after }, state: 'more' };

  const { hits } = (await es.search<Tombstone>(withdrawnRequest({ index, after, upTo }, options, room))).hits;
  const ids = hits.flatMap(({ _id }) => _id ?? []);
  const { docs } = ids.length === 0 ? { docs: [] } : await es.mget({ index: products, ids, _source: false });
  const changes: Change[] = [];
  let seq = after;
  for (const [at, { _id, _source: tombstone, _seq_no = seq }] of hits.entries()) {
    const doc = docs[at];
    if (doc === undefined || 'error' in doc) throw new Error('a withdrawn listing could not be looked up');
    const isAbout = doc.found && tombstone?.index === doc._index && tombstone.seq_no === doc._seq_no;
    if (isAbout && now - Date.parse(tombstone.withdrawn_at) < ABANDONED_MS)
      return { changes, position: { uuid, seq }, state: 'held' };
    if (!doc.found && tombstone !== undefined && isWanted(tombstone, options))
      changes.push({ id: Number(_id), kinds: ['withdrawn'], at: tombstone.withdrawn_at, listing: null });
    seq = _seq_no;
  }
  if (hits.length < room) return { changes, position: end, state: 'complete' };
  return { changes, position: { uuid, seq }, state: 'more' };
}

/** Whether a withdrawn listing may have passed the filter by category before. */
const isWanted = ({ categories }: Tombstone, { category = '' }: ReadOptions): boolean =>
  category === '' || categories === undefined || categories.moved || mayPassCategory(categories, category);
