import { setTimeout as sleep } from 'node:timers/promises';

export interface EventDocument {
  /** A unique id, so that an event that is sent again because its response was lost is stored once. */
  id: string;
  at: Date;
  /** The event as JSON text, so that the objects of its request are not kept in memory. */
  json: string;
}

export interface BatchResult {
  written: number;
  /** The number of events that Elasticsearch rejected permanently. */
  refused: number;
  /** The error type of the last event that was rejected or has to be sent again. */
  reason?: string;
  /** The events that Elasticsearch did not accept now, to be sent again. */
  again: EventDocument[];
  /** The number of events in `again` that were refused because the disk of a node is full. */
  diskFull: number;
}

/** Sends a batch of events. It rejects if no event of the batch is known to be written. */
export type SendBatch = (
  batch: readonly EventDocument[],
  signal: AbortSignal,
) => Promise<Pick<BatchResult, 'written' | 'refused' | 'again'>>;

export interface QueueBounds {
  /** The maximum number of events in the queue, including those being sent; 10,000 take about 10 MB. */
  events: number;
  batchEvents: number;
  batchBytes: number;
  /** How often an incomplete batch of events is sent, in ms. */
  everyMs: number;
}

const BOUNDS: QueueBounds = { events: 10_000, batchEvents: 1_000, batchBytes: 2_000_000, everyMs: 1_000 };
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** A queue of events that are written in the background. Adding one never waits: if the queue is full, it is dropped and counted. */
export class EventQueue {
  written = 0;
  /** The number of events lost since the start, because of a full queue, a rejection or the end. */
  dropped = 0;

  readonly #waiting: EventDocument[] = [];
  readonly #bounds: QueueBounds;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = new AbortController();
  #sending: Promise<void> | null = null;
  #pause = 0;
  #pausedUntil = 0;

  constructor(
    private readonly send: SendBatch,
    bounds: Partial<QueueBounds> = {},
  ) {
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#timer = setInterval(() => this.#sendSoon(), this.#bounds.everyMs).unref();
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

  /** Sends the remaining events. After `withinMs` milliseconds, those that are left are dropped. */
  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    const deadline = performance.now() + withinMs;
    const remainingMs = () => deadline - performance.now();
    while (this.#waiting.length > 0 && remainingMs() > 0) {
      const sending = (this.#sending ??= this.#sendBatch());
      await Promise.race([sending, sleep(remainingMs(), undefined, { ref: false })]);
      if (this.#pause > 0) await sleep(Math.max(0, Math.min(this.#pause, remainingMs())));
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
      // The failed batch stays at the head of the queue.
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
