import { hash } from 'node:crypto';
import type { ChangePosition, ShardPosition } from './position.js';

/** The cursor of a position: JSON with a checksum, not encrypted, so that it stays valid if the secrets of the service change. */
export function toCursor(position: ChangePosition): string {
  const { index, uuid, shards, withdrawn, time, isInitial, resync } = position;
  const content = JSON.stringify([
    index,
    uuid,
    shards.map(({ seq, seen, base }) => [seq, seen, base]),
    [withdrawn.uuid, withdrawn.seq],
    time,
    isInitial,
    resync === null ? null : [resync.since, resync.until, resync.after],
  ]);
  return Buffer.from(checksum(content) + content).toString('base64url');
}

const CHECKSUM = 12;
const checksum = (content: string): string => hash('sha256', content, 'base64url').slice(0, CHECKSUM);

const MAX_CURSOR = 16_384;

/** Reads a cursor. @returns null if it is not one. Anybody can make a cursor, so every member is checked. */
export function readCursor(cursor: string): ChangePosition | null {
  if (cursor.length > MAX_CURSOR) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const content = text.slice(CHECKSUM);
  if (bytes.toString('base64url') !== cursor || checksum(content) !== text.slice(0, CHECKSUM)) return null;
  try {
    return toPosition(JSON.parse(content));
  } catch {
    return null;
  }
}

/** @throws TypeError if the content is not that of a cursor. */
function toPosition(content: unknown): ChangePosition {
  const [index, uuid, shards, withdrawn, time, isInitial, resync] = list(content, 7);
  const [withdrawnUuid, withdrawnSeq] = list(withdrawn, 2);
  if (!Array.isArray(shards)) throw new TypeError('no shards');
  return {
    index: name(index),
    uuid: name(uuid),
    shards: shards.map((shard): ShardPosition => {
      const [seq, seen, base] = list(shard, 3);
      return { seq: whole(seq), seen: whole(seen), base: whole(base) };
    }),
    withdrawn: { uuid: withdrawnUuid === null ? null : name(withdrawnUuid), seq: whole(withdrawnSeq) },
    time: whole(time),
    isInitial: isInitial === true,
    resync: resync === null ? null : toResync(list(resync, 3)),
  };
}

function toResync([since, until, after]: unknown[]): ChangePosition['resync'] {
  const resync = { since: whole(since), until: whole(until) };
  // A date of the engine and of JavaScript has at most this many milliseconds.
  if (Math.max(resync.since, resync.until) > 8.64e15) throw new TypeError('no time');
  return { ...resync, after: after === null ? null : list(after, 2).map(whole) };
}

function list(value: unknown, length: number): unknown[] {
  if (Array.isArray(value) && value.length === length) return value;
  throw new TypeError('not a list of this length');
}

function name(value: unknown): string {
  if (typeof value === 'string' && value.length <= 255) return value;
  throw new TypeError('not a name');
}

function whole(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= -1) return Number(value);
  throw new TypeError('not a whole number');
}
