import { Redis } from 'ioredis';
import { type Config, REDIS_DEADLINE_MS } from '../config/config.js';

type RedisSentinels = NonNullable<Config['redisSentinels']>;

const MAX_RECONNECT_DELAY_MS = 500;

const reconnectDelay = (attempt: number): number => Math.min(50 * attempt, MAX_RECONNECT_DELAY_MS);

/** Creates a Redis client whose commands fail at once while Redis is away. With Sentinels, the host of `url` is not used. */
export function createRedis(
  url: string,
  given: { deadlineMs?: number; sentinels?: RedisSentinels | null } = {},
): Redis {
  const { deadlineMs = REDIS_DEADLINE_MS, sentinels = null } = given;
  // The deadline for connecting is longer than that of a command, because connecting takes longer.
  const connectTimeout = Math.max(500, 2 * deadlineMs);
  return new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout,
    // A connection on which no data arrives for this time is closed.
    socketTimeout: Math.max(2_000, 4 * deadlineMs),
    // Commands of simultaneous requests are sent in one write.
    enableAutoPipelining: true,
    retryStrategy: reconnectDelay,
    ...(sentinels === null ? {} : sentinelOptions(sentinels, url.startsWith('rediss:'), connectTimeout)),
  });
}

function sentinelOptions({ nodes, name, password }: RedisSentinels, tls: boolean, timeoutMs: number) {
  return {
    sentinels: nodes,
    name,
    ...(password === null ? {} : { sentinelPassword: password }),
    // A Sentinel that hangs must not prevent the client from asking the next one.
    sentinelCommandTimeout: timeoutMs,
    sentinelRetryStrategy: reconnectDelay,
    // The Sentinels announce a failover, so that the client leaves the former primary before it refuses writes.
    failoverDetector: true,
    sentinelReconnectStrategy: reconnectDelay,
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  };
}
