import { hash } from 'node:crypto';
import { parseInstant } from '../../listing/instant.js';
import type { StoredKey } from '../../platform/access/key.js';
import type { KeyStore } from '../../platform/access/key-store.js';
import { OperationError } from '../../platform/operation-errors.js';
import { parseJson } from '../../platform/parse-json.js';
import type { RedisBreaker } from '../../platform/redis/redis-breaker.js';
import { redisName, SPACES } from '../../platform/stored.js';
import { fromLine, toLine } from './key-lines.js';

export interface RedisStore {
  keys: KeyStore;
  redis: RedisBreaker;
}

/** The folder of the copies, in which each has the name of its snapshot. */
export interface CopyFolder {
  path: string;
  read(snapshot: string): Promise<string | null>;
  /** Writes a copy that only its owner can read. */
  write(snapshot: string, text: string): Promise<void>;
  /** The snapshots of all copies, and when these were written, in ms since 1970. */
  list(): Promise<{ snapshot: string; writtenAt: number }[]>;
  remove(snapshot: string): Promise<void>;
}

/** A record of Redis other than a key, such as the quota of a source. */
interface CopiedRecord {
  /** The name after `<prefix>:`. */
  record: string;
  value: string | Record<string, string>;
  /** When the record expires, in milliseconds since 1970; null: never. */
  expiresAt: number | null;
}

export interface RedisCopy {
  /** When the copy was made, ISO 8601 in UTC. Later changes are not in it. */
  at: string;
  keys: StoredKey[];
  records: CopiedRecord[];
}

/** The groups of Redis records that are copied unchanged. API keys are copied in the format of `keys export`. */
const COPIED = Object.entries(SPACES)
  .filter(([name, { fate }]) => fate === 'backed up' && name !== 'keys')
  .flatMap(([, { spaces }]) => [...spaces]);

const SCANNED = 500;

/** The hash by which a copy is recognized as complete and unchanged. */
export const hashOfCopy = (text: string): string => hash('sha256', text, 'base64url');

/** Copies what Redis must not lose, as lines of JSON: a header, the keys, and other records. */
export async function copyRedis(
  { keys, redis }: RedisStore,
  { indexPrefix, now }: { indexPrefix: string; now: Date },
): Promise<string> {
  const lines = [JSON.stringify({ redis: indexPrefix, at: now.toISOString() })];
  for (const key of await keys.export(now)) lines.push(toLine(key));
  for (const space of COPIED) {
    const start = redisName(indexPrefix, space, '');
    for (const name of await namesIn(redis, start)) {
      const record = await readRecord(redis, name, now);
      if (record !== null)
        lines.push(JSON.stringify({ ...record, record: name.slice(indexPrefix.length + 1) }));
    }
  }
  return `${lines.join('\n')}\n`;
}

async function namesIn(redis: RedisBreaker, start: string): Promise<string[]> {
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await redis.require((client) =>
      client.scan(cursor, 'MATCH', `${start}*`, 'COUNT', SCANNED),
    );
    for (const name of found) if (name.startsWith(start)) names.add(name);
    cursor = next;
  } while (cursor !== '0');
  return [...names].sort();
}

async function readRecord(redis: RedisBreaker, name: string, now: Date) {
  const [type, ttl] = await redis.require((client) => Promise.all([client.type(name), client.pttl(name)]));
  const value =
    type === 'hash'
      ? await redis.require((client) => client.hgetall(name))
      : type === 'string'
        ? await redis.require((client) => client.get(name))
        : null;
  if (value === null && type !== 'none')
    throw new OperationError(`${name} in Redis has the type ${type}, which is not copied.`);
  return value === null ? null : { value, expiresAt: ttl < 0 ? null : now.getTime() + ttl };
}

/** Reads a copy. @throws OperationError if it is damaged, has another hash than `sha256`, or is of another catalogue. */
export function readCopy(
  text: string,
  { file, indexPrefix, sha256 }: { file: string; indexPrefix: string; sha256: string | null },
): RedisCopy {
  if (sha256 !== null && hashOfCopy(text) !== sha256)
    throw new OperationError(`${file} is damaged: its SHA-256 is not the one that the snapshot states.`);
  const [header = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const { redis, at } = (parseJson(header) ?? {}) as { redis?: unknown; at?: unknown };
  if (redis !== indexPrefix || typeof at !== 'string' || parseInstant(at) === null)
    throw new OperationError(`${file} is not a copy of the Redis of ${indexPrefix}.`);
  const copy: RedisCopy = { at, keys: [], records: [] };
  lines.forEach((line, nth) => {
    const record = (parseJson(line) ?? {}) as Partial<CopiedRecord>;
    if (record.record !== undefined) {
      copy.records.push(record as CopiedRecord);
      return;
    }
    const read = fromLine(line);
    if ('wrong' in read) throw new OperationError(`${file}, line ${nth + 2}: ${read.wrong.join('; ')}`);
    copy.keys.push(read.key);
  });
  return copy;
}

/** Restores a copy. Existing records stay, except that existing keys never remain valid longer than in the copy. */
export async function restoreCopy(
  { keys, redis }: RedisStore,
  copy: RedisCopy,
  { indexPrefix, now }: { indexPrefix: string; now: Date },
) {
  const done = {
    added: 0,
    /** Existing keys that are now revoked or expire earlier, as they do in the copy. */
    ended: 0,
    unchanged: 0,
    /** Keys that were not restored, because another key has their id or hash. */
    refused: 0,
    records: { added: 0, kept: 0, expired: 0 },
  };
  for await (const { outcome } of keys.import(copy.keys, now)) {
    if (outcome === 'taken') done.refused += 1;
    else done[outcome === 'differs' ? 'unchanged' : outcome] += 1;
  }
  for (const { record, value, expiresAt } of copy.records) {
    const name = `${indexPrefix}:${record}`;
    if (expiresAt !== null && expiresAt <= now.getTime()) done.records.expired += 1;
    else if (await redis.require((client) => client.exists(name))) done.records.kept += 1;
    else {
      await redis.require(async (client) => {
        if (typeof value === 'string') await client.set(name, value);
        else await client.hset(name, value);
        if (expiresAt !== null) await client.pexpireat(name, expiresAt);
      });
      done.records.added += 1;
    }
  }
  return done;
}
