import { setTimeout as sleep } from 'node:timers/promises';
import type { EventDocument, Written } from './write.js';

/** Sends a batch. Rejects when nothing is known to have been taken. */
export type Send = (
  batch: readonly EventDocument[],
  signal: AbortSignal,
) => Promise<Pick<Written, 'written' | 'refused' | 'again'>>;

/** How much is kept, and how it is sent. */
export interface QueueBounds {
  /** Events kept at most, those being sent included: some 10 MB. */
  events: number;
  batchEvents: number;
  batchBytes: number;
  /** How long an event waits for others. */
  everyMs: number;
}

const BOUNDS: QueueBounds = { events: 10_000, batchEvents: 1_000, batchBytes: 2_000_000, everyMs: 1_000 };
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Events on their way to the engine: sent in batches in the background, one batch at a time. While the engine takes
 * none they are kept; when there are too many, new ones are dropped and counted. Adding one never waits.
 */
export class EventQueue {
  /** Since the start. */
  written = 0;
  /** Lost since the start: no room, refused by the engine, or left over at the end. */
  dropped = 0;

  readonly #waiting: EventDocument[] = [];
  readonly #bounds: QueueBounds;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = new AbortController();
  #sending: Promise<void> | null = null;
  #pause = 0;
  #pausedUntil = 0;

  constructor(
    private readonly send: Send,
    bounds: Partial<QueueBounds> = {},
  ) {
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#timer = setInterval(() => {
      this.#sendSoon();
    }, this.#bounds.everyMs).unref();
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(event: EventDocument): void {
    if (this.#waiting.length >= this.#bounds.events) {
      this.dropped += 1;
      return;
    }
    this.#waiting.push(event);
    if (this.#waiting.length >= this.#bounds.batchEvents) this.#sendSoon();
  }

  /** Sends what is left, for at most so long; what then is still there is dropped. */
  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    const deadline = performance.now() + withinMs;
    const left = () => deadline - performance.now();
    while (this.#waiting.length > 0 && left() > 0) {
      const sending = (this.#sending ??= this.#sendBatch());
      await Promise.race([sending, sleep(left(), undefined, { ref: false })]);
      if (this.#pause > 0) await sleep(Math.max(0, Math.min(this.#pause, left())));
    }
    this.#abort.abort();
    await this.#sending;
    this.dropped += this.#waiting.length;
    this.#waiting.length = 0;
  }

  #sendSoon(): void {
    if (this.#sending !== null || this.#waiting.length === 0 || performance.now() < this.#pausedUntil) return;
    this.#sending = this.#sendBatch();
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#nextBatch();
    try {
      const { written, refused, again } = await this.send(batch, this.#abort.signal);
      this.#waiting.splice(0, batch.length, ...again);
      this.written += written;
      this.dropped += refused;
      this.#pauseAfter(again.length === 0);
    } catch {
      // It stays at the head of the queue.
      this.#pauseAfter(false);
    } finally {
      this.#sending = null;
      if (this.#waiting.length >= this.#bounds.batchEvents) this.#sendSoon();
    }
  }

  #nextBatch(): EventDocument[] {
    const { batchEvents, batchBytes } = this.#bounds;
    let bytes = 0;
    const end = this.#waiting.findIndex(({ json }, i) => (bytes += json.length) > batchBytes && i > 0);
    return this.#waiting.slice(0, Math.min(batchEvents, end < 0 ? batchEvents : end));
  }

  #pauseAfter(success: boolean): void {
    this.#pause = success ? 0 : Math.min(Math.max(FIRST_PAUSE_MS, this.#pause * 2), LONGEST_PAUSE_MS);
    this.#pausedUntil = performance.now() + this.#pause;
  }
}
