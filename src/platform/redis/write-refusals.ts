import type { Redis } from 'ioredis';
import { unavailable, writesRefused } from '../errors.js';

const MESSAGES = {
  readonly: 'Redis is a read-only replica',
  oom: 'Redis is out of memory',
  misconf: 'Redis cannot save to its disk',
  other: 'Redis refuses to write',
};

/** Why Redis refuses to write; a label of the metrics. */
export type WriteRefusal = keyof typeof MESSAGES;

/** The codes with which an error message begins if Redis refuses a write. */
const CODES = new Map<string, WriteRefusal>([
  ['READONLY', 'readonly'],
  ['OOM', 'oom'],
  ['MISCONF', 'misconf'],
  ['NOREPLICAS', 'other'],
  ['NOPERM', 'other'],
]);

const PROBE_INTERVAL_MS = 1_000;

export class WriteRefusedError extends Error {
  override name = 'WriteRefusedError';

  constructor(
    readonly reason: WriteRefusal,
    options?: ErrorOptions,
  ) {
    super(MESSAGES[reason], options);
  }
}

/** Called when Redis begins to refuse writes, with its error message, and with null when it accepts writes again. */
export type OnWriteRefusal = (refusal: { reason: WriteRefusal; error: string } | null) => void;

/** Tracks whether Redis accepts writes. A failover behind one address leaves the connection with a replica; then this reconnects. */
export class WriteRefusals {
  /** For each reason, the number of Redis commands that were refused since the process started. */
  readonly refusals: Record<WriteRefusal, number> = { readonly: 0, oom: 0, misconf: 0, other: 0 };
  private current: WriteRefusal | null = null;
  /** The earliest time of the next probe for a new Redis primary, on the monotonic clock. */
  private nextProbe = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly onRefusal: OnWriteRefusal = () => undefined,
  ) {}

  accepted(): void {
    if (this.current === null) return;
    this.current = null;
    this.onRefusal(null);
  }

  /** Records that Redis refused a write. @param error the error message of Redis. */
  refused(error: string): WriteRefusedError {
    const reason = writeRefusalOf(error) ?? 'other';
    this.refusals[reason] += 1;
    if (reason !== this.current) {
      this.current = reason;
      this.onRefusal({ reason, error });
    }
    if (reason === 'readonly') void this.reconnectToPrimary();
    return new WriteRefusedError(reason);
  }

  /** Records the refusal that an error states. @returns the error to throw instead; null if the command failed for another reason. */
  refusalIn(error: unknown): WriteRefusedError | null {
    // A transaction fails with the error EXECABORT. The errors of its commands are in `previousErrors`.
    const { previousErrors = [] } = error as { previousErrors?: Error[] };
    const refusal = [error as Error, ...previousErrors].find(
      ({ message }) => writeRefusalOf(message) !== null,
    );
    return refusal === undefined ? null : this.refused(refusal.message);
  }

  /** Reconnects if a new connection reaches a primary. A replica stays connected, as it can look up keys. */
  private async reconnectToPrimary(): Promise<void> {
    if (performance.now() < this.nextProbe) return;
    this.nextProbe = Infinity;
    const probe = this.redis.duplicate({
      lazyConnect: true,
      enableAutoPipelining: false,
      failoverDetector: false,
      retryStrategy: null,
      sentinelRetryStrategy: () => null,
    });
    probe.on('error', () => undefined);
    try {
      await probe.connect();
      const [role] = (await probe.role()) as [string];
      if (role === 'master') this.redis.disconnect(true);
    } catch {
      // The next refused write starts another probe.
    } finally {
      probe.disconnect();
      this.nextProbe = performance.now() + PROBE_INTERVAL_MS;
    }
  }
}

const writeRefusalOf = (error: string): WriteRefusal | null =>
  CODES.get(error.split(' ', 1)[0] ?? '') ?? null;

/** Returns the error with status 503 that answers a request whose Redis command failed. */
export const redisUnavailable = (error: unknown) =>
  error instanceof WriteRefusedError ? writesRefused(error.message) : unavailable(error);
