import { Type } from 'typebox';
import type { KeyRecord } from '../access/keys.js';
import { ENVIRONMENTS } from '../access/raw-key.js';
import { TIER_NAMES } from '../access/tiers.js';
import type { Context } from '../context.js';
import { type Caller, endpoint } from '../endpoint.js';
import { ApiError, notFound } from '../errors.js';

const tag = 'Keys';
const Tier = Type.Enum([...TIER_NAMES], {
  description: 'free and basic: 100 requests a minute, standard: 500, premium: 1,000',
});
const Environment = Type.Enum([...ENVIRONMENTS], {
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
  },
  {
    $id: 'NewKey',
    examples: [{ developer_id: 'dev-42', name: 'Price watcher', tier: 'standard', admin_secret: '…' }],
  },
);

const IssuedKeySchema = Type.Object(
  {
    key_id: uuid('Names the key; no secret'),
    raw_key: Type.String({ description: 'The secret key, shown this once' }),
    tier: Tier,
    message: Type.String({ description: 'A reminder to store the key securely' }),
  },
  { $id: 'IssuedKey' },
);

const KeySchema = Type.Object(
  {
    key_id: uuid('Names the key; no secret'),
    developer_id: Type.String(),
    name: Type.String(),
    tier: Tier,
    environment: Environment,
    created_at: Type.String({ format: 'date-time' }),
    revoked_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
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
  responses: { 201: { description: 'The key, shown this once', schema: IssuedKeySchema } },
  async handle(context, { body }, caller) {
    await admit(body.admin_secret, caller, context);
    const { keys, now, audit } = context;
    const { developer_id: developerId, name, tier, environment = 'live' } = body;
    const { record, rawKey } = await keys.create({ developerId, name, tier, environment }, now());
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

function toKey({ id, developerId, name, tier, environment, createdAt, revokedAt }: KeyRecord) {
  return {
    key_id: id,
    developer_id: developerId,
    name,
    tier,
    environment,
    created_at: createdAt,
    revoked_at: revokedAt,
  };
}
