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

/**
 * The APIs that read documents by id. A node without a copy of the shard forwards the read to a node that has one. That node may
 * hang, and unlike for searches Elasticsearch does not learn to avoid it. So every node is tried, each for a shorter time.
 */
const READS_BY_ID = new Set(['get', 'mget']);

/** The circuit opens after this many consecutive failures, and stays open for this many ms. */
const OPENS_AFTER = 5;
const OPEN_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];
type GetConnectionOptions = Parameters<Transport['getConnection']>[0];
type Connection = NonNullable<ReturnType<Transport['getConnection']>>;

/** The context of one request: the nodes to which it was sent. */
type RequestContext = Record<'triedNodes', Set<Connection>>;

/**
 * Retries a request on another node after a timeout. The client's own `retryOnTimeout` does not stop early while no node
 * answers.
 */
export class RetryingTransport extends Transport {
  /** The maximum number of retries of a request that does not state it. */
  private readonly maxRetries: number;
  /** The time limit of one attempt, in ms. */
  private readonly requestTimeout: number;
  /** The time of the last answer of any node, in milliseconds on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // In seconds, after all nodes were tried: a tenth of the deadline. The default of the client is several seconds.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // The service makes spans from its own measurements, so spans of the client would never be read.
      openTelemetry: { enabled: false },
    });
    this.maxRetries = maxRetries;
    this.requestTimeout = Number(requestTimeout);
  }

  // The base class declares this method with overloads; all of them take and give the same two shapes.
  override async request(
    params: TransportRequestParams,
    options: TransportRequestOptions = {},
  ): Promise<never> {
    const nodes = this.connectionPool.size;
    // A request to a single node is not retried after a timeout.
    const retries = nodes > 1 ? (options.maxRetries ?? this.maxRetries) : 0;
    const attemptsInSilence = READS_BY_ID.has(params.meta?.name ?? '')
      ? Math.max(ATTEMPTS_IN_SILENCE, Math.min(nodes, retries + 1))
      : ATTEMPTS_IN_SILENCE;
    const requestTimeout = Math.ceil((this.requestTimeout * ATTEMPTS_IN_SILENCE) / attemptsInSilence);
    const context: RequestContext = { triedNodes: new Set() };
    const attemptOptions: TransportRequestOptions = { requestTimeout, ...options, context };
    let silences = 0;
    for (let attempt = 0; ; attempt += 1) {
      const started = performance.now();
      try {
        const answer = await super.request(params, attemptOptions);
        this.answeredAt = performance.now();
        return answer as never;
      } catch (error) {
        if (error instanceof errors.ResponseError) this.answeredAt = performance.now();
        if (!(error instanceof errors.TimeoutError) || attempt >= retries) throw error;
        silences = this.answeredAt < started ? silences + 1 : 0;
        if (silences >= attemptsInSilence) throw error;
      }
    }
  }

  /** Selects the node of an attempt: each node is tried once before any node is tried again. */
  override getConnection(options: GetConnectionOptions): Connection | null {
    const { triedNodes } = options.context as RequestContext;
    const untried = this.connectionPool.connections.filter((node) => !triedNodes.has(node));
    // The pool lowers the weight of a node that fails.
    const [best] = triedNodes.size === 0 ? [] : untried.sort((a, b) => b.weight - a.weight);
    const node = best ?? super.getConnection(options);
    if (node !== null) triedNodes.add(node);
    return node;
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
