import type { Redis } from 'ioredis';
import { waiting } from '../observe/waits.js';

/** Redis did not answer in time; or it was not asked, because it let a caller wait in vain a moment ago. */
export class RedisSilent extends Error {
  override name = 'RedisSilent';
}

/** How long a caller waits for Redis at most. */
const DEADLINE_MS = 300;

/** How long Redis is left alone after it let somebody wait in vain. */
const PAUSE_MS = 500;

/**
 * Keeps a hung Redis from costing every request the deadline: after one wait in vain others fail at once,
 * until one caller at a time finds out whether Redis is back.
 */
export class RedisBreaker {
  /** On the monotonic clock; 0 while Redis answers. */
  private pausedUntil = 0;

  constructor(private readonly redis: Redis) {}

  /**
   * Runs a command.
   * @throws whatever the command throws; RedisSilent when there was no answer in time or it was not run.
   */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return waiting('redis', () => this.tryIt(command));
  }

  private async tryIt<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const started = performance.now();
    if (started < this.pausedUntil) throw new RedisSilent('not asked');
    // This caller tries; those who come meanwhile do not wait with it.
    if (this.pausedUntil > 0) this.pausedUntil = started + PAUSE_MS;
    try {
      const answer = await inTime(command(this.redis));
      this.pausedUntil = 0;
      return answer;
    } catch (error) {
      // What fails by itself (no connection, READONLY, LOADING) fails at once: the next caller may ask again.
      this.pausedUntil = error instanceof RedisSilent ? performance.now() + PAUSE_MS : 0;
      throw error;
    }
  }
}

/**
 * The client's own command timeout also strikes when this process was too busy to read an answer that is there: such
 * an answer is read before this deadline strikes. The client's must be the longer one.
 */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // Sockets are read between timers and immediates.
      setImmediate(() => {
        reject(new RedisSilent(`no answer within ${DEADLINE_MS} ms`));
      });
    }, DEADLINE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
