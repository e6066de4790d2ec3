import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import { DISK_FULL, isDiskFullError } from './disk-full.js';
import { DiskFullError, EngineUnavailableError } from './errors.js';

export interface BackoffOptions {
  /** The time in ms after which retries without any success end with an error; ten minutes by default. */
  giveUpAfterMs?: number | undefined;
  /** Called before each pause with a message for the operator that states the reason for the pause. */
  onWait?: ((note: string) => void) | undefined;
  /** Aborting this signal ends the pause between two attempts early, with an AbortError. */
  signal?: AbortSignal | undefined;
  /** The share of the time, from 0 to 1, in which requests and the work between them run; pauses take up the rest. By default 1. */
  share?: number | undefined;
}

const GIVE_UP_AFTER_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/** Pauses, growing exponentially and with jitter, between the attempts of requests that Elasticsearch rejects temporarily. */
export class Backoff {
  #pause = FIRST_PAUSE_MS;
  #since: number | null = null;
  #workingSince = performance.now();

  constructor(private readonly options: BackoffOptions) {}

  reset(): void {
    this.#pause = FIRST_PAUSE_MS;
    this.#since = null;
  }

  /** Pauses after a rejection. @throws EngineUnavailableError if no request has succeeded for `giveUpAfterMs` milliseconds. */
  async wait(reason: string): Promise<void> {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS, onWait, signal } = this.options;
    this.#since ??= performance.now();
    const waited = performance.now() - this.#since;
    if (waited >= giveUpAfterMs) {
      const message = `Elasticsearch accepted nothing for ${Math.round(waited / 1000)} s (${reason}).`;
      throw reason === DISK_FULL ? new DiskFullError(message) : new EngineUnavailableError(message);
    }
    const pause = this.#pause < 1000 ? `${this.#pause} ms` : `${this.#pause / 1000} s`;
    onWait?.(`Elasticsearch rejects this at the moment (${reason}); trying again in ${pause}`);
    // With jitter, clients that were rejected together do not all retry at the same time.
    await sleep(this.#pause * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
  }

  /** Pauses, so that requests and the work between them take up only the share `options.share` of the time. */
  async #makeRoom(): Promise<void> {
    const { share = 1, signal } = this.options;
    if (share >= 1) return;
    const worked = performance.now() - this.#workingSince;
    await sleep(worked * (1 / share - 1), undefined, signal ? { signal } : {});
    this.#workingSince = performance.now();
  }

  /**
   * Sends a request until Elasticsearch answers it. The caller resets the growing pauses after a success, because a bulk request
   * is answered even if every item was rejected.
   * @throws every error that is not a temporary rejection.
   */
  async retry<T>(request: () => Promise<T>): Promise<T> {
    await this.#makeRoom();
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

/** The reason why a request was rejected that may be sent again unchanged; null for any other error. */
function refusal(error: unknown): string | null {
  if (isDiskFullError(error)) return DISK_FULL;
  if (error instanceof errors.ResponseError) {
    if (isRefusal(error.statusCode ?? 0)) return `status ${error.statusCode}`;
    // A refresh fails with the status 500 if a replica has not learned yet which copy has become the primary.
    const { failed = 0, total = 0 } =
      (error.body as { _shards?: { failed?: number; total?: number } } | undefined)?._shards ?? {};
    return failed > 0 ? `${failed} of ${total} shards did not` : null;
  }
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError) {
    return 'no connection';
  }
  return error instanceof errors.TimeoutError ? 'no answer' : null;
}

/** Whether an HTTP status means that Elasticsearch is overloaded, blocked, or unreachable. */
export const isRefusal = (status: number): boolean => status === 429 || (status >= 502 && status <= 504);
