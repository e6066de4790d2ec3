import { Type } from 'typebox';
import { TIER_NAMES } from '../../platform/access/tiers.js';
import type { Window } from '../../platform/access/index.js';
import { endpoint } from '../endpoint.js';
import { unauthorized } from '../../platform/errors.js';
import { Enum } from '../../schemas/types.js';

const WindowSchema = Type.Object({
  limit: Type.Integer({ description: 'Requests a minute' }),
  used: Type.Integer({
    description: 'Requests in this minute so far, this one included where it counts there',
  }),
  remaining: Type.Integer(),
  resets_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the window ends; null: it has not begun',
  }),
});

const WrittenSchema = Type.Object({
  limit: Type.Integer({ description: 'The most in a day' }),
  used: Type.Integer({ description: 'Since midnight UTC, by all keys that write this source' }),
  remaining: Type.Integer(),
});

const QuotaSchema = Type.Object({
  source: Type.String({ description: 'A source that the key may write' }),
  listings: WrittenSchema,
  bytes: Type.Object(WrittenSchema.properties, {
    description: 'Of request bodies, after their `Content-Encoding` is decoded',
  }),
  resets_at: Type.String({ format: 'date-time', description: 'The next midnight, UTC' }),
});

const UsageSchema = Type.Object(
  {
    key_id: Type.String({ format: 'uuid' }),
    tier: Enum(TIER_NAMES),
    scopes: Type.Array(Type.String(), { description: 'What the key may do besides reading' }),
    expires_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    requests: WindowSchema,
    suggestions: WindowSchema,
    writes: WindowSchema,
    write_quotas: Type.Array(QuotaSchema, { description: 'What may be written in a day, for each source' }),
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
  tag: 'Keys',
  summary: 'What the key has used of its windows',
  description:
    'Whose key asks, what it may do, how much of this minute it has used, and how much of the day’s quotas of the ' +
    'sources that it may write. Counts as any request.',
  responses: { 200: { description: 'Its usage', schema: UsageSchema } },
  cost: () => null,
  async handle({ access, now }, _input, { key }) {
    if (key === null) throw unauthorized();
    const [{ requests, suggestions, writes }, quotas] = await Promise.all([
      access.usage(key),
      access.quotas.of(key, now()),
    ]);
    return {
      headers: { 'Cache-Control': 'no-store' },
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
          listings: toWritten(limit.listings, used.listings),
          bytes: toWritten(limit.bytes, used.bytes),
          resets_at: resetsAt.toISOString(),
        })),
      },
    };
  },
});

const toWritten = (limit: number, used: number) => ({ limit, used, remaining: Math.max(0, limit - used) });

const toWindow = ({ limit, used, resetsAt }: Window) => ({
  limit,
  used,
  remaining: Math.max(0, limit - used),
  resets_at: resetsAt?.toISOString() ?? null,
});
