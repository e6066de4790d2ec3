import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { ENVIRONMENTS, SCOPE_PATTERN } from '../../platform/access/key.js';
import { TIER_NAMES } from '../../platform/access/tiers.js';
import { TOKEN_SECONDS } from '../../platform/access/tokens.js';
import { unauthorized } from '../../platform/errors.js';
import { failure, withheldSecret } from '../../schemas/errors.js';
import { component, Enum, integer, listOf, optional, text, time, timeOrNull } from '../../schemas/types.js';
import { createKey, DEFAULT_GRACE_S, getUsage, listKeys, revokeKey, rotateKey } from '../../usecases/keys.js';

const tag = 'Keys';
const Tier = Enum(TIER_NAMES, {
  $id: 'Tier',
  description:
    'The rate limit: 100 requests per minute for `free` and `basic`, 500 for `standard`, 1,000 for `premium`',
});
const Environment = Enum(ENVIRONMENTS, {
  description: 'The prefix of the key: `svc_live_` or `svc_test_`',
  default: 'live',
});
const uuid = (description: string) => Type.String({ description, format: 'uuid' });
const label = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 200, pattern: '\\S' });

const NewKeySchema = Type.Object(
  {
    developer_id: label('An identifier of your choice for the developer who owns the key'),
    name: label('What the key is used for'),
    tier: Tier,
    admin_secret: text('The admin secret of the operator'),
    environment: Type.Optional(Environment),
    scopes: optional.Array(Type.String({ pattern: SCOPE_PATTERN, maxLength: 70 }), {
      maxItems: 20,
      description:
        'What the key may do in addition to reading: `write:SOURCE` allows writing listings of a source, `review` allows ' +
        'deciding which listings are the same product, and `aggregator` states that the sources belong to different shops: ' +
        'otherwise all sources that a key may write count as one in votes on prices and as candidates',
      examples: [['write:shop_a']],
    }),
    expires_at: optional.String({
      format: 'date-time',
      description: 'The time from which the key is refused, ISO 8601. By default, the key does not expire',
      maxLength: 40,
    }),
  },
  {
    $id: 'NewKey',
    examples: [{ developer_id: 'dev-42', name: 'Price watcher', tier: 'standard', admin_secret: '…' }],
  },
);

const IssuedKeySchema = component('IssuedKey', {
  key_id: uuid('The id of the key, which is not secret'),
  raw_key: text('The secret key. It is shown only once', 'svc_live_…'),
  tier: Tier,
  message: text(
    'A reminder to store the key securely',
    'Store this key securely: it is shown only once and cannot be recovered.',
  ),
});

const KeySchema = component('Key', {
  key_id: uuid('The id of the key, which is not secret'),
  developer_id: Type.String({ examples: ['acme'] }),
  name: Type.String({ examples: ['price watch'] }),
  tier: Tier,
  environment: Environment,
  scopes: listOf(Type.String(), 'What the key may do in addition to reading', ['write:shop_a']),
  expires_at: timeOrNull('The time from which the key is refused; null if the key does not expire'),
  created_at: Type.String({ format: 'date-time' }),
  revoked_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'When the key was revoked, or when this was first listed if Redis could not record the time; null if it was not revoked',
    examples: [null],
  }),
});

const KeyListSchema = component('KeyList', 'All keys, the newest first', {
  keys: Type.Array(KeySchema),
  total: integer('The number of keys'),
});

const pathParameters = Type.Object({ key_id: text('The id of the key') });

export const createKeyRoute = endpoint({
  tag,
  summary: 'Issue an API key',
  description:
    'This endpoint takes the admin secret in the body instead of a Bearer token. After five wrong admin secrets in a minute, further ' +
    'wrong ones from the same network are answered with 429.',
  body: NewKeySchema,
  idempotent: true,
  responses: {
    201: { description: 'The key. It is shown only once', schema: IssuedKeySchema },
    409: {
      description:
        'The developer already has as many active keys as `MAX_KEYS_PER_DEVELOPER` allows; or the request repeats an ' +
        '`Idempotency-Key`, and `key_id` is the key that it has created',
      schema: withheldSecret('key_id', 'KeyConflict'),
      example: { detail: 'This developer has 3 active keys, which is the limit: revoke one first' },
    },
  },
  handle: (context, { body }, caller) => createKey(context, body, caller),
});

export const listKeysRoute = endpoint({
  tag,
  summary: 'List all API keys, without their secrets',
  description: 'Revoked and expired keys are included.',
  responses: { 200: { description: 'All keys', schema: KeyListSchema } },
  handle: (context, _input, caller) => listKeys(context, caller),
});

export const revokeKeyRoute = endpoint({
  tag,
  summary: 'Revoke an API key permanently',
  description:
    'Takes effect with the next request. Revoking a revoked key again succeeds. While Redis or Elasticsearch is away, the response ' +
    'is 503 and says where the key is refused: repeat the request.',
  pathParameters,
  responses: {
    204: { description: 'The key is revoked' },
    404: failure('No key has this id', 'Key not found'),
  },
  handle: (context, { path }, caller) => revokeKey(context, path.key_id, caller),
});

