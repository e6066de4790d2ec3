import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { type Checkpoints, makeVisible, readCheckpoints } from '../../engine/change-checkpoints.js';
import { productsAlias } from '../../engine/indices.js';
import { readLease } from '../../engine/lease.js';
import { isPredecessor, REINDEX } from '../../engine/alias-move.js';
import { carriedOver, type ChangePosition, isBehind, isOfCatalogue, startPosition } from './position.js';
import type { ChangePage, ReadOptions } from './change.js';
import { readChanges } from './read-changes.js';
import { storedIndex } from '../../platform/stored.js';

/** How often the checkpoints are read while readers wait for changes, in milliseconds. */
const POLL_MS = 500;

/** Why a position cannot be continued: it is of another catalogue, or the catalogue was restored from a snapshot. */
export class PositionError extends Error {
  override name = 'PositionError';
  constructor(readonly reason: 'foreign' | 'replaced') {
    super(`The position in the change feed is ${reason}.`);
  }
}

/** Checkpoints that searches see, and when they were read, in milliseconds since 1970. */
export interface Visible {
  checkpoints: Checkpoints;
  time: number;
}

/** The concurrency slots for reading pages. */
interface ReadSlots {
  /** Acquires slots. @returns a function that releases them. */
  acquire(wanted: { client: string }): Promise<() => void>;
}

/** The reader for whom a page is read: its name in the queue for slots, and the Elasticsearch client for its searches. */
interface PageReader {
  client: string;
  es: Client;
}

/** The slots of a process with a single reader, which needs no limit. */
const UNLIMITED: ReadSlots = { acquire: () => Promise.resolve(() => undefined) };

/** The change feed of a catalogue. All readers of a process share one, and with it the requests for checkpoints. */
export class ChangeFeed {
  readonly #reading = new Map<string, Promise<ChangePage>>();
  readonly #indices: { products: string; withdrawn: string };
  #running: Promise<Visible> | null = null;
  #next: Promise<Visible> | null = null;
  /** The checkpoints that searches can see, as they were last read, in JSON. */
  #visible = '';
  readonly #waiting = new Set<(visible: Visible | null) => void>();
  #isPolling = false;
  #isStopped = false;

  constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
    private readonly now: () => Date,
    private readonly slots: ReadSlots = UNLIMITED,
  ) {
    this.#indices = {
      products: productsAlias(indexPrefix),
      withdrawn: storedIndex(indexPrefix, 'withdrawn'),
    };
  }

  /** Returns the position before (`isInitial`) or after all changes that have been acknowledged. */
  async start({ isInitial }: { isInitial: boolean }): Promise<ChangePosition> {
    const { checkpoints, time } = await this.#checkpoints();
    return startPosition(checkpoints, { time, isInitial });
  }

  /**
   * Reads a page after a position. Readers with equal positions share the request.
   * @throws PositionError for another or a replaced catalogue.
   * @param visible the result of `untilBehind`, for readers that need not see later changes.
   */
  read(
    position: ChangePosition,
    options: ReadOptions,
    reader: PageReader = { client: '', es: this.es },
    visible: Visible | null = null,
  ): Promise<ChangePage> {
    const { time: _time, ...where } = position;
    const name = JSON.stringify([position.isInitial || position.resync !== null ? position : where, options]);
    const reading = this.#reading.get(name) ?? this.#readPage(position, options, reader, visible);
    this.#reading.set(name, reading);
    const end = () => this.#reading.delete(name);
    reading.then(end, end);
    return reading;
  }

  async #readPage(
    position: ChangePosition,
    options: ReadOptions,
    { client, es }: PageReader,
    visible: Visible | null,
  ): Promise<ChangePage> {
    const release = await this.slots.acquire({ client });
    try {
      const { checkpoints, time: now } = visible ?? (await this.#checkpoints());
      const { index, shards } = checkpoints.products;
      if (!isOfCatalogue(position, this.#indices.products, checkpoints)) throw new PositionError('foreign');
      if (position.index === index) {
        const isAhead = position.shards.some(({ seq }, shard) => seq > (shards[shard] ?? -1));
        if (isAhead || position.shards.length !== shards.length) throw new PositionError('replaced');
        return await readChanges(es, position, { checkpoints, now, options });
      }
      const moves = await readLease(this.es, this.indexPrefix, REINDEX);
      if (!isPredecessor(moves, position.index, index)) throw new PositionError('replaced');
      const carried = carriedOver(position, checkpoints, now);
      const page = await readChanges(es, carried, { checkpoints, now, options });
      return { ...page, resync: true };
    } finally {
      release();
    }
  }

  /**
   * Waits until there may be changes after a position. One request every half a second serves all readers that wait.
   * @param isGone whether the reader no longer waits.
   * @returns what is visible then; null if there were none within `withinMs` milliseconds, or the feed was stopped.
   */
  async untilBehind(
    position: ChangePosition,
    { withinMs, isGone }: { withinMs: number; isGone: () => boolean },
  ): Promise<Visible | null> {
    const deadline = performance.now() + withinMs;
    while (!this.#isStopped && performance.now() < deadline && !isGone()) {
      const visible = await new Promise<Visible | null>((resolve) => {
        this.#waiting.add(resolve);
        void this.#poll();
      });
      if (visible !== null && isBehind(position, visible.checkpoints)) return visible;
    }
    return null;
  }

  /** Ends all waiting, so that the process can end. */
  stop(): void {
    this.#isStopped = true;
    this.#tell(null);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#waiting.size > 0 && !this.#isStopped) {
      await sleep(POLL_MS);
      // While the engine is unavailable, readers wait: the request that follows reports it.
      this.#tell(await this.#checkpoints().catch(() => null));
    }
    this.#isPolling = false;
  }

  #tell(visible: Visible | null): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve(visible);
  }

  /** Reads the checkpoints after this call, and makes them visible. Calls during a reading share the next one. */
  #checkpoints(): Promise<Visible> {
    if (this.#running === null) return this.#read();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#read();
      });
    return this.#next;
  }

  #read(): Promise<Visible> {
    const reading = this.#readVisible().finally(() => {
      if (this.#running === reading) this.#running = null;
    });
    this.#running = reading;
    return reading;
  }

  async #readVisible(): Promise<Visible> {
    const time = this.now().getTime();
    const checkpoints = await readCheckpoints(this.es, this.#indices);
    const text = JSON.stringify(checkpoints);
    if (text !== this.#visible) {
      await makeVisible(this.es, checkpoints);
      this.#visible = text;
    }
    return { checkpoints, time };
  }
}
