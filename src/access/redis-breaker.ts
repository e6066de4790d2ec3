import type { Redis } from 'ioredis';

/** Redis did not answer in time; or it was not asked, because it let a caller wait in vain a moment ago. */
export class RedisSilent extends Error {
  override name = 'RedisSilent';
}

/** How long a caller waits for Redis at most. */
const DEADLINE_MS = 300;

const LATE = Symbol('no answer');

/** How long Redis is left alone after it let somebody wait in vain. */
const PAUSE_MS = 500;

/**
 * Keeps a hung Redis from costing every request the deadline: after one wait in vain others fail at once,
 * until one caller at a time finds out whether Redis is back.
 */
export class RedisBreaker {
  /** On the monotonic clock; 0 while Redis answers. */
  private pausedUntil = 0;
  private current: Promise<typeof LATE> | null = null;

  constructor(private readonly redis: Redis) {}

  /**
   * Runs a command.
   * @throws whatever the command throws; RedisSilent when there was no answer in time or it was not run.
   */
  async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const started = performance.now();
    if (started < this.pausedUntil) throw new RedisSilent('not asked');
    // This caller tries; those who come meanwhile do not wait with it.
    if (this.pausedUntil > 0) this.pausedUntil = started + PAUSE_MS;
    try {
      const answer = await Promise.race([command(this.redis), this.deadline()]);
      if (answer === LATE) throw new RedisSilent(`no answer within ${DEADLINE_MS} ms`);
      this.pausedUntil = 0;
      return answer;
    } catch (error) {
      // What fails by itself (no connection, READONLY, LOADING) fails at once: the next caller may ask again.
      this.pausedUntil = error instanceof RedisSilent ? performance.now() + PAUSE_MS : 0;
      throw error;
    }
  }

  /**
   * One deadline for all that is asked in the same turn of the event loop, from when it is sent, which is at its end.
   * It strikes for nobody whose answer is there: a process that was too busy to read it reads it first.
   */
  private deadline(): Promise<typeof LATE> {
    this.current ??= new Promise((resolve) => {
      setImmediate(() => {
        this.current = null;
        setTimeout(() => {
          // Sockets are read between timers and immediates.
          setImmediate(resolve, LATE);
        }, DEADLINE_MS).unref();
      });
    });
    return this.current;
  }
}
