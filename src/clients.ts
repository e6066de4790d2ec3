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

/** How long a read may wait for the engine before it is tried on another connection, and how often. */
const READ_TIMEOUT_MS = 1_500;
const READ_RETRIES = 1;

/**
 * The client ignores `retryOnTimeout` as a client option, so a frozen node would fail reads that another
 * node could answer; given per request it is honoured.
 */
class RetryingTransport extends Transport {
  // The base class declares this method with overloads; all of them take and give the same two shapes.
  override request(params: TransportRequestParams, options: TransportRequestOptions = {}) {
    const ask = () => super.request(params, { retryOnTimeout: true, ...options }) as Promise<never>;
    return waiting('engine', ask);
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
    maxRetries: READ_RETRIES,
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
