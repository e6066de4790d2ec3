import type { Caller, Context } from './context.js';
import { parseInstant } from '../listing/instant.js';
import type { RateLimitWindow } from '../platform/access/rate-limit-store.js';
import type { KeyRecord } from '../platform/access/key.js';
import type { Tier } from '../platform/access/tiers.js';
import { ApiError, invalid, notFound, unauthorized } from '../platform/errors.js';
import { idempotently, withoutSecret } from './idempotent.js';

const NO_STORE = { 'Cache-Control': 'no-store' };
const REMINDER = 'Store this key securely: it is shown only once and cannot be recovered.';

/** The time in seconds for which the old key remains valid after a rotation by default. */
export const DEFAULT_GRACE_S = 86_400;

interface CreatedKey {
  developer_id: string;
  name: string;
  tier: Tier;
  admin_secret: string;
  environment?: KeyRecord['environment'];
  scopes?: string[];
  expires_at?: string;
}

/** Issues an API key, once for an `Idempotency-Key`. @throws ApiError 403 for a wrong admin secret, 409 for too many keys. */
export async function createKey(context: Context, body: CreatedKey, caller: Caller) {
  await checkAdmin(body.admin_secret, caller, context);
  const { keys, now, audit, config } = context;
  const { admin_secret: _secret, ...stated } = body;
  const repeatable = { path: '/v1/keys', content: JSON.stringify(stated) };
  const create = async () => {
    const { developer_id: developerId, name, tier, environment = 'live', scopes = [] } = stated;
    const expiresAt = expiryOf(stated.expires_at, now());
    const key = { developerId, name, tier, environment, scopes, expiresAt };
    const { record, rawKey } = await keys.create(key, now(), config.maxKeysPerDeveloper);
    audit({ action: 'key-created', key: record }, caller);
    const body = { key_id: record.id, raw_key: rawKey, tier, message: REMINDER };
    return { status: 201, headers: NO_STORE, body };
  };
  return idempotently(context, caller, repeatable, create, withoutSecret('raw_key', 'key_id'));
}

/** Returns all API keys, without their secrets. @throws ApiError 403 for a wrong admin secret. */
export async function listKeys(context: Context, caller: Caller) {
  await checkAdmin(caller.adminSecret, caller, context);
  const keys = (await context.keys.list(context.now())).map(toKey);
  return { headers: NO_STORE, body: { keys, total: keys.length } };
}

/** Revokes an API key. @throws ApiError 403 for a wrong admin secret, 404 for an unknown id. */
export async function revokeKey(context: Context, id: string, caller: Caller) {
  await checkAdmin(caller.adminSecret, caller, context);
  const key = await context.keys.revoke(id, context.now());
  if (key === null) throw notFound('Key not found');
  context.audit({ action: 'key-revoked', key }, caller);
  return { status: 204 };
}

/** Issues a key that replaces another one. @throws ApiError 403 for a wrong admin secret, 404 for an unusable old key. */
export async function rotateKey(
  context: Context,
  id: string,
  { grace_s = DEFAULT_GRACE_S, admin_secret }: { grace_s?: number; admin_secret?: string },
  caller: Caller,
) {
  await checkAdmin(caller.adminSecret ?? admin_secret, caller, context);
  const rotated = await context.keys.rotate(id, grace_s, context.now());
  if (rotated === null) throw notFound('Key not found');
  const { record, rawKey, oldExpiresAt: old_key_expires_at } = rotated;
  context.audit({ action: 'key-rotated', key: record, replaces: id }, caller);
  const created = { key_id: record.id, raw_key: rawKey, tier: record.tier, message: REMINDER };
  return { status: 201, headers: NO_STORE, body: { ...created, replaces: id, old_key_expires_at } };
}

/** Checks the admin secret, and records a refusal in the audit log. @throws ApiError as `checkAdminSecret` does. */
async function checkAdmin(given: string | undefined, caller: Caller, context: Context): Promise<void> {
  try {
    await context.access.checkAdminSecret({ given, address: caller.address() });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      context.audit({ action: 'admin-refused', status: error.status }, caller);
    throw error;
  }
}

/** Parses the expiry of a key. @throws ApiError 422 for a time in the past or an invalid time. */
function expiryOf(text: string | undefined, now: Date): string | null {
  if (text === undefined) return null;
  const ms = parseInstant(text);
  if (ms !== null && ms > now.getTime()) return new Date(ms).toISOString();
  const msg = 'Input should be a future time in ISO 8601';
  throw invalid([{ loc: ['body', 'expires_at'], msg, type: 'datetime_future' }]);
}

const toKey = (record: KeyRecord) => ({
  key_id: record.id,
  developer_id: record.developerId,
  name: record.name,
  tier: record.tier,
  environment: record.environment,
  scopes: [...(record.scopes ?? [])],
  expires_at: record.expiresAt ?? null,
  created_at: record.createdAt,
  revoked_at: record.revokedAt,
});

/** Returns the API key of the request, with the state of its rate limit windows and daily write quotas. */
export async function getUsage({ access, now }: Context, { key }: Caller) {
  if (key === null) throw unauthorized();
  const [{ requests, suggestions, writes }, quotas] = await Promise.all([
    access.usage(key),
    access.quotas.of(key, now()),
  ]);
  return {
    headers: NO_STORE,
    body: {
      key_id: key.id,
      tier: key.tier,
      scopes: [...(key.scopes ?? [])],
      expires_at: key.expiresAt ?? null,
      requests: toWindow(requests),
      suggestions: toWindow(suggestions),
      writes: toWindow(writes),
      write_quotas: quotas.map(({ source, limit, used, resetsAt }) => ({
        source,
        listings: toQuota(limit.listings, used.listings),
        bytes: toQuota(limit.bytes, used.bytes),
        resets_at: resetsAt.toISOString(),
      })),
    },
  };
}

const toQuota = (limit: number, used: number) => ({ limit, used, remaining: Math.max(0, limit - used) });

const toWindow = ({ limit, used, resetsAt }: RateLimitWindow) => ({
  ...toQuota(limit, used),
  resets_at: resetsAt?.toISOString() ?? null,
});
