import { once } from 'node:events';
import { KeyStore } from '../../src/platform/access/key-store.js';
import type { Revocations } from '../../src/platform/access/known-keys.js';
import { readConfig } from '../../src/platform/config/config.js';
import { ApiError } from '../../src/platform/errors.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { readDemoState } from './demo-state.js';
import { isEngineError } from './engine.js';
import { CommandError } from './exit.js';

/** The environment variables that the command reads. It needs no secrets of the API. */
const VARIABLES = [
  'INDEX_PREFIX',
  'REDIS_PASSWORD',
  'REDIS_PASSWORD_FILE',
  'REDIS_URL_FILE',
  'REDIS_DEADLINE_MS',
  'REDIS_SENTINELS',
  'REDIS_SENTINEL_NAME',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_SENTINEL_PASSWORD_FILE',
];

/** The address of Redis in the environment, or of a running demo; undefined if there is none. */
export const redisUrlOf = (env: NodeJS.ProcessEnv): string | undefined =>
  env['REDIS_URL'] || env['REDIS_URL_FILE'] || readDemoState()?.redisUrl;

/** Runs work with the API keys in Redis. @throws CommandError if Redis cannot be used. */
export async function useKeys<Result>(
  env: NodeJS.ProcessEnv,
  work: (keys: KeyStore, redis: RedisBreaker) => Promise<Result>,
  revocations?: Revocations,
): Promise<Result> {
  const {
    redisUrl,
    redisDeadlineMs: deadlineMs,
    redisSentinels: sentinels,
    indexPrefix,
  } = readConfig({
    ...Object.fromEntries(VARIABLES.map((name) => [name, env[name]])),
    REDIS_URL: env['REDIS_URL'] || (env['REDIS_URL_FILE'] ? undefined : readDemoState()?.redisUrl),
  });
  const redis = createRedis(redisUrl, { deadlineMs, sentinels });
  try {
    // If Redis is unreachable, waiting for the event `ready` fails with the first connection error.
    await once(redis, 'ready');
    redis.on('error', () => undefined);
    const breaker = new RedisBreaker(redis, { deadlineMs });
    return await work(new KeyStore(breaker, indexPrefix, revocations), breaker);
  } catch (error) {
    if (error instanceof ApiError && isEngineError(error.cause)) throw new CommandError(error.message);
    const reason =
      error instanceof ApiError ? (error.cause ?? error) : redis.status === 'ready' ? null : error;
    if (reason === null) throw error;
    const host = sentinels?.nodes.map((node) => `${node.host}:${node.port}`).join() ?? new URL(redisUrl).host;
    throw new CommandError(
      `cannot use Redis at ${host} (${(reason as Error).message}): start it, or set REDIS_URL`,
      { cause: error },
    );
  } finally {
    redis.disconnect();
  }
}
