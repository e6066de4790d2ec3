import {
  type Client,
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { circuitBreaker, type CircuitBreakerPolicy, ConsecutiveBreaker, handleWhen } from 'cockatiel';

/** While other requests are answered there is hope; where nothing is, two attempts are three seconds, and enough. */
const ATTEMPTS_IN_SILENCE = 2;

/** So many failures in a row, and the engine is left alone for so long; then one request tries. */
const BREAKS_AFTER = 5;
const BROKEN_FOR_MS = 1_000;

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
 * For requests that people wait for: while the engine is away or silent, each would wait for its deadline and pile up
 * with the others. What an engine refuses is no sign of that; nor is what one kind of request takes too long for a sign
 * that others would.
 */
export class BreakingTransport extends RetryingTransport {
  /** One for each name that `withCircuit` gave, and one for the rest. */
  private readonly circuits = new Map<string, CircuitBreakerPolicy>();
  /** For all: opened where several circuits meet an engine that answers nobody anything. */
  private readonly engine = breakerOf(() => this.silent.size > 1);
  /** The circuits that have met it so since it last answered. */
  private readonly silent = new Set<string>();

  override request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    const { circuit = '' } = (options.context ?? {}) as CircuitContext;
    return this.circuitOf(circuit).execute(() =>
      this.engine.execute(() => this.listening(circuit, () => super.request(params, options))),
    );
  }

  private async listening<T>(circuit: string, ask: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await ask();
    } finally {
      if (this.answeredAt >= started) this.silent.clear();
      else this.silent.add(circuit);
    }
  }

  private circuitOf(name: string): CircuitBreakerPolicy {
    const circuit = this.circuits.get(name) ?? breakerOf(() => true);
    this.circuits.set(name, circuit);
    return circuit;
  }
}

/** Counts failures that are none of the engine's refusals, as far as they are to be counted. */
const breakerOf = (counts: () => boolean): CircuitBreakerPolicy =>
  circuitBreaker(
    handleWhen(
      (error) =>
        error instanceof errors.ElasticsearchClientError &&
        !(error instanceof errors.ResponseError) &&
        counts(),
    ),
    { halfOpenAfter: BROKEN_FOR_MS, breaker: new ConsecutiveBreaker(BREAKS_AFTER) },
  );

/** What the client's `context` option holds. */
interface CircuitContext extends Record<string, unknown> {
  circuit?: string;
}

/**
 * The same client with a circuit of its own: what fails through it keeps nobody else from asking, and the other way
 * round.
 * @param circuit one of a few names; clients given the same one share it.
 */
export function withCircuit(es: Client, circuit: string): Client {
  const ask = es.transport.request.bind(es.transport) as Transport['request'];
  const context: CircuitContext = { circuit };
  const request = (params: TransportRequestParams, options?: TransportRequestOptions) =>
    ask(params, { ...options, context });
  const transport = Object.create(es.transport, { request: { value: request } }) as Transport;
  return Object.create(es, { transport: { value: transport } }) as Client;
}
