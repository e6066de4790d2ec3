import { randomUUID } from 'node:crypto';
import { revocationNotRecorded, revokedWithoutRedis, tooManyKeys, unavailable } from '../errors.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { redisUnavailable } from '../redis/write-refusals.js';
import {
  counterOfHash,
  type Credential,
  credentialOfRawKey,
  type Environment,
  generateRawKey,
  hashKey,
  isKeyId,
  type KeyHolder,
  type KeyIdentity,
  type KeyRecord,
  type NewKey,
  type StoredKey,
} from './key.js';
import { KNOWN_KEY_MS, KnownKeys, NO_REVOCATIONS, type Revocations } from './known-keys.js';
import {
  ADD_KEY,
  fieldsOf,
  importResult,
  type ImportResult,
  isExpired,
  isUndated,
  type KeyFields,
  toRecord,
} from './key-records.js';
import type { Tier } from './tiers.js';
import { chunksOf } from '../chunks.js';
import { redisName } from '../stored.js';

/** The fields of a record from which a key is identified. The record under the key's hash lacks `developerId` and `hash`. */
const IDENTITY_FIELDS = 'id tier environment scopes expiresAt revokedAt developerId hash'.split(' ');

const PAGE_SIZE = 500;
const IMPORT_BATCH = 100;

/**
 * The keys, stored in Redis. Every method throws a 503 ApiError if Redis cannot do what was requested;
 * look-ups first fall back on the keys that Redis confirmed before.
 *
 * - `<prefix>:key:<hash>`: hash of id, tier and environment; deleted when the key is revoked.
 * - `<prefix>:key-id:<id>`: hash of the record, the raw key's hash and the time of revocation; without the field `id` if the
 *   key is revoked, so that it cannot be found by its id.
 * - `<prefix>:keys`: sorted set of all ids by time of creation.
 */
