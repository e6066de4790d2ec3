import { BrokenCircuitError } from 'cockatiel';
import type { Redis } from 'ioredis';
import { CircuitBreaker } from '../circuit-breaker.js';
import { REDIS_DEADLINE_MS } from '../config/config.js';
import { type OnWriteRefusal, redisUnavailable, WriteRefusals } from './write-refusals.js';

export class RedisTimeoutError extends Error {
  override name = 'RedisTimeoutError';
}

const TIMEOUT = Symbol('timeout');

/** The time for which no command is sent to Redis after one has timed out. */
const OPEN_MS = 500;

/** Runs Redis commands with a deadline. A single timeout opens the circuit breaker; an error that arrives at once never does. */
export class RedisBreaker {
  private answeredAt = -Infinity;
  private timeout: Promise<typeof TIMEOUT> | null = null;
  private readonly deadlineMs: number;
  private readonly breaker = new CircuitBreaker({
    opensAfter: 1,
    openMs: OPEN_MS,
    isFailure: (error) => error instanceof RedisTimeoutError,
    lastAnswerAt: () => this.answeredAt,
  });
  readonly writes: WriteRefusals;

  /** @param onRefusal called when Redis begins to refuse writes and when it accepts them again. */
  constructor(
    private readonly redis: Redis,
    { deadlineMs = REDIS_DEADLINE_MS, onRefusal }: { deadlineMs?: number; onRefusal?: OnWriteRefusal } = {},
  ) {
    this.deadlineMs = deadlineMs;
    this.writes = new WriteRefusals(redis, onRefusal);
  }

  /** @throws WriteRefusedError, RedisTimeoutError, BrokenCircuitError while the circuit is open, or whatever the command throws. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    // While one command probes whether Redis answers again, other requests fail at once.
    if (this.breaker.isProbing) throw new BrokenCircuitError();
    try {
      return await this.breaker.execute(async () => {
        const answer = await Promise.race([command(this.redis), this.deadline()]);
        if (answer === TIMEOUT) throw new RedisTimeoutError(`no answer within ${this.deadlineMs} ms`);
        this.answeredAt = performance.now();
        return answer;
      });
    } catch (error) {
      throw this.writes.refusalIn(error) ?? error;
    }
  }

  /** Runs a Redis command that a request cannot do without. @throws ApiError 503 if it fails. */
  async require<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return this.run(command).catch((error: unknown) => {
      throw redisUnavailable(error);
    });
  }

  /** Resolves at the deadline of all commands of this turn of the event loop. Answers that have arrived until then are read first. */
  private deadline(): Promise<typeof TIMEOUT> {
    this.timeout ??= new Promise((resolve) => {
      setImmediate(() => {
        this.timeout = null;
        setTimeout(() => {
          // The event loop reads sockets after timers and before immediates, so answers that have arrived are read now.
          setImmediate(resolve, TIMEOUT);
        }, this.deadlineMs).unref();
      });
    });
    return this.timeout;
  }
}
