import type { Redis } from 'ioredis';
import { REDIS_DEADLINE_MS } from '../config/config.js';
import { type OnRefusal, RedisWrites } from './redis-writes.js';

/** Redis did not answer in time; or it was not asked, because it let a caller wait in vain a moment ago. */
export class RedisSilent extends Error {
  override name = 'RedisSilent';
}

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
  private readonly deadlineMs: number;
  /** Whether Redis takes writes. */
  readonly writes: RedisWrites;

  /**
   * @param deadlineMs how long a caller waits for Redis at most.
   * @param onRefusal is told when Redis begins to refuse writes, and when it takes them again.
   */
  constructor(
    private readonly redis: Redis,
    { deadlineMs = REDIS_DEADLINE_MS, onRefusal }: { deadlineMs?: number; onRefusal?: OnRefusal } = {},
  ) {
    this.deadlineMs = deadlineMs;
    this.writes = new RedisWrites(redis, onRefusal);
  }

  /**
   * Runs a command.
   * @throws RedisRefusesWrites when Redis refuses to write, else whatever the command throws; RedisSilent when there was
   * no answer in time or it was not run.
   */
  async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const started = performance.now();
    if (started < this.pausedUntil) throw new RedisSilent('not asked');
    // This caller tries; those who come meanwhile do not wait with it.
    if (this.pausedUntil > 0) this.pausedUntil = started + Math.max(PAUSE_MS, this.deadlineMs);
    try {
      const answer = await Promise.race([command(this.redis), this.deadline()]);
      if (answer === LATE) throw new RedisSilent(`no answer within ${this.deadlineMs} ms`);
      this.pausedUntil = 0;
      return answer;
    } catch (error) {
      // What fails by itself (no connection, READONLY, LOADING) fails at once: the next caller may ask again.
      this.pausedUntil = error instanceof RedisSilent ? performance.now() + PAUSE_MS : 0;
      throw this.writes.refusalIn(error) ?? error;
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
        }, this.deadlineMs).unref();
      });
    });
    return this.current;
  }
}
