import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import { DISK_FULL, isDiskFullError } from './disk-full.js';
import { DiskFullError, EngineUnavailableError } from './unavailable.js';

export interface BackoffOptions {
  /** For how long to try again without any success. */
  giveUpAfterMs: number;
  /** Told before each pause, for people. */
  onWait?: ((note: string) => void) | undefined;
  /** Ends a pause early, with an AbortError. */
  signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/** Waits longer and longer while the engine refuses, and gives up in the end. */
export class Backoff {
  #pause = FIRST_PAUSE_MS;
  #since: number | null = null;

  constructor(private readonly options: BackoffOptions) {}

  /** Something landed: the next pause is the first again. */
  reset(): void {
    this.#pause = FIRST_PAUSE_MS;
    this.#since = null;
  }

  /**
   * Pauses after a refusal.
   * @param reason what the engine said, for people.
   * @throws EngineUnavailableError when the pauses have taken too long.
   */
  async wait(reason: string): Promise<void> {
    const { giveUpAfterMs, onWait, signal } = this.options;
    this.#since ??= performance.now();
    const waited = performance.now() - this.#since;
    if (waited >= giveUpAfterMs) {
      const message = `Elasticsearch did not take anything for ${Math.round(waited / 1000)} s (${reason}).`;
      throw reason === DISK_FULL ? new DiskFullError(message) : new EngineUnavailableError(message);
    }
    onWait?.(`Elasticsearch does not take this now (${reason}); trying again in ${formatPause(this.#pause)}`);
    // Loads that were refused together should not come back together.
    await sleep(this.#pause * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
  }

  /**
   * Runs a request until the engine answers it. An answer alone does not reset the pauses: it may be that nothing of
   * it was taken. @throws whatever says more than "not now".
   */
  async retry<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        const reason = refusal(error);
        if (reason === null) throw error;
        await this.wait(reason);
      }
    }
  }
}

const formatPause = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Why a request may be tried again as it is; null: it may not. */
function refusal(error: unknown): string | null {
  if (isDiskFullError(error)) return DISK_FULL;
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 0;
    return isRefusal(status) ? `status ${status}` : missedShards(error.body);
  }
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError) {
    return 'no connection';
  }
  return error instanceof errors.TimeoutError ? 'no answer' : null;
}

/** A refresh is a 500 where a copy of a shard has not heard yet that another one leads, as after a node that hung. */
function missedShards(body: unknown): string | null {
  const { _shards: shards } = (body ?? {}) as { _shards?: { failed?: number; total?: number } };
  const { failed = 0, total = 0 } = shards ?? {};
  return failed > 0 ? `${failed} of ${total} shards did not` : null;
}

/** Statuses of an engine that is overloaded, blocked for a while or behind a gateway without it. */
export function isRefusal(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}
