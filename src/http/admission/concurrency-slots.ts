import { overloaded } from '../../platform/errors.js';

/** Determines the number of concurrency slots of a pool. `now` is a time in ms on a monotonic clock. */
export interface SlotLimit {
  size(now: number): number;
  /** Called when concurrency slots are released, with the time in ms for which they were held. */
  observe?(heldMs: number, now: number): void;
}

/** The limit and the queue of a pool of concurrency slots. All times are in ms. */
export interface PoolBounds {
  limit: SlotLimit;
  /** The number of requests that may wait for a slot, as a multiple of the number of slots. */
  queue: number;
  /** The number of requests that may always wait for a slot, however few slots there are. */
  queueAtLeast?: number;
  maxWait: number;
  /** The number of slots that one client may hold, and of its requests that may wait; unlimited by default. */
  perClient?: { slots: number; waiting: number };
  /**
   * The shares of the slots that one request may hold, and that one client may hold while others use the pool; all of
   * them by default. Both keep slots free for the others, because a request that runs cannot be interrupted.
   */
  shares?: { request: number; client: number };
  /**
   * Controlled delay: once the queue has not been empty for `after` ms, a new request waits for at most `maxWait` ms. A
   * burst is still served, while under lasting overload requests are refused early and the others are served in time.
   */
  overload?: { after: number; maxWait: number };
  /** Creates the error for a request that gets no slot; by default, a 503. */
  refusal?: () => Error;
}

interface SlotRequest {
  client: string;
  slots: number;
}

/** The state of a client that holds slots of the pool or waits for some. */
interface Client {
  name: string;
  held: number;
  waiting: number;
  /** The sequence number of the client's latest admission to the pool; 0 if there was none yet. */
  admitted: number;
}

interface Waiter {
  client: Client;
  wanted: number;
  admit(): void;
  refuse(): void;
}

/** For how long, in ms, a client counts as another user of the pool after its latest request. */
const IN_USE_MS = 10_000;

/**
 * A weighted semaphore with a queue that is fair among clients. A client may hold every idle slot while no other client
 * uses the pool. While requests wait, the next one is of the client that holds the fewest slots; among equals, of the
 * client that was admitted the longest ago. A burst of one client is therefore served in sequence, and another client
 * waits only for the next free slot.
 *
 * This is not cockatiel's bulkhead, which has neither keys nor weights and admits requests in order of arrival.
 */
export class ConcurrencySlots {
  private taken = 0;
  private admissions = 0;
  private readonly clients = new Map<string, Client>();
  private readonly queue = new Set<Waiter>();
  private queuedSince = 0;
  /** The client that used the pool last, and the last one before it. */
  private latest = { name: '', at: -Infinity };
  private before = { name: '', at: -Infinity };

  constructor(
    private readonly bounds: PoolBounds,
    private readonly clock = () => performance.now(),
  ) {}

  /** Whether all slots of the pool are taken and its queue is full. */
  get isFull(): boolean {
    return this.taken >= this.size && this.queue.size >= this.maxQueue;
  }

  heldBy(client: string): number {
    return this.clients.get(client)?.held ?? 0;
  }

