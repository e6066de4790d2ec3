import { randomUUID } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import { tooManyKeys } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import { type Environment, generateRawKey, hashKey, isRawKey } from './raw-key.js';
import { RecentKeys } from './recent-keys.js';
import type { RedisBreaker } from './redis-breaker.js';
import { redisUnavailable } from './redis-writes.js';
import type { Tier } from './tiers.js';

/** What is asked for at provisioning. */
export interface NewKey {
  developerId: string;
  name: string;
  tier: Tier;
  environment: Environment;
  /** What it may do besides reading, such as `write:shop_a`; absent: nothing. */
  scopes?: readonly string[];
  /** From when on it is refused, ISO 8601 in UTC; null or absent: never. */
  expiresAt?: string | null;
}

/** What is kept of a key, but for its hash. */
export interface KeyRecord extends NewKey {
  id: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** ISO 8601, UTC; null: the key is usable. */
  revokedAt: string | null;
}

/** What shows whose a request is; of a raw key it is known that it could be one. */
export type Shown = { rawKey: string } | { id: string };

/**
 * Asks Redis for the key with this record, usable at this time.
 * @returns null: it has none.
 */
export type Look = (record: string, now: Date) => Promise<KeyIdentity | null>;

/** A key as it is kept: all there is of it, and nothing that its raw form could be made of. */
export interface StoredKey extends KeyRecord {
  /** SHA-256 of the raw key, in hex. */
  hash: string;
}

/** What became of a key that was brought from another store, and what is here of it now. */
export type Restored =
  | { outcome: 'added' | 'unchanged' | 'ended'; key: KeyRecord }
  /** It is here with another tier, or other scopes and so on, and stays so. */
  | { outcome: 'differs'; fields: string[] }
  /** Its id, or its hash, is another key's here: nothing was done. */
  | { outcome: 'taken'; by: string };

/** Whose a key is. */
export type KeyHolder = Pick<KeyRecord, 'id' | 'tier' | 'developerId'>;

/** Records read in one round trip. */
const PAGE = 500;
/** Records written side by side: their commands share a few round trips. */
const WRITTEN_AT_ONCE = 100;

/**
 * The keys, in Redis. Every method throws a 503 ApiError when Redis cannot do what was asked; those that find a key
 * first fall back on the keys of the last minute.
 *
 * - `<prefix>:key:<hash>`: hash of id, tier, environment; gone once the key is revoked.
 * - `<prefix>:key-id:<id>`: hash of the record, the raw key's hash and the time of revocation.
 * - `<prefix>:keys`: sorted set of all ids by time of creation.
 */
export class KeyStore {
  private readonly recent = new RecentKeys();

  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /**
   * Makes a key. Its raw form is in this answer and nowhere else.
   * @param mostActive how many keys that are neither revoked nor expired a developer may have; null: any number.
   * @throws ApiError 409 if the developer has that many already.
   */
  async create(
    key: NewKey,
    now: Date,
    mostActive: number | null = null,
  ): Promise<{ record: KeyRecord; rawKey: string }> {
    const { developerId, name, tier, environment, scopes = [], expiresAt = null } = key;
    const rawKey = generateRawKey(environment);
    const hash = hashKey(rawKey);
    const id = randomUUID();
    const record = {
      id,
      developerId,
      name,
      tier,
      environment,
      scopes,
      expiresAt,
      createdAt: now.toISOString(),
      revokedAt: null,
    };
    if (mostActive === null) await this.add({ ...record, hash });
    else await this.addWithin(mostActive, { ...record, hash }, now);
    return { record, rawKey };
  }

  /** Counts the developer's keys and writes a new one in one step, so that parallel requests cannot exceed the limit. */
  private async addWithin(most: number, key: StoredKey, now: Date): Promise<void> {
    const { byId, byHash } = fieldsOf(key);
    const added = await this.ask((redis) =>
      redis.eval(
        ADD_KEY_WITHIN,
        ...[3, this.index, this.byId(key.id), this.byHash(key.hash)],
        ...[this.idPrefix, key.developerId, now.toISOString(), most, Date.parse(key.createdAt), key.id],
        ...[JSON.stringify(Object.entries(byId).flat()), JSON.stringify(Object.entries(byHash).flat())],
      ),
    );
    if (added === 0) throw tooManyKeys(most);
  }

