import type { Redis } from 'ioredis';
import { unavailable, writesRefused } from '../errors.js';

/** Why Redis refuses to write, as metrics name it. */
export type WriteRefusal = 'readonly' | 'oom' | 'misconf' | 'other';

/** What clients and operators are told of each. */
const EXPLAINED: Record<WriteRefusal, string> = {
  readonly: 'Redis is a read-only replica',
  oom: 'Redis is out of memory',
  misconf: 'Redis cannot save to its disk',
  other: 'Redis refuses to write',
};

/** The codes with which Redis refuses a write, at the beginning of its error. */
const CODES = new Map<string, WriteRefusal>([
  ['READONLY', 'readonly'],
  ['OOM', 'oom'],
  ['MISCONF', 'misconf'],
  ['NOREPLICAS', 'other'],
  ['NOPERM', 'other'],
]);

/** The least time between two looks for a new primary. */
const LOOK_EVERY_MS = 1_000;

/** Redis answered, and refused to write. */
export class RedisRefusesWrites extends Error {
  override name = 'RedisRefusesWrites';

  constructor(
    readonly reason: WriteRefusal,
    options?: ErrorOptions,
  ) {
    super(EXPLAINED[reason], options);
  }
}

/** Is told once when Redis begins to refuse writes, with its own words, and once (null) when it takes them again. */
export type OnRefusal = (refusal: { reason: WriteRefusal; error: string } | null) => void;

/**
 * Whether Redis takes writes. After a failover behind one address, an old connection still leads to the former primary,
 * which is a read-only replica now: then this reconnects. Commands are not sent again: the client is told to retry, and
 * a transaction or script that was refused as a whole changed nothing.
 */
export class RedisWrites {
  /** Commands that were refused since the process started. */
  readonly refusals: Record<WriteRefusal, number> = { readonly: 0, oom: 0, misconf: 0, other: 0 };
  private current: WriteRefusal | null = null;
  /** On the monotonic clock: when a new primary may be looked for again. */
  private nextLook = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly onRefusal: OnRefusal = () => undefined,
  ) {}

  /** A write was accepted. */
  accepted(): void {
    if (this.current === null) return;
    this.current = null;
    this.onRefusal(null);
  }

  /**
   * Counts a refusal.
   * @param error what Redis answered to a write.
   */
  refused(error: string): RedisRefusesWrites {
    const reason = reasonOf(error) ?? 'other';
    this.refusals[reason] += 1;
    if (reason !== this.current) {
      this.current = reason;
      this.onRefusal({ reason, error });
    }
    if (reason === 'readonly') void this.leaveReplica();
    return new RedisRefusesWrites(reason);
  }

  /** The refusal that a command failed with, counted; null: it failed with something else. */
  refusalIn(error: unknown): RedisRefusesWrites | null {
    // A transaction fails with EXECABORT, and the refusals of its commands are in the error.
    const { previousErrors = [] } = error as { previousErrors?: Error[] };
    const refusal = [error as Error, ...previousErrors].find(({ message }) => reasonOf(message) !== null);
    return refusal === undefined ? null : this.refused(refusal.message);
  }

  /**
   * Reconnects if a new connection leads to a primary. A replica that is all there is stays connected: keys can still
   * be looked up in it.
   */
  private async leaveReplica(): Promise<void> {
    if (performance.now() < this.nextLook) return;
    this.nextLook = Infinity;
    const other = this.redis.duplicate({
      lazyConnect: true,
      enableAutoPipelining: false,
      failoverDetector: false,
      retryStrategy: null,
      sentinelRetryStrategy: () => null,
    });
    other.on('error', () => undefined);
    try {
      await other.connect();
      const [role] = (await other.role()) as [string];
      if (role === 'master') this.redis.disconnect(true);
    } catch {
      // There is no primary yet: the next refusal looks again.
    } finally {
      other.disconnect();
      this.nextLook = performance.now() + LOOK_EVERY_MS;
    }
  }
}

const reasonOf = (error: string): WriteRefusal | null => CODES.get(error.split(' ', 1)[0] ?? '') ?? null;

/** The 503 for a command that failed. A refusal was logged when it began, so it has no cause for the log. */
export const redisUnavailable = (error: unknown) =>
  error instanceof RedisRefusesWrites ? writesRefused(error.message) : unavailable(error);
