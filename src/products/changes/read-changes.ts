import type { Client, estypes } from '@elastic/elasticsearch';
import type { Checkpoints } from '../../engine/change-checkpoints.js';
import {
  changedListingsRequest,
  changedSinceRequest,
  FULL_SOURCE,
  IDS_SOURCE,
  PASSES,
} from '../../engine/queries/changes.js';
import { kindsAfter, kindsSince } from '../../listing/changes.js';
import type { RecordedKind, StoredListing } from '../../listing/listing.js';
import { mapInSlices, stepBytes } from '../../platform/slices.js';
import { CHANGE_KINDS } from '../../schemas/changes.js';
import type { Change, ChangePage, ReadOptions } from './change.js';
import type { ChangePosition, ShardPosition } from './position.js';
import { readWithdrawn } from './read-withdrawn.js';

/** The numbers of listings of the first and of a later search. */
const BATCH = { first: 50, max: 1_000 };

/** The limits after which a page ends early: bytes of listings, and listings found, also those whose changes are not wanted. */
const PAGE = { bytes: 8 * 1024 * 1024, found: 20_000 };

/** A page of changes while it is being read. */
interface Reader {
  es: Client;
  options: ReadOptions;
  changes: Change[];
  /** The number of listings that were found for the page, and the number of bytes of their JSON. */
  found: number;
  bytes: number;
}

const isFull = ({ changes, options, found, bytes }: Reader): boolean =>
  changes.length >= options.limit || found >= PAGE.found || bytes >= PAGE.bytes;

/** Reads the changes after a position, each listing once, up to checkpoints read at `now` (in milliseconds since 1970). */
export async function readChanges(
  es: Client,
  position: ChangePosition,
  { checkpoints, now, options }: { checkpoints: Checkpoints; now: number; options: ReadOptions },
): Promise<ChangePage> {
  const reader: Reader = { es, options, changes: [], found: 0, bytes: 0 };
  const { isInitial, resync } = position;
  if (resync !== null && !isInitial) return readAgain(reader, position, resync);
  const { shards: upTo } = checkpoints.products;
  const shards = [...position.shards];
  for (const [shard, state] of position.shards.entries())
    shards[shard] = await readShard(reader, position, { shard, state, upTo: upTo[shard] ?? -1 });
  const next = { ...position, shards };
  const { changes } = reader;
  if (shards.some(({ seq }, shard) => seq < (upTo[shard] ?? -1)))
    return { changes, position: next, hasMore: true, resync: resync !== null };
  const room = options.limit - changes.length;
  const withdrawn = await readWithdrawn(es, position, { checkpoints, now, options, room });
  const complete = withdrawn.state === 'complete' ? { time: now, isInitial: false } : {};
  const repeated = withdrawn.state === 'more' ? {} : { resync: null };
  return {
    changes: [...changes, ...withdrawn.changes],
    position: { ...next, withdrawn: withdrawn.position, ...repeated, ...complete },
    // A withdrawal in progress is reported on a later page, which is no reason to request one at once.
    hasMore: withdrawn.state === 'more',
    resync: resync !== null,
  };
}

/** Reads the changes of a shard until the page is full. @returns the new position in the shard. */
async function readShard(
  reader: Reader,
  { index, isInitial }: ChangePosition,
  { shard, state, upTo }: { shard: number; state: ShardPosition; upTo: number },
): Promise<ShardPosition> {
  const { es, options } = reader;
  let { seq, seen, base } = state;
  while (seq < upTo && !isFull(reader)) {
    const size = nextSize(reader);
    const request = changedListingsRequest(
      { index, shard, after: seq, upTo, base, all: isInitial },
      { filter: options, size, source: sourceOf(options) },
    );
    const answer = await es.search<StoredListing, { seen: { value: number | null } }>(request);
    const { hits } = answer.hits;
    // A reader that begins with the whole catalogue receives every listing; its filter by kinds applies to later changes.
    const read = isInitial
      ? await addHits(reader, hits, () => ['new'], { ...options, kinds: undefined })
      : await addHits(reader, hits, (hit) =>
          kindsAfter(hit._source?.internal.changes, { index, ...startOf(hit, { seq, seen, base }) }),
        );
    const isLast = read === hits.length && hits.length < size;
    seq = isLast ? upTo : (hits[read - 1]?._seq_no ?? seq);
    seen = Math.max(seen, seq, answer.aggregations?.seen.value ?? -1);
    if (seen <= seq) base = seq;
  }
  return { seq, seen, base };
}