  /** Writes a key that is not here yet. One that is revoked can be listed, and not found by its hash. */
  private async add(key: StoredKey): Promise<void> {
    const { id, hash, createdAt, revokedAt } = key;
    const { byId, byHash } = fieldsOf(key);
    await this.ask((redis) => {
      const transaction = redis.multi().hset(this.byId(id), byId).zadd(this.index, Date.parse(createdAt), id);
      if (revokedAt === null) transaction.hset(this.byHash(hash), byHash);
      return replies(transaction);
    });
  }

  /** Writes when a key that is here is, or was, refused. */
  private async end({ id, revokedAt, expiresAt }: KeyRecord, hash: string): Promise<void> {
    const ends = expiresAt === null || expiresAt === undefined ? {} : { expiresAt };
    try {
      await this.ask((redis) => {
        const transaction = redis.multi();
        if (revokedAt !== null)
          transaction.del(this.byHash(hash)).hset(this.byId(id), { revokedAt, ...ends });
        else transaction.hset(this.byHash(hash), ends).hset(this.byId(id), ends);
        return replies(transaction);
      });
    } finally {
      this.recent.forgetKey(id);
    }
  }

  /**
   * Makes a key like another, which is good for a while yet.
   * @param graceS seconds; the old key does not live longer than it would have.
   * @returns null: no usable key has this id.
   */
  async rotate(
    id: string,
    graceS: number,
    now: Date,
  ): Promise<{ record: KeyRecord; rawKey: string; oldExpiresAt: string } | null> {
    const stored = await this.ask((redis) => redis.hgetall(this.byId(id)));
    const { hash } = stored;
    const old = toRecord(id, stored);
    if (hash === undefined || old.revokedAt !== null || isExpired(old.expiresAt, now)) return null;
    const issued = await this.create(old, now);
    const ends = new Date(now.getTime() + graceS * 1_000).toISOString();
    const expiresAt = typeof old.expiresAt === 'string' && old.expiresAt < ends ? old.expiresAt : ends;
    try {
      await this.ask((redis) =>
        replies(redis.multi().hset(this.byHash(hash), { expiresAt }).hset(this.byId(id), { expiresAt })),
      );
    } finally {
      this.recent.forgetKey(id);
    }
    return { ...issued, oldExpiresAt: expiresAt };
  }

  /** Every key, usable or revoked, newest first. */
  async list(): Promise<KeyRecord[]> {
    const all = await this.all();
    return all.map(({ id, stored }) => toRecord(id, stored));
  }

  /** Every key as it is kept, newest first, for another store to take over. */
  async export(): Promise<StoredKey[]> {
    const all = await this.all();
    return all.flatMap(({ id, stored }) =>
      stored['hash'] === undefined ? [] : [{ ...toRecord(id, stored), hash: stored['hash'] }],
    );
  }

  private async all(): Promise<{ id: string; stored: Stored }[]> {
    const ids = await this.ask((redis) => redis.zrevrange(this.index, 0, -1));
    const all: { id: string; stored: Stored }[] = [];
    for (let start = 0; start < ids.length; start += PAGE) {
      const page = ids.slice(start, start + PAGE);
      const stored = await this.ask((redis) => {
        const pipeline = redis.pipeline();
        for (const id of page) pipeline.hgetall(this.byId(id));
        return replies(pipeline);
      });
      page.forEach((id, i) => all.push({ id, stored: stored[i] as Stored }));
    }
    return all;
  }

