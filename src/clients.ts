import { readFileSync } from 'node:fs';
import {
  Client,
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { circuitBreaker, ConsecutiveBreaker, handleWhen, type CircuitBreakerPolicy } from 'cockatiel';
import { Redis } from 'ioredis';
import type { Config } from './config.js';

/** How long a read may wait for a node before it is tried on another, and how often. */
const READ_TIMEOUT_MS = 1_500;
const READ_RETRIES = 1;
/** A search that another node passed on to the silent one is silent as well, so that once is not enough. */
const CLUSTER_READ_RETRIES = 4;

/** So many failures in a row, and the engine is left alone for so long; then one request tries. */
const BREAKS_AFTER = 5;
const BROKEN_FOR_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];

/**
 * Asks another node when one is silent, not only when it is gone. The client takes `retryOnTimeout` neither as an
 * option of its own nor per request: the transport has to be made with it. A lone node is not asked again.
 */
class RetryingTransport extends Transport {
  constructor(
    options: TransportOptions,
    private readonly breaker: CircuitBreakerPolicy | null = null,
  ) {
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
    const ask = () => super.request(params, options) as Promise<never>;
    return this.breaker === null ? ask() : this.breaker.execute(ask);
  }
}

/**
 * For requests that people wait for: while the engine is away or silent, each would wait for its deadline and pile up
 * with the others. What an engine refuses is no sign of that.
 */
class BreakingTransport extends RetryingTransport {
  constructor(options: TransportOptions) {
    const failed = handleWhen(
      (error) => error instanceof errors.ElasticsearchClientError && !(error instanceof errors.ResponseError),
    );
    super(
      options,
      circuitBreaker(failed, {
        halfOpenAfter: BROKEN_FOR_MS,
        breaker: new ConsecutiveBreaker(BREAKS_AFTER),
      }),
    );
  }
}

/**
 * The Elasticsearch client of the API: short deadlines, few retries, and at once an error while the engine is away.
 * Scripts that write in bulk pass longer ones: `{ requestTimeout: 60_000, maxRetries: 4 }`; these wait for the engine.
 */
export function createElasticsearch(
  config: Config['elasticsearch'],
  deadlines?: { requestTimeout: number; maxRetries: number },
): Client {
  const reads = {
    requestTimeout: READ_TIMEOUT_MS,
    maxRetries: config.nodes.length > 1 ? CLUSTER_READ_RETRIES : READ_RETRIES,
  };
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(config.caFile === null ? {} : { tls: { ca: readFileSync(config.caFile) } }),
    ...(deadlines ?? reads),
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
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
    // Requests wait less (`RedisBreaker`): this gives up a connection that nothing comes from any more.
    socketTimeout: 2_000,
    // What several requests ask at the same time goes out in one write.
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  });
}
