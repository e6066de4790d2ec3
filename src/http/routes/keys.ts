import { Type } from 'typebox';
import type { KeyRecord } from '../../platform/access/keys.js';
import { SCOPE_PATTERN } from '../../platform/access/scopes.js';
import { ENVIRONMENTS } from '../../platform/access/raw-key.js';
import { TIER_NAMES } from '../../platform/access/tiers.js';
import type { Context } from '../../usecases/context.js';
import { endpoint } from '../endpoint.js';
import type { Caller } from '../../usecases/context.js';
import { ApiError, invalid, notFound } from '../../platform/errors.js';
import { parseInstant } from '../../listing/instant.js';
import { Enum } from '../../schemas/types.js';

const tag = 'Keys';
const Tier = Enum(TIER_NAMES, {
  description: 'free and basic: 100 requests a minute, standard: 500, premium: 1,000',
});
const Environment = Enum(ENVIRONMENTS, {
  description: 'Picks the prefix: `svc_live_` or `svc_test_`',
  default: 'live',
});
const uuid = (description: string) => Type.String({ description, format: 'uuid' });
/** Text for people that is more than blanks. */
const label = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 200, pattern: '\\S' });

const NewKeySchema = Type.Object(
  {
    developer_id: label('Whose key it is, in your own books'),
    name: label('What it is for'),
    tier: Tier,
    admin_secret: Type.String({ description: "The operator's secret" }),
    environment: Type.Optional(Environment),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: SCOPE_PATTERN, maxLength: 70 }), {
        maxItems: 20,
        description: 'What it may do besides reading: `write:SOURCE` loads listings of one source',
        examples: [['write:shop_a']],
      }),
    ),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'From when on it is refused, ISO 8601; never unless given',
        maxLength: 40,
      }),
    ),
  },
  {
    $id: 'NewKey',
    examples: [{ developer_id: 'dev-42', name: 'Price watcher', tier: 'standard', admin_secret: '…' }],
  },
);

const IssuedKeySchema = Type.Object(
  {
    key_id: uuid('Names the key; no secret'),
    raw_key: Type.String({ description: 'The secret key, shown this once', examples: ['svc_live_…'] }),
    tier: Tier,
    message: Type.String({ description: 'A reminder to store the key securely' }),
  },
  { $id: 'IssuedKey' },
);

const KeySchema = Type.Object(
  {
    key_id: uuid('Names the key; no secret'),
    developer_id: Type.String({ examples: ['acme'] }),
    name: Type.String({ examples: ['price watch'] }),
    tier: Tier,
    environment: Environment,
    scopes: Type.Array(Type.String()),
    expires_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    created_at: Type.String({ format: 'date-time' }),
    revoked_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      examples: [null],
    }),
  },
  { $id: 'Key' },
);

const KeyListSchema = Type.Object(
  { keys: Type.Array(KeySchema), total: Type.Integer({ description: 'Number of keys' }) },
  { $id: 'KeyList', description: 'Every key, the newest first' },
);

export const createKey = endpoint({
  tag,
  summary: 'Issue an API key',
  description: 'No Bearer token: the body holds the admin secret.',
  body: NewKeySchema,
  responses: {
    201: { description: 'The key, shown this once', schema: IssuedKeySchema },
    409: {
      description: 'The developer already has as many active keys as `MAX_KEYS_PER_DEVELOPER` allows',
      example: { detail: 'This developer has 3 active keys, which is the limit: revoke one first' },
    },
  },
  async handle(context, { body }, caller) {
    await admit(body.admin_secret, caller, context);
    const { keys, now, audit, config } = context;
    const { developer_id: developerId, name, tier, environment = 'live', scopes = [] } = body;
    const expiresAt = expiryOf(body.expires_at, now());
    const key = { developerId, name, tier, environment, scopes, expiresAt };
    const { record, rawKey } = await keys.create(key, now(), config.maxKeysPerDeveloper);
    audit({ action: 'key-created', key: record }, caller);
    return {
      status: 201,
      headers: { 'Cache-Control': 'no-store' },
      body: {
        key_id: record.id,
        raw_key: rawKey,
        tier,
        message: 'Store this key securely: it is shown only once and cannot be recovered.',
      },
    };
  },
});

