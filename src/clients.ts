import { readFileSync } from 'node:fs';
import {
  Client,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { Redis } from 'ioredis';
import type { Config } from './config.js';
import { waiting } from './observe/waits.js';

/** How long a read may wait for a node before it is tried on another, and how often. */
const READ_TIMEOUT_MS = 1_500;
const READ_RETRIES = 1;
/** A search that another node passed on to the silent one is silent as well, so that once is not enough. */
const CLUSTER_READ_RETRIES = 4;

type TransportOptions = ConstructorParameters<typeof Transport>[0];

/**
 * Asks another node when one is silent, not only when it is gone. The client takes `retryOnTimeout` neither as an
 * option of its own nor per request: the transport has to be made with it. A lone node is not asked again.
 */
class RetryingTransport extends Transport {
  constructor(options: TransportOptions) {
    const { connectionPool, requestTimeout } = options;
    super({
      ...options,
      retryOnTimeout: connectionPool.size > 1,
      // Seconds, once every node was tried: a tenth of the deadline, where the library would wait for some seconds.
      retryBackoff: () => Number(requestTimeout) / 10_000,
    });
  }

  // The base class declares this method with overloads; all of them take and give the same two shapes.
  override request(params: TransportRequestParams, options: TransportRequestOptions = {}) {
    return waiting('engine', () => super.request(params, options) as Promise<never>);
  }
}

/**
 * The Elasticsearch client of the API: short deadlines, few retries.
 * Scripts that write in bulk pass longer ones: `{ requestTimeout: 60_000, maxRetries: 4 }`.
 */
export function createElasticsearch(
  config: Config['elasticsearch'],
  deadlines: { requestTimeout: number; maxRetries: number } = {
    requestTimeout: READ_TIMEOUT_MS,
    maxRetries: config.nodes.length > 1 ? CLUSTER_READ_RETRIES : READ_RETRIES,
  },
): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(config.caFile === null ? {} : { tls: { ca: readFileSync(config.caFile) } }),
    ...deadlines,
    Transport: RetryingTransport,
  });
}

/**
 * The Redis client. It fails at once when Redis is away (no queue of waiting commands) and
 * reconnects by itself within a fraction of a second of Redis's return.
 */
export function createRedis(url: string): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: 500,
    // The last resort. Requests wait less: `RedisBreaker` has a deadline that a busy process does not trip by itself.
    commandTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  });
}
