import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { certificateAuthorities, createElasticsearch } from './engine/client.js';
import { DiskFull } from './engine/disk-full.js';
import { rejectionStatus } from './engine/errors.js';
import { ensureCatalogue } from './engine/indices.js';
import type { Config } from './platform/config/config.js';
import { createRedis } from './platform/redis/create-redis.js';
import { RedisBreaker } from './platform/redis/redis-breaker.js';
import { loggable, type Logger } from './telemetry/logger.js';
import { pause } from './platform/pause.js';

export type Connections = ReturnType<typeof connectElasticsearch> & ReturnType<typeof connectRedis>;

/** The clients of Elasticsearch. The one that writes waits longer and repeats no request. */
export function connectElasticsearch(config: Config, logger: Logger) {
  const authorities = certificateAuthorities(config.elasticsearch, (level, message, error) =>
    logger[level](message, error && loggable(error)),
  );
  const es = createElasticsearch(config.elasticsearch, undefined, authorities);
  const writer = createElasticsearch(
    config.elasticsearch,
    { requestTimeout: 10_000, maxRetries: 0 },
    authorities,
  );
  const diskFull = new DiskFull((isFull) => {
    if (isFull) logger.error('Elasticsearch refuses writes because its disk is full; reads are served');
    else logger.info('Elasticsearch takes writes again: there is room on its disk');
  });
  return { es, writer, authorities, diskFull };
}

/** The connection to Redis, and the circuit breaker that all commands go through. */
export function connectRedis(config: Config, logger: Logger): { connection: Redis; redis: RedisBreaker } {
  const { redisUrl, redisDeadlineMs: deadlineMs, redisSentinels: sentinels } = config;
  const connection = createRedis(redisUrl, { deadlineMs, sentinels });
  let loggedError: string | null = null;
  // ioredis emits an error for every attempt to connect, so only a new reason is logged.
  connection.on('error', ({ name, message }: Error) => {
    if (message !== loggedError) logger.warn('Redis is unavailable', { error: { type: name, message } });
    loggedError = message;
  });
  connection.on('ready', () => {
    if (loggedError !== null) logger.info('Redis is available again');
    loggedError = null;
  });
  const redis = new RedisBreaker(connection, {
    deadlineMs,
    onRefusal(refusal) {
      if (refusal === null) logger.info('Redis takes writes again');
      else logger.warn('Redis refuses writes', { error: { type: refusal.reason, message: refusal.error } });
    },
  });
  return { connection, redis };
}

/** Creates the first product index once Elasticsearch is available. @returns a function that stops trying. */
export function createCatalogueWhenPossible(es: Client, config: Config, logger: Logger): () => void {
  const stopped = new AbortController();
  let logged = '';
  const attempt = async () => {
    while (!stopped.signal.aborted) {
      try {
        if (await ensureCatalogue(es, config.indexPrefix, config.indexLayout))
          logger.info('created the product index');
        return;
      } catch (error) {
        const reason = areCredentialsRefused(error)
          ? 'Elasticsearch refuses the credentials: see ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD, ELASTICSEARCH_API_KEY'
          : 'Elasticsearch is not available yet';
        // Elasticsearch refuses credentials in the answer to a HEAD request, which has no text to log.
        if (reason !== logged) logger.warn(reason, areCredentialsRefused(error) ? {} : loggable(error));
        logged = reason;
      }
      await pause(1_000, stopped.signal);
    }
  };
  void attempt();
  return () => stopped.abort();
}

const areCredentialsRefused = (error: unknown): boolean => [401, 403].includes(rejectionStatus(error) ?? 0);