export const listKeys = endpoint({
  tag,
  summary: 'List keys, without their secrets',
  responses: { 200: { description: 'All keys', schema: KeyListSchema } },
  async handle(context, _input, caller) {
    await admit(caller.adminSecret, caller, context);
    const list = (await context.keys.list()).map(toKey);
    return { headers: { 'Cache-Control': 'no-store' }, body: { keys: list, total: list.length } };
  },
});

export const revokeKey = endpoint({
  tag,
  summary: 'Revoke a key for good',
  description: 'In effect on the next request, and as often as you like.',
  pathParameters: Type.Object({ key_id: Type.String({ description: 'The key’s id' }) }),
  responses: {
    204: { description: 'The key is revoked' },
    404: { description: 'No key has this id', example: { detail: 'Key not found' } },
  },
  async handle(context, { path }, caller) {
    await admit(caller.adminSecret, caller, context);
    const key = await context.keys.revoke(path.key_id, context.now());
    if (key === null) throw notFound('Key not found');
    context.audit({ action: 'key-revoked', key }, caller);
    return { status: 204 };
  },
});

const MAX_GRACE_S = 30 * 86_400;

const RotationSchema = Type.Object(
  {
    grace_s: Type.Optional(
      Type.Integer({
        description: 'For so many seconds the old key is good as well',
        minimum: 0,
        maximum: MAX_GRACE_S,
        default: 86_400,
      }),
    ),
    admin_secret: Type.Optional(
      Type.String({ description: "The operator's secret, unless the header has it" }),
    ),
  },
  { $id: 'Rotation', examples: [{ grace_s: 86_400 }] },
);

const RotatedKeySchema = Type.Object(
  {
    ...IssuedKeySchema.properties,
    replaces: uuid('The old key'),
    old_key_expires_at: Type.String({
      description: 'From when on the old key is refused',
      format: 'date-time',
    }),
  },
  { $id: 'RotatedKey' },
);

export const rotateKey = endpoint({
  tag,
  summary: 'Put a new key in the place of an old one',
  description:
    'The new one has tier, scopes and end of the old one, which is good for `grace_s` seconds yet.',
  pathParameters: Type.Object({ key_id: Type.String({ description: 'The key’s id' }) }),
  body: RotationSchema,
  responses: {
    201: { description: 'The new key, shown this once', schema: RotatedKeySchema },
    404: { description: 'No usable key has this id', example: { detail: 'Key not found' } },
  },
  async handle(context, { path, body }, caller) {
    await admit(caller.adminSecret ?? body.admin_secret, caller, context);
    const rotated = await context.keys.rotate(path.key_id, body.grace_s ?? 86_400, context.now());
    if (rotated === null) throw notFound('Key not found');
    const { record, rawKey, oldExpiresAt } = rotated;
    context.audit({ action: 'key-rotated', key: record, replaces: path.key_id }, caller);
    return {
      status: 201,
      headers: { 'Cache-Control': 'no-store' },
      body: {
        key_id: record.id,
        raw_key: rawKey,
        tier: record.tier,
        message: 'Store this key securely: it is shown only once and cannot be recovered.',
        replaces: path.key_id,
        old_key_expires_at: oldExpiresAt,
      },
    };
  },
});

/** @throws ApiError 422 where it is no time to come. */
function expiryOf(text: string | undefined, now: Date): string | null {
  if (text === undefined) return null;
  const ms = parseInstant(text);
  if (ms !== null && ms > now.getTime()) return new Date(ms).toISOString();
  const msg = 'Input should be a time to come, ISO 8601';
  throw invalid([{ loc: ['body', 'expires_at'], msg, type: 'datetime_future' }]);
}

/** Lets the operator in. @throws as `CheckAdminSecret` does, and writes the refusal down. */
async function admit(given: string | undefined, caller: Caller, { access, audit }: Context): Promise<void> {
  try {
    await access.checkAdminSecret({ given, address: caller.address });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) {
      audit({ action: 'admin-refused', status: error.status }, caller);
    }
    throw error;
  }
}

function toKey(record: KeyRecord) {
  const { id, developerId, name, tier, environment, scopes = [], expiresAt = null } = record;
  const { createdAt, revokedAt } = record;
  return {
    key_id: id,
    developer_id: developerId,
    name,
    tier,
    environment,
    scopes: [...scopes],
    expires_at: expiresAt,
    created_at: createdAt,
    revoked_at: revokedAt,
  };
}