export class KeyStore {
  /** The keys that Redis has confirmed, for the time when it is away. */
  readonly known: KnownKeys;

  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
    private readonly revocations: Revocations = NO_REVOCATIONS,
  ) {
    this.known = new KnownKeys(revocations);
  }

  /** Creates a key; the raw key is stored nowhere. @throws ApiError 409 if the developer has `maxActive` active keys (null: any number). */
  async create(key: NewKey, now: Date, maxActive: number | null = null) {
    const { developerId, name, tier, environment, scopes = [], expiresAt = null } = key;
    const own = { id: randomUUID(), createdAt: now.toISOString(), revokedAt: null };
    const record = { ...own, developerId, name, tier, environment, scopes, expiresAt };
    const rawKey = generateRawKey(environment);
    await this.add({ ...record, hash: hashKey(rawKey) }, now, maxActive);
    return { record, rawKey };
  }

  /** Creates a key with the same data as another, which stays valid for at most `graceS` seconds. @returns null if none is usable. */
  async rotate(id: string, graceS: number, now: Date) {
    const fields = await this.redis.require((redis) => redis.hgetall(this.byId(id)));
    const { hash } = fields;
    const old = toRecord(id, fields);
    const isRevoked = old.revokedAt !== null || isUndated(fields);
    if (hash === undefined || isRevoked || isExpired(old.expiresAt, now)) return null;
    const graceEnd = new Date(now.getTime() + graceS * 1_000).toISOString();
    const expiresAt =
      typeof old.expiresAt === 'string' && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    await this.recordEnd(id, expiresAt, now);
    const created = await this.create(old, now);
    await this.end({ ...old, expiresAt }, hash);
    return { ...created, oldExpiresAt: expiresAt };
  }

  /**
   * Revokes a key, in Elasticsearch first, so that no process accepts it while Redis is away. @returns null if no key has this id.
   * @throws ApiError 503 if one of both is unavailable. The key is revoked in the other one, and this should be called again.
   */
  async revoke(id: string, now: Date): Promise<KeyHolder | null> {
    try {
      const found = await this.redis
        .run((redis) => redis.hmget(this.byId(id), 'hash', 'tier', 'developerId'))
        .catch((cause: unknown) => ({ cause }));
      if ('cause' in found) {
        if (!isKeyId(id)) throw redisUnavailable(found.cause);
        await this.revocations.record(id, now.toISOString(), now);
        throw revokedWithoutRedis(found.cause);
      }
      const [hash, tier, developerId] = found;
      if (!hash) return null;
      const unrecorded = await this.revocations.record(id, now.toISOString(), now).then(
        () => null,
        (cause: unknown) => revocationNotRecorded(cause),
      );
      await this.disable(id, hash, now);
      if (unrecorded !== null) throw unrecorded;
      return { id, tier: tier as Tier, developerId: developerId ?? '' };
    } finally {
      // This process must no longer accept the key, even if Redis becomes unavailable now.
      this.known.forget(id);
    }
  }

  /** Revokes in Redis what was revoked while Redis was away. @throws ApiError 503 without Redis or Elasticsearch. */
  async revokeWhatWasRecorded(now: Date): Promise<void> {
    if (!(await this.known.readRevocations(now))) throw unavailable();
    for (const [id, endedAt] of this.known.endings) {
      const [foundId, hash, expiresAt] = await this.redis.require((redis) =>
        redis.hmget(this.byId(id), 'id', 'hash', 'expiresAt'),
      );
      if (!foundId || !hash || !isExpired(endedAt, now) || isExpired(expiresAt, now)) continue;
      await this.disable(id, hash, new Date(endedAt));
    }
  }

  /** Removes the records by which requests find a key. Not in a transaction, which Redis refuses while it is out of memory. */
  private async disable(id: string, hash: string, at: Date): Promise<void> {
    await this.redis.require((redis) =>
      Promise.all([redis.del(this.byHash(hash)), redis.hdel(this.byId(id), 'id')]),
    );
    await this.recordRevocation(id, at);
  }

  /** Records when a key was revoked, unless it is recorded. If Redis lacks the memory for this, `all` tries it again later. */
  private async recordRevocation(id: string, at: Date): Promise<void> {
    await this.redis
      .run((redis) => redis.hsetnx(this.byId(id), 'revokedAt', at.toISOString()))
      .catch(() => undefined);
  }

  async list(now: Date): Promise<KeyRecord[]> {
    return (await this.all(now)).map(({ id, fields }) => toRecord(id, fields));
  }

  /** Lists every API key with its hash, newest first, for the import into another store. */
  async export(now: Date): Promise<StoredKey[]> {
    return (await this.all(now)).flatMap(({ id, fields }) =>
      fields['hash'] === undefined ? [] : [{ ...toRecord(id, fields), hash: fields['hash'] }],
    );
  }

  /** Imports keys of another store and yields the result of each. Repeating it changes nothing. @param write false: a dry run. */
  async *import(keys: readonly StoredKey[], now: Date, write = true): AsyncGenerator<ImportResult> {
    const existing = await this.export(now);
    const byId = new Map(existing.map((key) => [key.id, key]));
    const owners = new Map(existing.map(({ hash, id }) => [hash, id]));
    for (const batch of chunksOf(keys, IMPORT_BATCH)) {
      const results = batch.map((key) => importResult(key, byId.get(key.id), owners.get(key.hash)));
      if (write) {
        await Promise.all(
          results.map(async (result, i) => {
            const hash = batch[i]?.hash ?? '';
            if (result.outcome === 'added') await this.add({ ...result.key, hash }, now);
            if (result.outcome === 'ended') {
              const { id, revokedAt, expiresAt } = result.key;
              await this.recordEnd(id, revokedAt ?? expiresAt ?? null, now);
              await this.end(result.key, hash);
            }
          }),
        );
      }
      yield* results;
    }
  }

  /** Finds the usable key with this raw form. Text that cannot be a key is not looked up. */
  async findByRawKey(rawKey: string): Promise<KeyIdentity | null> {
    const credential = credentialOfRawKey(rawKey);
    return credential && this.find(credential);
  }

  async find(credential: Credential): Promise<KeyIdentity | null> {
    const name = 'id' in credential ? credential.id : credential.hash;
    const now = new Date();
    let key: KeyIdentity | null;
    try {
      key = await this.lookUp(credential, name, now);
    } catch (error) {
      const known = await this.known.accept(name, now);
      if (known === undefined) throw redisUnavailable(error);
      return known;
    }
    this.known.confirm(name, key);
    return key;
  }

  private async lookUp(credential: Credential, name: string, now: Date): Promise<KeyIdentity | null> {
    const record = 'id' in credential ? this.byId(name) : this.byHash(name);
    const [id, tier, environment, scopes, expiresAt, revokedAt, developer, hash] = await this.redis.run(
      (redis) => redis.hmget(record, ...IDENTITY_FIELDS),
    );
    if (!id || !tier || !environment || revokedAt || isExpired(expiresAt, now)) return null;
    // The record under the hash does not state the developer, so the record under the id is read.
    const inRecord = () => this.redis.run((redis) => redis.hget(this.byId(id), 'developerId'));
    const developerId = developer ?? this.known.developerOf(id) ?? (await inRecord()) ?? '';
    const counter = credential.counter ?? counterOfHash(hash ?? '');
    return {
      ...{ id, counter, developerId, tier: tier as Tier, environment: environment as Environment },
      ...(scopes ? { scopes: JSON.parse(scopes) as string[] } : {}),
      ...(expiresAt ? { expiresAt } : {}),
    };
  }

  /** Writes a key in one script, so that parallel requests cannot exceed the limit. A revoked key has no record by its hash. */
  private async add(key: StoredKey, now: Date, maxActive: number | null = null): Promise<void> {
    const { byId, byHash } = fieldsOf(key);
    const fields = [byId, key.revokedAt === null ? byHash : {}].map((one) =>
      JSON.stringify(Object.entries(one).flat()),
    );
    const added = await this.redis.require((redis) =>
      redis.eval(
        ADD_KEY,
        ...[3, this.index, this.byId(key.id), this.byHash(key.hash)],
        ...[this.byId(''), key.developerId, now.toISOString(), maxActive ?? -1],
        ...[Date.parse(key.createdAt), key.id, ...fields],
      ),
    );
    if (added === 0 && maxActive !== null) throw tooManyKeys(maxActive);
  }

  /** Records from when a key is refused, unless processes forget it before. */
  private async recordEnd(id: string, refusedFrom: string | null, now: Date): Promise<void> {
    if (refusedFrom !== null && Date.parse(refusedFrom) < now.getTime() + KNOWN_KEY_MS)
      await this.revocations.record(id, refusedFrom, now);
  }

  private async end({ id, revokedAt, expiresAt }: KeyRecord, hash: string): Promise<void> {
    const expiry = expiresAt === null || expiresAt === undefined ? {} : { expiresAt };
    try {
      if (revokedAt !== null) await this.disable(id, hash, new Date(revokedAt));
      await this.redis.require(async (redis) => {
        if (revokedAt !== null) await redis.hset(this.byId(id), { revokedAt, ...expiry });
        else await redis.multi().hset(this.byHash(hash), expiry).hset(this.byId(id), expiry).exec();
      });
    } finally {
      this.known.forget(id);
    }
  }

  /** Reads all records, newest first, and dates revocations whose time could not be recorded. */
  private async all(now: Date): Promise<{ id: string; fields: KeyFields }[]> {
    const ids = await this.redis.require((redis) => redis.zrevrange(this.index, 0, -1));
    const all: { id: string; fields: KeyFields }[] = [];
    for (const page of chunksOf(ids, PAGE_SIZE)) {
      const records = await this.redis.require((redis) =>
        Promise.all(page.map(async (id) => ({ id, fields: await redis.hgetall(this.byId(id)) }))),
      );
      for (const { id, fields } of records) {
        if (isUndated(fields)) {
          fields['revokedAt'] = now.toISOString();
          await this.recordRevocation(id, now);
        }
      }
      all.push(...records);
    }
    return all;
  }

  private readonly byHash = (hash: string) => redisName(this.prefix, 'key', hash);
  private readonly byId = (id: string) => redisName(this.prefix, 'key-id', id);

  private get index(): string {
    return redisName(this.prefix, 'keys');
  }
}
