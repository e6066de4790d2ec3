import {
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { CircuitBreaker } from '../platform/circuit-breaker.js';

/**
 * The number of attempts while no node answers anything. Two attempts take about three seconds; further attempts make sense
 * only while other requests are answered.
 */
const ATTEMPTS_IN_SILENCE = 2;

/** The circuit opens after this many consecutive failures, and stays open for this many ms. */
const OPENS_AFTER = 5;
const OPEN_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];

/**
 * Retries a request on another node after a timeout. The client's own `retryOnTimeout` does not stop early while no node
 * answers.
 */
export class RetryingTransport extends Transport {
  /** A request to a single node is not retried after a timeout. */
  private readonly isCluster: boolean;
  /** The maximum number of retries of a request that does not state it. */
  private readonly maxRetries: number;
  /** The time of the last answer of any node, in milliseconds on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { connectionPool, requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // In seconds, after all nodes were tried: a tenth of the deadline. The default of the client is several seconds.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // The service makes spans from its own measurements, so spans of the client would never be read.
      openTelemetry: { enabled: false },
    });
    this.isCluster = connectionPool.size > 1;
    this.maxRetries = maxRetries;
  }

  // The base class declares this method with overloads; all of them take and give the same two shapes.
  override async request(
    params: TransportRequestParams,
    options: TransportRequestOptions = {},
  ): Promise<never> {
    const retries = this.isCluster ? (options.maxRetries ?? this.maxRetries) : 0;
    let silences = 0;
    for (let attempt = 0; ; attempt += 1) {
      const started = performance.now();
      try {
        const answer = await super.request(params, options);
        this.answeredAt = performance.now();
        return answer as never;
      } catch (error) {
        if (error instanceof errors.ResponseError) this.answeredAt = performance.now();
        if (!(error instanceof errors.TimeoutError) || attempt >= retries) throw error;
        silences = this.answeredAt < started ? silences + 1 : 0;
        if (silences >= ATTEMPTS_IN_SILENCE) throw error;
      }
    }
  }
}

/**
 * The transport for requests of clients. All of them share one circuit breaker. What Elasticsearch refuses is an answer and
 * does not count as a failure.
 */
export class BreakingTransport extends RetryingTransport {
  private readonly breaker = new CircuitBreaker({
    opensAfter: OPENS_AFTER,
    openMs: OPEN_MS,
    isFailure: (error) => error instanceof errors.ElasticsearchClientError,
    lastAnswerAt: () => this.answeredAt,
  });

  override request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    return this.breaker.execute(() => super.request(params, options));
  }
}
