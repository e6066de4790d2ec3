import { circuitBreaker, CircuitState, ConsecutiveBreaker, handleWhen } from 'cockatiel';

interface CircuitBreakerOptions {
  /** The number of consecutive failures after which the circuit opens. */
  opensAfter: number;
  /** How long the circuit stays open, in ms, before one request is let through as a probe. */
  openMs: number;
  /** Whether an error can mean that the dependency does not answer. Every other error closes the circuit. */
  isFailure(error: unknown): boolean;
  /** When the dependency last answered any request, as a `performance.now()` time. */
  lastAnswerAt(): number;
}

/** The circuit breaker of Elasticsearch and Redis. It opens only if the dependency answered nothing, so no client opens it for others. */
export class CircuitBreaker {
  private readonly failures = new WeakSet<object>();
  private readonly policy;

  constructor(private readonly options: CircuitBreakerOptions) {
    const { opensAfter, openMs } = options;
    this.policy = circuitBreaker(
      handleWhen((error) => this.failures.has(error)),
      { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(opensAfter) },
    );
  }

  /** Whether a request is currently testing if the dependency answers again. */
  get isProbing(): boolean {
    return this.policy.state === CircuitState.HalfOpen;
  }

  /** Runs a request, or waits for the probe of another. @throws BrokenCircuitError if the circuit is open. */
  execute<T>(request: () => Promise<T>): Promise<T> {
    return this.policy.execute(async () => {
      const startedAt = performance.now();
      try {
        return await request();
      } catch (error) {
        const { isFailure, lastAnswerAt } = this.options;
        if (error instanceof Error && isFailure(error) && lastAnswerAt() < startedAt)
          this.failures.add(error);
        throw error;
      }
    });
  }
}
