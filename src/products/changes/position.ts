import type { estypes } from '@elastic/elasticsearch';
import type { Checkpoints } from '../../engine/change-checkpoints.js';
import { generationOf } from '../../engine/indices.js';

/**
 * How far the writes to one shard were read. A search finds a listing only by its last write, so one that was written again
 * just before the search is found later, and then reported with the kinds of both changes.
 */
export interface ShardPosition {
  /** The sequence number up to which the writes were read. */
  seq: number;
  /** The highest sequence number that the last search saw. Listings with later writes were found in their former version. */
  seen: number;
  /** The sequence number up to which every kind of change was reported. */
  base: number;
}

/** How far a reader of the change feed has read. Times are milliseconds since 1970. */
export interface ChangePosition {
  /** The index that was read, by its name and its id. */
  index: string;
  uuid: string;
  shards: ShardPosition[];
  /** How far the index of withdrawn listings was read, by its id and sequence number; the id is null if there was no index. */
  withdrawn: { uuid: string | null; seq: number };
  /** The reader has every change that was acknowledged before this time. */
  time: number;
  /** Whether the reader began with the whole catalogue and has not read all of it yet. */
  isInitial: boolean;
  /** Set while the changes since a time are read again, because the alias has moved; with `isInitial`, the whole catalogue is. */
  resync: { since: number; until: number; after: estypes.SortResults | null } | null;
}

/** After the alias moved, a reader reads the changes of this time again, because clocks differ and writes may be repeated. */
const OVERLAP_MS = 15 * 60_000;

const shardAt = (seq: number): ShardPosition => ({ seq, seen: seq, base: seq });

/** The position before or after all changes of a catalogue. @param time when the checkpoints were read. */
export function startPosition(
  { products, withdrawn }: Checkpoints,
  { time, isInitial }: { time: number; isInitial: boolean },
): ChangePosition {
  const { index, uuid, shards } = products;
  return {
    index,
    uuid,
    shards: shards.map((seq) => shardAt(isInitial ? -1 : seq)),
    withdrawn: { uuid: withdrawn?.uuid ?? null, seq: withdrawn?.shards[0] ?? -1 },
    time,
    isInitial,
    resync: null,
  };
}

/** Whether a position is of this catalogue: its index has a name of the catalogue, and was not created anew. */
export const isOfCatalogue = (
  { index, uuid }: ChangePosition,
  alias: string,
  { products }: Checkpoints,
): boolean => generationOf(alias, index) !== null && (index !== products.index || uuid === products.uuid);

/** The position after the alias has moved to an index with other sequence numbers, so that changes are read by their time. */
export function carriedOver(position: ChangePosition, checkpoints: Checkpoints, now: number): ChangePosition {
  const { index, uuid, shards } = checkpoints.products;
  // A reader that has not read the whole catalogue yet begins again, because its sequence numbers mean nothing now.
  const { isInitial } = position;
  const since = isInitial ? 0 : position.time - OVERLAP_MS;
  const at = shards.map((seq) => shardAt(isInitial ? -1 : seq));
  return { ...position, index, uuid, shards: at, resync: { since, until: now, after: null } };
}

/** Whether there may be changes after a position. */
export function isBehind(position: ChangePosition, { products, withdrawn }: Checkpoints): boolean {
  return (
    position.uuid !== products.uuid ||
    position.resync !== null ||
    position.shards.some(({ seq }, shard) => seq < (products.shards[shard] ?? -1)) ||
    (withdrawn !== null &&
      (position.withdrawn.uuid !== withdrawn.uuid || position.withdrawn.seq < (withdrawn.shards[0] ?? -1)))
  );
}
