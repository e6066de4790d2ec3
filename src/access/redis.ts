import { Redis } from 'ioredis';
import { COUNT_REQUEST } from './count-script.js';

/**
 * The Redis client. It fails at once when Redis is away (no queue of waiting commands) and
 * reconnects by itself within a fraction of a second of Redis's return.
 */
export function createRedis(url: string): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: 500,
    // Requests wait less (`RedisBreaker`): this gives up a connection that nothing comes from any more.
    socketTimeout: 2_000,
    // What several requests ask at the same time goes out in one write.
    enableAutoPipelining: true,
    scripts: { countRequest: { lua: COUNT_REQUEST } },
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  });
}