const RotationSchema = Type.Object(
  {
    grace_s: optional.Integer({
      description: 'The number of seconds for which the old key remains valid',
      minimum: 0,
      maximum: 30 * 86_400,
      default: DEFAULT_GRACE_S,
    }),
    admin_secret: optional.text('The admin secret of the operator, unless the header contains it'),
  },
  { $id: 'Rotation', examples: [{ grace_s: DEFAULT_GRACE_S }] },
);

const RotatedKeySchema = component('RotatedKey', {
  ...IssuedKeySchema.properties,
  replaces: uuid('The id of the old key'),
  old_key_expires_at: time('The time from which the old key is refused'),
});

export const rotateKeyRoute = endpoint({
  tag,
  summary: 'Replace an API key with a new one',
  description:
    'The new key has the tier, the scopes and the expiry of the old key. The old key remains valid for `grace_s` seconds.',
  pathParameters,
  body: RotationSchema,
  responses: {
    201: { description: 'The new key. It is shown only once', schema: RotatedKeySchema },
    404: failure('No usable key has this id', 'Key not found'),
  },
  handle: (context, { path, body }, caller) => rotateKey(context, path.key_id, body, caller),
});

const TokenSchema = component('Token', {
  access_token: text('A JWT, to be sent instead of the key'),
  token_type: Enum(['Bearer']),
  expires_in: integer('The validity of the token in seconds', 900),
});

export const token = endpoint({
  tag,
  summary: 'Exchange an API key for a token that is valid for 15 minutes',
  description:
    'The token is accepted wherever the key is accepted. Revoking the key invalidates its tokens immediately. A token cannot be ' +
    'exchanged for another token.',
  responses: { 200: { description: 'A token', schema: TokenSchema } },
  pool: null,
  async handle({ tokens, now }, _input, { key }) {
    if (key?.presentedAs !== 'raw') throw unauthorized();
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: {
        access_token: await tokens.issue(key, now()),
        token_type: 'Bearer' as const,
        expires_in: TOKEN_SECONDS,
      },
    };
  },
});

const WindowSchema = component('RequestWindow', {
  limit: integer('The maximum number of requests per minute'),
  used: integer(
    'The number of requests in the current minute, including this one if it counts in this window',
  ),
  remaining: Type.Integer(),
  resets_at: timeOrNull('When the window ends; null if it has not begun'),
});

const WrittenSchema = Type.Object({
  limit: integer('The maximum per day'),
  used: integer('The amount since midnight UTC, by all keys that write the source'),
  remaining: Type.Integer(),
});

const QuotaSchema = Type.Object({
  source: text('A source that the key may write'),
  listings: WrittenSchema,
  bytes: Type.Object(WrittenSchema.properties, {
    description: 'The size of request bodies after `Content-Encoding` is decoded',
  }),
  resets_at: time('The next midnight UTC'),
});

const UsageSchema = Type.Object(
  {
    key_id: Type.String({ format: 'uuid' }),
    tier: Enum(TIER_NAMES),
    scopes: listOf(Type.String(), 'What the key may do in addition to reading'),
    expires_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    requests: WindowSchema,
    suggestions: WindowSchema,
    writes: WindowSchema,
    write_quotas: listOf(
      QuotaSchema,
      'The daily quotas of each source that the key may write: 20,000 listings and 50 MB (`free`), 50,000 and 125 MB (`basic`), ' +
        '200,000 and 500 MB (`standard`), or 1,000,000 and 2,500 MB (`premium`)',
    ),
  },
  {
    $id: 'Usage',
    examples: [
      {
        key_id: '5f0c6a0e-8a2b-4c39-9a57-2f5d0c1b7a10',
        tier: 'standard',
        scopes: ['write:shop_a'],
        expires_at: null,
        requests: { limit: 500, used: 12, remaining: 488, resets_at: '2026-11-22T12:00:30Z' },
        suggestions: { limit: 5000, used: 0, remaining: 5000, resets_at: null },
        writes: { limit: 30, used: 0, remaining: 30, resets_at: null },
        write_quotas: [
          {
            source: 'shop_a',
            listings: { limit: 200_000, used: 1_200, remaining: 198_800 },
            bytes: { limit: 500_000_000, used: 950_000, remaining: 499_050_000 },
            resets_at: '2026-11-23T00:00:00Z',
          },
        ],
      },
    ],
  },
);

export const usage = endpoint({
  tag,
  summary: 'Retrieve the usage of the API key',
  description:
    'Returns the tier and scopes of the key, the state of its rate limit windows, and the daily quotas of the sources that it may ' +
    'write. The request itself counts like any other.',
  responses: { 200: { description: 'The usage of the key', schema: UsageSchema } },
  pool: null,
  handle: (context, _input, caller) => getUsage(context, caller),
});
