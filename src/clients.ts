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

interface Deadlines {
  /** ms for each attempt. */
  requestTimeout: number;
  /** After a failure; after a silence only where there is another node to ask. */
  maxRetries: number;
}

/** How long a read may take, with a lone node. */
const READS: Deadlines = { requestTimeout: 1_500, maxRetries: 1 };

/**
 * With several nodes: three seconds in all. A node that is asked may pass the question on to the silent one, so that once
 * more is not enough. Searches avoid it after a while; look-ups by id go to either copy in turns until the cluster has
 * expelled it, and take milliseconds.
 */
const CLUSTER_SEARCHES: Deadlines = { requestTimeout: 900, maxRetries: 2 };
const CLUSTER_LOOKUPS: Deadlines = { requestTimeout: 500, maxRetries: 4 };
const LOOKUP = /\/_(?:doc\/|mget$)/;

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
  private readonly isCluster: boolean;

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
    this.isCluster = options.connectionPool.size > 1;
  }

  override request(params: TransportRequestParams, options: TransportRequestOptions = {}) {
    if (!this.isCluster) return super.request(params, options);
    const deadlines = LOOKUP.test(params.path) ? CLUSTER_LOOKUPS : CLUSTER_SEARCHES;
    return super.request(params, { ...deadlines, ...options });
  }
}

/**
 * The Elasticsearch client of the API: short deadlines, few retries, and at once an error while the engine is away.
 * Scripts that write in bulk pass longer ones: `{ requestTimeout: 60_000, maxRetries: 4 }`; these wait for the engine.
 */
export function createElasticsearch(config: Config['elasticsearch'], deadlines?: Deadlines): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(config.caFile === null ? {} : { tls: { ca: readFileSync(config.caFile) } }),
    ...(deadlines ?? READS),
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