/** Changes of a listing after this sequence number are reported: after `base` if a version of it may have been missed. */
function startOf(
  { _seq_no: written = 0, _source: listing }: estypes.SearchHit<StoredListing>,
  { seq, seen, base }: ShardPosition,
): { seq: number } {
  const { over = -1 } = listing?.internal.changes ?? {};
  const mayBeMissed = seen > seq && (written <= seen || over > seq);
  return { seq: mayBeMissed ? base : seq };
}

/** Reads a page of the changes since a time again, after the alias has moved to another index. */
async function readAgain(
  reader: Reader,
  position: ChangePosition,
  { since, until, after: start }: NonNullable<ChangePosition['resync']>,
): Promise<ChangePage> {
  const { es, options, changes } = reader;
  let after = start;
  for (let isLast = false; !isLast;) {
    const reached = { ...position, resync: { since, until, after } };
    if (isFull(reader)) return { changes, position: reached, hasMore: true, resync: true };
    const size = nextSize(reader);
    const found = { filter: options, size, source: sourceOf(options) };
    const request = changedSinceRequest({ index: position.index, since, after }, found);
    const { hits } = (await es.search<StoredListing>(request)).hits;
    const read = await addHits(reader, hits, ({ _source }) => kindsSince(_source?.internal.changes, since));
    isLast = read === hits.length && hits.length < size;
    after = hits[read - 1]?.sort ?? after;
  }
  return { changes, position: { ...position, time: until, resync: null }, hasMore: true, resync: true };
}

const sourceOf = ({ view }: ReadOptions) => (view === 'ids' ? IDS_SOURCE : FULL_SOURCE);

/** The number of listings of the next search, so that it returns about as many bytes as a step should read. */
function nextSize({ options, found, bytes, changes }: Reader): number {
  if (found === 0 && options.view !== 'ids') return BATCH.first;
  const fitting = Math.floor(stepBytes() / Math.max(1, bytes / Math.max(1, found)));
  const wanted = Math.max(BATCH.first, options.limit - changes.length);
  return Math.max(1, Math.min(fitting, wanted, BATCH.max));
}

/** Adds the found listings to the page until it is full. @returns the number of listings that were read. */
async function addHits(
  reader: Reader,
  hits: readonly estypes.SearchHit<StoredListing>[],
  kindsOf: (hit: estypes.SearchHit<StoredListing>) => RecordedKind[],
  wanted: Pick<ReadOptions, 'category' | 'kinds'> = reader.options,
): Promise<number> {
  const { options, changes } = reader;
  const lengths = await mapInSlices(hits, ({ _source = null }) => JSON.stringify(_source).length);
  for (const [at, hit] of hits.entries()) {
    if (changes.length >= options.limit) return at;
    if (hit._source === undefined) continue;
    reader.found += 1;
    reader.bytes += lengths[at] ?? 0;
    const change = changeOf(hit._source, kindsOf(hit), wanted, hit.matched_queries);
    if (change !== null) changes.push(change);
  }
  return hits.length;
}

/** The change of a listing; null if it is not wanted. */
function changeOf(
  listing: StoredListing,
  recorded: readonly RecordedKind[],
  { category = '', kinds: wanted }: Pick<ReadOptions, 'category' | 'kinds'>,
  matched: estypes.SearchHit['matched_queries'],
): Change | null {
  const passes = category === '' || (Array.isArray(matched) && matched.includes(PASSES));
  // A listing of another category is reported only if it may have had this category before.
  if (!passes && !recorded.includes('category')) return null;
  const kinds = CHANGE_KINDS.filter((kind) => recorded.some((one) => one === kind));
  if (kinds.length === 0 || (wanted !== undefined && !kinds.some((kind) => wanted.includes(kind))))
    return null;
  const { id, updated_at, internal } = listing;
  return { id, kinds, at: internal.changes?.at ?? updated_at, listing: passes ? listing : null };
}
