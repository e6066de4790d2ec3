import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, invalid, unavailable } from '../errors.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { redisName } from '../stored.js';

/** How long the outcome of a request with an `Idempotency-Key` is stored, in seconds. */
const STORED_S = 86_400;
/** The time after which an unfinished request with an `Idempotency-Key` no longer blocks the key. */
const PENDING_S = 120;
/** How long a request waits for the same request to end, and how often it checks whether it has, in ms. */
const WAIT_MS = 5_000;
const POLL_MS = 50;

/** Keeps requests that clients repeat from being carried out twice. */
export class Idempotency {
  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /**
   * Runs work while no other process runs work of the same name.
   * @throws ApiError 503 without Redis, or if the other work does not end in time.
   */
  async oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lock = redisName(this.prefix, 'running', name);
    const acquire = () => this.redis.require((redis) => redis.set(lock, '', 'EX', PENDING_S, 'NX'));
    const started = performance.now();
    while ((await acquire()) === null) {
      if (performance.now() - started > WAIT_MS) throw unavailable();
      await sleep(POLL_MS);
    }
    try {
      return await work();
    } finally {
      await this.redis.run((redis) => redis.del(lock)).catch(() => undefined);
    }
  }

  /**
   * Runs the work of a request with an `Idempotency-Key` at most once per day, or returns the stored outcome of an earlier run.
   * @param request the API key, the `Idempotency-Key` and the body.
   * @param work its outcome is stored as JSON and must be short; an error that it throws is not stored.
   * @throws ApiError 409 while the same request is running, 422 if the `Idempotency-Key` was used with
   * another body, 503 without Redis.
   */
  async once<T>(
    { keyId, name, content }: { keyId: string; name: string; content: Buffer },
    work: () => Promise<T>,
  ): Promise<{ outcome: T; replayed: boolean }> {
    const record = redisName(this.prefix, 'idempotency', keyId, hash('sha256', name, 'base64url'));
    const fingerprint = hash('sha256', content, 'base64url');
    const pending = JSON.stringify({ fingerprint });
    const isFirst = await this.redis.require((redis) => redis.set(record, pending, 'EX', PENDING_S, 'NX'));
    if (isFirst === null)
      return { outcome: await this.storedOutcome<T>(record, fingerprint), replayed: true };
    try {
      const outcome = await work();
      const stored = JSON.stringify({ fingerprint, outcome });
      // The work was done, so the request succeeds even if its outcome cannot be stored.
      await this.redis.run((redis) => redis.set(record, stored, 'EX', STORED_S)).catch(() => undefined);
      return { outcome, replayed: false };
    } catch (error) {
      await this.redis.run((redis) => redis.del(record)).catch(() => undefined);
      throw error;
    }
  }

  private async storedOutcome<T>(record: string, fingerprint: string): Promise<T> {
    const text = await this.redis.require((redis) => redis.get(record));
    const stored = JSON.parse(text ?? '{}') as { fingerprint?: string; outcome?: T };
    if (stored.fingerprint !== undefined && stored.fingerprint !== fingerprint) {
      const msg = 'Value error, this Idempotency-Key was used for another body';
      throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
    }
    if (stored.outcome === undefined)
      throw new ApiError(409, 'A request with this Idempotency-Key is under way', { 'Retry-After': '5' });
    return stored.outcome;
  }
}
