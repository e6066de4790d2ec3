import {
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { CircuitBreaker } from '../platform/circuit-breaker.js';
import { fromLocalCopies, READS_BY_ID } from './local-copies.js';

/**
 * The maximum number of attempts of a request while no node answers any request: two attempts take about
 * three seconds, and more make sense only while other requests are answered.
 */
const ATTEMPTS_IN_SILENCE = 2;

/**
 * After `OPENS_AFTER` consecutive failures, the circuit breaker refuses all requests to Elasticsearch for
 * `OPEN_MS` ms.
 */
const OPENS_AFTER = 5;
const OPEN_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];
type GetConnectionOptions = Parameters<Transport['getConnection']>[0];
type Connection = NonNullable<ReturnType<Transport['getConnection']>>;

/** The context of one request to Elasticsearch: the nodes to which it was already sent, the last one at the end. */
type RequestContext = Record<'triedNodes', Set<Connection>>;

/** Retries a request on another node after a timeout, but not for long while no node answers. */
export class RetryingTransport extends Transport {
  private readonly maxRetries: number;
  private readonly requestTimeout: number;
  /** When any Elasticsearch node last answered a request, in milliseconds on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // The pause in seconds before a retry once all nodes were tried: a tenth of the deadline, which is in
      // ms.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // The client's own tracing is off, because the service creates the spans of Elasticsearch requests from
      // its own measurements.
      openTelemetry: { enabled: false },
    });
    this.maxRetries = maxRetries;
    this.requestTimeout = Number(requestTimeout);
  }

  // The base class declares overloads, which all take and return the same two types, so one signature
  // suffices.
  override async request(
    params: TransportRequestParams,
    options: TransportRequestOptions = {},
  ): Promise<never> {
    const nodes = this.connectionPool.size;
    const retries = nodes > 1 ? (options.maxRetries ?? this.maxRetries) : 0;
    // Elasticsearch prefers the copies of a search that have answered fast, so it soon leaves out a node that
    // hangs. For reads by id it does not, so every node is tried, each for a shorter time.
    const readsById = READS_BY_ID.has(params.meta?.name);
    const attemptsInSilence = readsById
      ? Math.max(ATTEMPTS_IN_SILENCE, Math.min(nodes, retries + 1))
      : ATTEMPTS_IN_SILENCE;
    const requestTimeout = Math.ceil((this.requestTimeout * ATTEMPTS_IN_SILENCE) / attemptsInSilence);
    const context: RequestContext = { triedNodes: new Set() };
    const attemptOptions: TransportRequestOptions = { requestTimeout, ...options, context };
    let silences = 0;
    for (let attempt = 0; ; attempt += 1) {
      const started = performance.now();
      try {
        const local = readsById || attempt > 0;
        const answer = await super.request(local ? fromLocalCopies(params) : params, attemptOptions);
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

  /**
   * Selects the node for an attempt: after the first attempt, each node is tried once before any is tried
   * again. The first node then comes first, because it did not have to read its own copies in the first attempt.
   */
  override getConnection(options: GetConnectionOptions): Connection | null {
    const { triedNodes } = options.context as RequestContext;
    // The connection pool returns null although it contains nodes if all nodes have failed since the pool last selected
    // one, and their numbers of failures differ
    // (https://github.com/elastic/elasticsearch-js/issues/1714).
    const selected = triedNodes.size === 0 ? super.getConnection(options) : null;
    const node = selected ?? this.nextNode(triedNodes);
    if (node === null) return null;
    triedNodes.delete(node);
    triedNodes.add(node);
    return node;
  }

  private nextNode(triedNodes: ReadonlySet<Connection>): Connection | null {
    // The connection pool lowers the weight of a node that fails.
    const [best] = this.connectionPool.connections
      .filter((node) => !triedNodes.has(node))
      .sort((a, b) => b.weight - a.weight);
    const [first] = triedNodes;
    return best ?? first ?? null;
  }
}

/**
 * The transport of the API's Elasticsearch client, whose requests share a circuit breaker. A request that
 * Elasticsearch rejects does not count as a failure.
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
