import type { Result } from 'ioredis';

/**
 * Counts a request in its window, and finds out before whose it is: one trip.
 *
 * - KEYS: the counter of its address; the record of the key that it shows, if it shows any.
 * - ARGV: the length of a window in ms; now, as ISO 8601 in UTC; the prefix of the counters of keys; the prefix of the records
 *   of keys by id, which are the only ones that name the developer.
 *
 * It counts against a usable key, else against the address. A Redis that cannot write (a replica, or one without room)
 * still tells whose the key is, and in place of the hits why it has not counted. The counter of a key is named by what
 * stands in its record, so the script cannot declare it: a cluster of Redis would not run it.
 */
export const COUNT_REQUEST = `
local key = {}
if KEYS[2] then
  key = redis.call('HMGET', KEYS[2], 'id', 'tier', 'environment', 'scopes', 'expiresAt', 'revokedAt')
end
local id, expires, revoked = key[1], key[5], key[6]
local usable = id and not revoked and (not expires or expires > ARGV[2])
local counter = usable and ARGV[3] .. id or KEYS[1]
local left = redis.call('PTTL', counter)
local hits
if left > 0 then
  hits = redis.pcall('INCR', counter)
else
  left = tonumber(ARGV[1])
  hits = redis.pcall('SET', counter, 1, 'PX', left)
  if not hits.err then hits = 1 end
end
if type(hits) == 'table' then hits = hits.err end
if not usable then return { hits, left } end
return { hits, left, id, key[2], key[3], key[4], expires, redis.call('HGET', ARGV[4] .. id, 'developerId') }
`;

/**
 * Hits, or why they are not counted; ms to the end of the window; for a usable key its id, tier, environment, scopes,
 * expiry and developer.
 */
export type CountReply = [
  hits: number | string,
  left: number,
  ...key: [] | [string, string, string, string | null, string | null, string | null],
];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** See `COUNT_REQUEST`. */
    countRequest(
      ...given: [keys: number, ...keysAndArguments: (string | number)[]]
    ): Result<CountReply, Context>;
  }
}
