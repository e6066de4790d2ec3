import type { Environment, KeyRecord, StoredKey } from './key.js';
import type { Tier } from './tiers.js';

export type KeyFields = Record<string, string>;

/** The two Redis records of an API key: the full one under its id, and one under its hash for requests. */
export function fieldsOf(key: StoredKey): { byId: KeyFields; byHash: KeyFields } {
  const { id, developerId, name, tier, environment, scopes = [], expiresAt = null, revokedAt } = key;
  const { createdAt, hash } = key;
  const byHash = {
    id,
    tier,
    environment,
    ...(scopes.length > 0 ? { scopes: JSON.stringify(scopes) } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
  const revoked: KeyFields = revokedAt === null ? {} : { revokedAt };
  const { id: _id, ...withoutId } = byHash;
  // The record of a revoked key lacks the id, so that requests that look the key up by its id do not find it.
  const found: KeyFields = revokedAt === null ? byHash : withoutId;
  return { byId: { ...found, developerId, name, createdAt, hash, ...revoked }, byHash };
}

/** Whether a key was revoked at a time that Redis had no memory to record. */
export const isUndated = ({ hash, id, revokedAt }: KeyFields): boolean =>
  hash !== undefined && id === undefined && revokedAt === undefined;

export function toRecord(id: string, fields: KeyFields): KeyRecord {
  const { developerId = '', name = '', tier, environment, createdAt = '', revokedAt = null } = fields;
  const { scopes, expiresAt = null } = fields;
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

export const isExpired = (expiresAt: string | null | undefined, now: Date): boolean =>
  expiresAt !== null && expiresAt !== undefined && expiresAt !== '' && Date.parse(expiresAt) <= now.getTime();

/**
 * Writes a new key unless its developer has too many active ones. Records that are found in the index are not in KEYS, so Redis Cluster
 * would reject it. KEYS: the index; the records by id and by hash. ARGV: the prefix of records by id; the developer; the time, ISO 8601;
 * the maximum, or -1; the time in ms; the id; the fields of both records as JSON. Returns 0 if nothing was written.
 */
export const ADD_KEY = `
local active, maximum = 0, tonumber(ARGV[4])
for _, id in ipairs(maximum < 0 and {} or redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local key = redis.call('HMGET', ARGV[1] .. id, 'developerId', 'revokedAt', 'expiresAt', 'id')
  if key[1] == ARGV[2] and key[4] and not key[2] and (not key[3] or key[3] > ARGV[3]) then active = active + 1 end
end
if maximum >= 0 and active >= maximum then return 0 end
redis.call('HSET', KEYS[2], unpack(cjson.decode(ARGV[7])))
local byHash = cjson.decode(ARGV[8])
if #byHash > 0 then redis.call('HSET', KEYS[3], unpack(byHash)) end
redis.call('ZADD', KEYS[1], ARGV[5], ARGV[6])
return 1
`;

/** The result of importing one key from another store, with its record in this store. */
export type ImportResult =
  | { outcome: 'added' | 'unchanged' | 'ended'; key: KeyRecord }
  /** The key exists in this store with other values in these fields, which stay. */
  | { outcome: 'differs'; fields: string[] }
  /** Another key in this store has the same id or hash, so nothing was imported. `by` is the id of that key. */
  | { outcome: 'taken'; by: string };

/** The fields of an API key that never change while the key exists. */
const FIXED_FIELDS = ['developerId', 'name', 'tier', 'environment', 'scopes', 'createdAt'] as const;

/** Decides what importing a key does: an existing one may only end earlier. @param owner the id of the key with the same hash, if any. */
export function importResult(
  key: StoredKey,
  existing: StoredKey | undefined,
  owner: string | undefined,
): ImportResult {
  if (owner !== undefined && owner !== key.id) return { outcome: 'taken', by: owner };
  if (existing === undefined) return { outcome: 'added', key };
  if (existing.hash !== key.hash) return { outcome: 'taken', by: existing.id };
  const ended = {
    ...existing,
    revokedAt: existing.revokedAt ?? key.revokedAt,
    expiresAt: earlier(existing.expiresAt, key.expiresAt),
  };
  const endsEarlier = ended.revokedAt !== existing.revokedAt || ended.expiresAt !== existing.expiresAt;
  if (endsEarlier) return { outcome: 'ended', key: ended };
  const fields = FIXED_FIELDS.filter((field) => String(existing[field]) !== String(key[field]));
  return fields.length > 0 ? { outcome: 'differs', fields } : { outcome: 'unchanged', key: existing };
}

function earlier(a: string | null = null, b: string | null = null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(b) < Date.parse(a) ? b : a;
}
