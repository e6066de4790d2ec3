import {
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { circuitBreaker, ConsecutiveBreaker, handleWhen } from 'cockatiel';

/** While other requests are answered there is hope. Where nothing is, the time of two attempts is three seconds, and enough. */
const ATTEMPTS_IN_SILENCE = 2;

/**
 * Reads by id take milliseconds. A node without a copy passes them on to one that has a copy, which may hang, and
 * Elasticsearch does not learn from that, as it does for searches. So within the time of two attempts, every node is asked.
 */
const READS_BY_ID = new Set(['get', 'mget']);

/** So many failures in a row, and the engine is left alone for so long; then one request tries. */
const BREAKS_AFTER = 5;
const BROKEN_FOR_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];
type GetConnectionOptions = Parameters<Transport['getConnection']>[0];
type Connection = NonNullable<ReturnType<Transport['getConnection']>>;

/** Of one request: the nodes that it was sent to. */
type Asked = Record<'asked', Set<Connection>>;

/**
 * Asks another node when one is silent, not only when it is gone: the client's own `retryOnTimeout` would go on for as
 * long where none of them answers.
 */
export class RetryingTransport extends Transport {
  /** Of a request that does not say so itself. */
  private readonly maxRetries: number;
  private readonly requestTimeout: number;
  /** When any node answered anything, on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // Seconds, once every node was tried: a tenth of the deadline, where the library would wait for some seconds.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // Spans are made of the service's own measurements; the client would prepare its own of each request, for nobody.
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
    // A lone node that is silent is not asked again.
    const retries = nodes > 1 ? (options.maxRetries ?? this.maxRetries) : 0;
    const mostSilences = READS_BY_ID.has(params.meta?.name ?? '')
      ? Math.max(ATTEMPTS_IN_SILENCE, Math.min(nodes, retries + 1))
      : ATTEMPTS_IN_SILENCE;
    const requestTimeout = Math.ceil((this.requestTimeout * ATTEMPTS_IN_SILENCE) / mostSilences);
    const context: Asked = { asked: new Set() };
    const given: TransportRequestOptions = { requestTimeout, ...options, context };
    let silences = 0;
    for (let attempt = 0; ; attempt += 1) {
      const started = performance.now();
      try {
        const answer = await super.request(params, given);
        this.answeredAt = performance.now();
        return answer as never;
      } catch (error) {
        if (error instanceof errors.ResponseError) this.answeredAt = performance.now();
        if (!(error instanceof errors.TimeoutError) || attempt >= retries) throw error;
        silences = this.answeredAt < started ? silences + 1 : 0;
        if (silences >= mostSilences) throw error;
      }
    }
  }

  /** Sends a request to every node before it sends it to any node again. A node that was asked may wait for one that hangs. */
  override getConnection(options: GetConnectionOptions): Connection | null {
    const { asked } = options.context as Asked;
    const others = this.connectionPool.connections.filter((node) => !asked.has(node));
    // The pool lowers the weight of a node that fails.
    const [best] = asked.size === 0 ? [] : others.sort((a, b) => b.weight - a.weight);
    const node = best ?? super.getConnection(options);
    if (node !== null) asked.add(node);
    return node;
  }
}

/**
 * For requests that people wait for: while the engine is away or silent, each would wait for its deadline and pile up with
 * the others. One circuit breaker, shared by all, opens after several failures in a row during which the engine answered
 * nothing at all. A request that times out while the engine answers others is slow by itself, and what the engine refuses
 * is an answer: neither counts, so that no client's requests can open the circuit for others.
 */
export class BreakingTransport extends RetryingTransport {
  private readonly silences = new WeakSet<Error>();
  private readonly breaker = circuitBreaker(
    handleWhen((error) => this.silences.has(error)),
    { halfOpenAfter: BROKEN_FOR_MS, breaker: new ConsecutiveBreaker(BREAKS_AFTER) },
  );

  override request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    return this.breaker.execute(async () => {
      const started = performance.now();
      try {
        return await super.request(params, options);
      } catch (error) {
        if (error instanceof errors.ElasticsearchClientError && this.answeredAt < started)
          this.silences.add(error);
        throw error;
      }
    });
  }
}