  /**
   * Acquires concurrency slots, at once or after waiting in the queue. A request for more slots than one request may
   * hold gets as many as it may hold.
   * @returns a function that releases the slots; further calls have no effect.
   * @throws the error of `bounds.refusal` if the queue is full or the wait takes too long.
   */
  async acquire({ client: name, slots: wanted }: SlotRequest): Promise<() => void> {
    const client = this.clients.get(name) ?? { name, held: 0, waiting: 0, admitted: 0 };
    this.clients.set(name, client);
    this.noteUse(name);
    client.waiting += wanted;
    let slots: number;
    try {
      slots =
        this.queue.size > 0 || !this.isFree(wanted) || this.isAtOwnLimit(client, wanted)
          ? await this.wait(client, wanted)
          : this.take(client, wanted);
    } catch (error) {
      client.waiting -= wanted;
      this.forgetIdle(client);
      throw error;
    }
    const since = this.clock();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.taken -= slots;
      client.held -= slots;
      this.forgetIdle(client);
      const now = this.clock();
      this.bounds.limit.observe?.(now - since, now);
      this.admitWaiting();
    };
  }

  private get size(): number {
    return this.bounds.limit.size(this.clock());
  }

  private get maxQueue(): number {
    const { queue, queueAtLeast = 0 } = this.bounds;
    return Math.max(queueAtLeast, queue * this.size);
  }

  private wait(client: Client, wanted: number): Promise<number> {
    const { refusal = overloaded, perClient } = this.bounds;
    if (this.queue.size === 0) this.queuedSince = this.clock();
    const maxWait = this.maxWait();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        this.queue.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        client,
        wanted,
        admit: () => {
          leaveQueue();
          resolve(this.take(client, wanted));
        },
        refuse: () => {
          leaveQueue();
          reject(refusal());
        },
      };
      const timer = setTimeout(waiter.refuse, maxWait);
      this.queue.add(waiter);
      // The number of slots may have grown since the last release, so waiting requests are admitted first.
      this.admitWaiting();
      if (this.queue.has(waiter) && total(client) > mostOf(perClient)) waiter.refuse();
      if (this.queue.size > this.maxQueue) this.greediest()?.refuse();
    });
  }

  private maxWait(): number {
    const { maxWait, overload } = this.bounds;
    const isOverloaded = overload !== undefined && this.clock() - this.queuedSince > overload.after;
    return isOverloaded ? overload.maxWait : maxWait;
  }

  /** The number of slots that a request holds, which follows from the current size of the pool. */
  private grantOf(wanted: number): number {
    const { shares } = this.bounds;
    return shares === undefined ? wanted : Math.min(wanted, portion(this.size, shares.request));
  }

  /** Whether a request can run now. One for more slots than the pool has runs alone. */
  private isFree(wanted: number): boolean {
    return this.taken === 0 || this.taken + this.grantOf(wanted) <= this.size;
  }

  private isAtOwnLimit({ name, held }: Client, wanted: number): boolean {
    const { perClient, shares } = this.bounds;
    if (held >= (perClient?.slots ?? Infinity)) return true;
    if (shares === undefined || held === 0 || !this.hasOtherUsers(name)) return false;
    return held + this.grantOf(wanted) > portion(this.size, shares.client);
  }

  private noteUse(name: string): void {
    if (name !== this.latest.name) this.before = this.latest;
    this.latest = { name, at: this.clock() };
  }

  private hasOtherUsers(name: string): boolean {
    const { at } = name === this.latest.name ? this.before : this.latest;
    return this.clock() - at < IN_USE_MS;
  }

  private take(client: Client, wanted: number): number {
    const slots = this.grantOf(wanted);
    this.taken += slots;
    client.waiting -= wanted;
    client.held += slots;
    client.admitted = ++this.admissions;
    return slots;
  }

  private forgetIdle({ name, held, waiting }: Client): void {
    if (held === 0 && waiting === 0) this.clients.delete(name);
  }

  /**
   * Admits waiting requests while there are enough free slots. Smaller requests do not overtake the next one
   * in the queue, because a large request would otherwise never find enough free slots.
   */
  private admitWaiting(): void {
    let next = this.next();
    for (; next !== null && this.isFree(next.wanted); next = this.next()) next.admit();
    // Requests that wait for other requests of their own client are no sign of overload.
    if (next === null) this.queuedSince = this.clock();
  }

  private next(): Waiter | null {
    let next: Waiter | null = null;
    for (const waiter of this.queue) {
      if (this.isAtOwnLimit(waiter.client, waiter.wanted)) continue;
      if (next === null || isBefore(waiter.client, next.client)) next = waiter;
    }
    return next;
  }

  /**
   * Returns the waiting request to refuse if the queue is full: the latest one of the client with the most
   * slots, held or awaited.
   */
  private greediest(): Waiter | null {
    let greediest: Waiter | null = null;
    for (const waiter of this.queue) {
      if (greediest === null || total(waiter.client) >= total(greediest.client)) greediest = waiter;
    }
    return greediest;
  }
}

const isBefore = (one: Client, other: Client): boolean =>
  one.held === other.held ? one.admitted < other.admitted : one.held < other.held;

/** A share of the slots of a pool: at least one. */
const portion = (size: number, share: number): number => Math.max(1, Math.floor(size * share));

const mostOf = (perClient: PoolBounds['perClient']): number =>
  perClient === undefined ? Infinity : perClient.slots + perClient.waiting;

const total = ({ held, waiting }: Client): number => held + waiting;
