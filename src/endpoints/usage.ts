import { Type } from 'typebox';
import { TIER_NAMES } from '../access/tiers.js';
import type { Window } from '../access/index.js';
import { endpoint } from '../endpoint.js';
import { unauthorized } from '../errors.js';
import { Enum } from '../schemas/types.js';

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

const UsageSchema = Type.Object(
  {
    key_id: Type.String({ format: 'uuid' }),
    tier: Enum(TIER_NAMES),
    scopes: Type.Array(Type.String(), { description: 'What the key may do besides reading' }),
    expires_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    requests: WindowSchema,
    suggestions: WindowSchema,
    writes: WindowSchema,
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
      },
    ],
  },
);

export const usage = endpoint({
  tag: 'Keys',
  summary: 'What the key has used of its windows',
  description:
    'Whose key asks, what it may do, and how much of this minute it has used. Counts as any request.',
  responses: { 200: { description: 'Its usage', schema: UsageSchema } },
  cost: () => null,
  async handle({ access }, _input, { key }) {
    if (key === null) throw unauthorized();
    const { requests, suggestions, writes } = await access.usage(key);
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: {
        ...{ key_id: key.id, tier: key.tier },
        ...{ scopes: [...(key.scopes ?? [])], expires_at: key.expiresAt ?? null },
        ...{ requests: toWindow(requests), suggestions: toWindow(suggestions), writes: toWindow(writes) },
      },
    };
  },
});

const toWindow = ({ limit, used, resetsAt }: Window) => ({
  ...{ limit, used, remaining: Math.max(0, limit - used) },
  resets_at: resetsAt?.toISOString() ?? null,
});
