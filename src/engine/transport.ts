import {
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { CircuitBreaker } from '../platform/circuit-breaker.js';

/** While other requests are answered there is hope; where nothing is, two attempts are three seconds, and enough. */
const ATTEMPTS_IN_SILENCE = 2;

/** The circuit opens after this many consecutive failures, and stays open for this many ms. */
const OPENS_AFTER = 5;
const OPEN_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];

/**
 * Asks another node when one is silent, not only when it is gone: the client's own `retryOnTimeout` would go on for as
 * long where none of them answers.
 */
export class RetryingTransport extends Transport {
  /** A lone node that is silent is not asked again. */
  private readonly isCluster: boolean;
  /** Of a request that does not say so itself. */
  private readonly maxRetries: number;
  /** When any node answered anything, on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { connectionPool, requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // Seconds, once every node was tried: a tenth of the deadline, where the library would wait for some seconds.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // Spans are made of the service's own measurements; the client would prepare its own of each request, for nobody.
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
