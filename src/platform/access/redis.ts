import { Redis } from 'ioredis';
import { REDIS_DEADLINE_MS, type RedisSentinels } from '../config/config.js';
import { COUNT_REQUEST } from './count-script.js';

/** The longest wait between two attempts to connect. */
const RECONNECT_MS = 500;

/**
 * Creates the Redis client. It fails at once while Redis is away, since it has no queue of waiting commands, and
 * reconnects by itself within a fraction of a second of Redis's return.
 * @param url scheme, user, password and database; the host too, unless Sentinels tell it.
 * @param deadlineMs how long a request waits for an answer; `RedisBreaker` enforces it.
 */
export function createRedis(
  url: string,
  {
    deadlineMs = REDIS_DEADLINE_MS,
    sentinels = null,
  }: { deadlineMs?: number; sentinels?: RedisSentinels | null } = {},
): Redis {
  // The network may be as slow as a request may wait, and the first connection takes longer than an answer.
  const connectTimeout = Math.max(500, 2 * deadlineMs);
  return new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout,
    // Requests give up earlier, at the deadline. This gives up a connection that has gone silent.
    socketTimeout: Math.max(2_000, 4 * deadlineMs),
    // Commands of several requests at the same time go out in one write.
    enableAutoPipelining: true,
    scripts: { countRequest: { lua: COUNT_REQUEST } },
    retryStrategy: (attempt) => Math.min(50 * attempt, RECONNECT_MS),
    ...(sentinels === null ? {} : sentinelOptions(sentinels, url.startsWith('rediss:'), connectTimeout)),
  });
}

function sentinelOptions({ nodes, name, password }: RedisSentinels, tls: boolean, timeoutMs: number) {
  return {
    sentinels: nodes,
    name,
    ...(password === null ? {} : { sentinelPassword: password }),
    // A Sentinel that hangs must not keep the client from asking the next one.
    sentinelCommandTimeout: timeoutMs,
    sentinelRetryStrategy: (attempt: number) => Math.min(50 * attempt, RECONNECT_MS),
    // The Sentinels announce a failover, so that the client leaves the old primary before it is refused there.
    failoverDetector: true,
    sentinelReconnectStrategy: (attempt: number) => Math.min(50 * attempt, RECONNECT_MS),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  };
}
