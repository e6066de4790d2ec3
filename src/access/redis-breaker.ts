import type { Redis } from 'ioredis';

/** Redis was not asked: it let a caller wait in vain a moment ago. */
export class RedisPaused extends Error {
  override name = 'RedisPaused';
}

/** How long Redis is left alone after it let somebody wait in vain. */
const PAUSE_MS = 500;

/** Failures that come sooner (no connection, READONLY, LOADING) cost a request nothing: the next may ask again. */
const SLOW_MS = 100;

/**
 * Keeps a hung Redis from costing every request its command timeout: after one wait in vain others fail at once,
 * until one caller at a time finds out whether Redis is back.
 */
export class RedisBreaker {
  /** On the monotonic clock; 0 while Redis answers. */
  private pausedUntil = 0;

  constructor(private readonly redis: Redis) {}

  /**
   * Runs a command.
   * @throws whatever the command throws; RedisPaused when it was not run.
   */
  async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const started = performance.now();
    if (started < this.pausedUntil) throw new RedisPaused('Redis is not answering');
    // This caller tries; those who come meanwhile do not wait with it.
    if (this.pausedUntil > 0) this.pausedUntil = started + PAUSE_MS;
    try {
      const answer = await command(this.redis);
      this.pausedUntil = 0;
      return answer;
    } catch (error) {
      const now = performance.now();
      this.pausedUntil = now - started < SLOW_MS ? 0 : now + PAUSE_MS;
      throw error;
    }
  }
}