  /**
   * Takes over keys of another store, and tells of each in their order what became of it. One that is here already stays
   * as it is, but ends where the other has ended, or ends sooner: nobody may do more afterwards than before, and no hash
   * comes back under another id, be it that of a key that is revoked. Done again, it does nothing.
   * @param write false: only tells what would be done.
   */
  async *restore(keys: readonly StoredKey[], write = true): AsyncGenerator<Restored> {
    const here = await this.export();
    const byId = new Map(here.map((key) => [key.id, key]));
    const owners = new Map(here.map(({ hash, id }) => [hash, id]));
    for (let start = 0; start < keys.length; start += WRITTEN_AT_ONCE) {
      const some = keys.slice(start, start + WRITTEN_AT_ONCE);
      const all = some.map((key) => restored(key, byId.get(key.id), owners.get(key.hash)));
      if (write) await Promise.all(all.map((one, i) => this.write(one, some[i]?.hash ?? '')));
      yield* all;
    }
  }

  private async write(one: Restored, hash: string): Promise<void> {
    if (one.outcome === 'added') await this.add({ ...one.key, hash });
    if (one.outcome === 'ended') await this.end(one.key, hash);
  }

  /**
   * Revokes a key for good; once it is revoked, nothing more happens.
   * @returns whose key that was; null: no key has this id.
   */
  async revoke(id: string, now: Date): Promise<KeyHolder | null> {
    try {
      const [hash, tier, developerId] = await this.ask((redis) =>
        redis.hmget(this.byId(id), 'hash', 'tier', 'developerId'),
      );
      if (!hash) return null;
      await this.ask((redis) =>
        replies(redis.multi().del(this.byHash(hash)).hsetnx(this.byId(id), 'revokedAt', now.toISOString())),
      );
      return { id, tier: tier as Tier, developerId: developerId ?? '' };
    } finally {
      // Should Redis go away before the key's next request, this process must not take it for usable.
      this.recent.forgetKey(id);
    }
  }

  /** The usable key with this raw form; what cannot be a key costs no command, anything else one. */
  async findByRawKey(rawKey: string): Promise<KeyIdentity | null> {
    return isRawKey(rawKey) ? this.find({ rawKey }) : null;
  }

  /** The usable key with this id, for tokens, which name it. One command. */
  async findById(id: string): Promise<KeyIdentity | null> {
    return this.find({ id });
  }

  /**
   * The usable key that is shown.
   * @param look what asks Redis for it.
   */
  async find(shown: Shown, look: Look = this.look): Promise<KeyIdentity | null> {
    const credential = 'id' in shown ? shown.id : hashKey(shown.rawKey);
    const record = 'id' in shown ? this.byId(shown.id) : this.byHash(credential);
    const now = new Date();
    let key: KeyIdentity | null;
    try {
      key = await look(record, now);
    } catch (error) {
      const recent = this.recent.recall(credential, performance.now());
      if (recent === null) throw redisUnavailable(error);
      return isExpired(recent.expiresAt, now) ? null : recent;
    }
    if (key === null) this.recent.forget(credential);
    else this.recent.remember(credential, key, performance.now());
    return key;
  }

  private readonly look: Look = async (record, now) => {
    const [id, tier, environment, scopes, expiresAt, revokedAt] = await this.redis.ask((redis) =>
      redis.hmget(record, 'id', 'tier', 'environment', 'scopes', 'expiresAt', 'revokedAt'),
    );
    if (!id || !tier || !environment || revokedAt || isExpired(expiresAt, now)) return null;
    return toIdentity(id, tier, environment, scopes, expiresAt);
  };

  private async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return this.redis.ask(command).catch((error: unknown) => {
      throw redisUnavailable(error);
    });
  }

  private byHash(hash: string): string {
    return `${this.prefix}:key:${hash}`;
  }

  private byId(id: string): string {
    return this.idPrefix + id;
  }

  /** The prefix of the records by id. */
  get idPrefix(): string {
    return `${this.prefix}:key-id:`;
  }

  private get index(): string {
    return `${this.prefix}:keys`;
  }
}

type Stored = Record<string, string>;

