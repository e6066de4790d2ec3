import type { Result } from 'ioredis';

/**
 * Looks up the key of a request and counts the request in its window, in one round trip.
 *
 * - KEYS: the counter of the address; the record of the presented key, if the request presents one.
 * - ARGV: the length of the window in ms; the current time, ISO 8601 in UTC; the prefix of the counters of
 * keys; the prefix of the records of keys by id, which alone state the developer.
 *
 * The request counts against a usable key, otherwise against the address. A Redis that cannot write, such as
 * a replica, still returns the key, and the error message instead of the hits. The name of a key's counter is
 * only known from its record, so the script cannot declare it and Redis Cluster would reject it.
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
 * Redis's reply: the number of requests in the window, or the error message of the write; ms to the end of
 * the window; for a usable key, its id, tier, environment, scopes, expiry and developer.
 */
export type CountReply = [
  hits: number | string,
  left: number,
  ...key: [] | [string, string, string, string | null, string | null, string | null],
];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countRequest(
      ...given: [keys: number, ...keysAndArguments: (string | number)[]]
    ): Result<CountReply, Context>;
  }
}
