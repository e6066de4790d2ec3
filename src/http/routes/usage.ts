import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { TIER_NAMES } from '../../platform/access/tiers.js';
import { component, Enum, integer, listOf, text, time, timeOrNull } from '../../schemas/types.js';
import { getUsage } from '../../usecases/keys.js';

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
  tag: 'Keys',
  summary: 'Retrieve the usage of the API key',
  description:
    'Returns the tier and scopes of the key, the state of its rate limit windows, and the daily quotas of the sources that it may ' +
    'write. The request itself counts like any other.',
  responses: { 200: { description: 'The usage of the key', schema: UsageSchema } },
  pool: null,
  handle: (context, _input, caller) => getUsage(context, caller),
});