/**
 * Writes a new key unless its developer has too many active ones. The script finds the names of the records that it reads
 * in the index and cannot declare them in KEYS, so Redis Cluster would reject it.
 *
 * - KEYS: the index; the records of the new key by its id and by its hash.
 * - ARGV: the prefix of records by id; the developer; now, as ISO 8601 in UTC; the limit; the time of creation in ms; the new
 *   key's id; fields and values of both records, as JSON arrays.
 * - Returns 1, or 0 where nothing was written.
 */
const ADD_KEY_WITHIN = `
local active = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local key = redis.call('HMGET', ARGV[1] .. id, 'developerId', 'revokedAt', 'expiresAt')
  if key[1] == ARGV[2] and not key[2] and (not key[3] or key[3] > ARGV[3]) then active = active + 1 end
end
if active >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[2], unpack(cjson.decode(ARGV[7])))
redis.call('HSET', KEYS[3], unpack(cjson.decode(ARGV[8])))
redis.call('ZADD', KEYS[1], ARGV[5], ARGV[6])
return 1
`;

/** A key as it is stored: its record under its id, and a shorter record under its hash, which requests look up. */
function fieldsOf(key: StoredKey): { byId: Stored; byHash: Stored } {
  const { id, developerId, name, tier, environment, scopes = [], expiresAt = null, revokedAt } = key;
  const { createdAt, hash } = key;
  const byHash = {
    id,
    tier,
    environment,
    ...(scopes.length > 0 ? { scopes: JSON.stringify(scopes) } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
  const revoked: Stored = revokedAt === null ? {} : { revokedAt };
  return { byId: { ...byHash, developerId, name, createdAt, hash, ...revoked }, byHash };
}

/** What does not change while a key lives. */
const FIXED = ['developerId', 'name', 'tier', 'environment', 'scopes', 'createdAt'] as const;

/** What is to become of a key. @param here the one with its id. @param owner id of the one with its hash. */
function restored(key: StoredKey, here: StoredKey | undefined, owner: string | undefined): Restored {
  if (owner !== undefined && owner !== key.id) return { outcome: 'taken', by: owner };
  if (here === undefined) return { outcome: 'added', key };
  if (here.hash !== key.hash) return { outcome: 'taken', by: here.id };
  const ended = {
    ...here,
    revokedAt: here.revokedAt ?? key.revokedAt,
    expiresAt: sooner(here.expiresAt, key.expiresAt),
  };
  const isLess = ended.revokedAt !== here.revokedAt || ended.expiresAt !== here.expiresAt;
  if (isLess) return { outcome: 'ended', key: ended };
  const fields = FIXED.filter((field) => String(here[field]) !== String(key[field]));
  return fields.length > 0 ? { outcome: 'differs', fields } : { outcome: 'unchanged', key: here };
}

/** The first of two times, of which either may be never. */
function sooner(a: string | null = null, b: string | null = null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(b) < Date.parse(a) ? b : a;
}

function toRecord(id: string, stored: Stored): KeyRecord {
  const { developerId = '', name = '', tier, environment, createdAt = '', revokedAt = null } = stored;
  const { scopes, expiresAt = null } = stored;
  return {
    id,
    developerId,
    name,
    tier: tier as Tier,
    environment: environment as Environment,
    scopes: scopes === undefined ? [] : (JSON.parse(scopes) as string[]),
    expiresAt,
    createdAt,
    revokedAt,
  };
}

/** A key from the fields of its record. */
export const toIdentity = (
  id: string,
  tier: string,
  environment: string,
  scopes?: string | null,
  expiresAt?: string | null,
  developerId?: string | null,
): KeyIdentity => ({
  id,
  tier: tier as Tier,
  environment: environment as Environment,
  ...(scopes ? { scopes: JSON.parse(scopes) as string[] } : {}),
  ...(expiresAt ? { expiresAt } : {}),
  ...(developerId ? { developerId } : {}),
});

const isExpired = (expiresAt: string | null | undefined, now: Date): boolean =>
  expiresAt !== null && expiresAt !== undefined && expiresAt !== '' && Date.parse(expiresAt) <= now.getTime();

/** The replies of a pipeline or transaction. Throws the first error among them. */
async function replies(commands: ChainableCommander): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  return results.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
