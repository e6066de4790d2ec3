import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ApiError, invalid } from '../errors.js';
import type { RedisBreaker } from './redis-breaker.js';
import { redisUnavailable } from './redis-writes.js';

/** How long an outcome is kept. */
const KEPT_S = 86_400;
/** A request that has not ended by then died with its process. */
const PENDING_S = 120;

/** Work under an `Idempotency-Key`: done once a day, however often it is asked for. */
export class Idempotency {
  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /**
   * @param request whose key it is, what the client calls it, and what it asks for.
   * @param work its outcome is kept as JSON, so it has to be short; what it throws is not kept.
   * @throws ApiError 409 while the same is under way, 422 where the name stood for something else, 503 without Redis.
   */
  async once<T>(
    { keyId, name, content }: { keyId: string; name: string; content: Buffer },
    work: () => Promise<T>,
  ): Promise<{ outcome: T; replayed: boolean }> {
    const place = `${this.prefix}:idempotency:${keyId}:${hash('sha256', name, 'base64url')}`;
    const fingerprint = hash('sha256', content, 'base64url');
    const pending = JSON.stringify({ fingerprint });
    const begun = await this.ask((redis) => redis.set(place, pending, 'EX', PENDING_S, 'NX'));
    if (begun === null) return { outcome: await this.#kept<T>(place, fingerprint), replayed: true };
    try {
      const outcome = await work();
      const kept = JSON.stringify({ fingerprint, outcome });
      // It is done: that it cannot be kept is no failure of it.
      await this.redis.ask((redis) => redis.set(place, kept, 'EX', KEPT_S)).catch(() => undefined);
      return { outcome, replayed: false };
    } catch (error) {
      await this.redis.ask((redis) => redis.del(place)).catch(() => undefined);
      throw error;
    }
  }

  async #kept<T>(place: string, fingerprint: string): Promise<T> {
    const text = await this.ask((redis) => redis.get(place));
    const kept = JSON.parse(text ?? '{}') as { fingerprint?: string; outcome?: T };
    if (kept.fingerprint !== undefined && kept.fingerprint !== fingerprint) {
      const msg = 'Value error, this Idempotency-Key was used for another body';
      throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
    }
    if (kept.outcome === undefined)
      throw new ApiError(409, 'A request with this Idempotency-Key is under way', { 'Retry-After': '5' });
    return kept.outcome;
  }

  private ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return this.redis.ask(command).catch((error: unknown) => {
      throw redisUnavailable(error);
    });
  }
}
