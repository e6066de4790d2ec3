import { overloaded } from '../../platform/errors.js';

/** How many places there are. Times are ms on a clock that does not go back. */
export interface Limit {
  size(now: number): number;
  /** Is told of each place that is given back, how long it was taken. */
  learn?(took: number, now: number): void;
}

/** Of one pool. */
export interface PoolBounds {
  limit: Limit;
  /** How many requests may wait for each place, the least that may wait in all, and for how long each may, in ms. */
  queue: number;
  queueAtLeast?: number;
  patience: number;
  /**
   * Controlled delay: once the queue has not been empty for `after` ms, requests that join it wait for at most `patience` ms. A
   * burst is worked off, while a lasting overload is refused early and what is served is served in time.
   */
  overload?: { after: number; patience: number };
  /** What a request that gets none is told. */
  refusal?: () => Error;
}

/** What is asked for. */
export interface Wanted {
  /** Whose request it is: all of one client's share its part. */
  client: string;
  places: number;
}

/** Kept for as long as a client has or waits for places. */
interface Client {
  held: number;
  wanted: number;
  /** When it was let in last, counted in turns of all; 0: not yet. */
  turn: number;
}

interface Waiter {
  client: Client;
  places: number;
  enter(): void;
  refuse(): void;
}

/**
 * Places for requests that are worked on at the same time, fair among clients: one may take whatever is idle, but where
 * others wait, whoever holds least comes next, and of several the one whose last turn is longest ago. So a burst of one
 * client's is as many requests as fit, one after another, and anybody else waits no longer than for the next place.
 */
export class Places {
  private taken = 0;
  private turns = 0;
  private readonly clients = new Map<string, Client>();
  /** In the order in which they came. */
  private readonly waiting = new Set<Waiter>();
  /** Since when the queue has not been empty. */
  private queuedSince = 0;

  constructor(
    private readonly bounds: PoolBounds,
    private readonly clock = () => performance.now(),
  ) {}

  /** Whether whoever comes now takes somebody's turn, or has none. */
  get isFull(): boolean {
    return this.taken >= this.size && this.waiting.size >= this.mostWaiting;
  }

  private get mostWaiting(): number {
    const { queue, queueAtLeast = 0 } = this.bounds;
    return Math.max(queueAtLeast, queue * this.size);
  }

  private get size(): number {
    return this.bounds.limit.size(this.clock());
  }

  /** How many places this client has. */
  heldBy(client: string): number {
    return this.clients.get(client)?.held ?? 0;
  }

  /**
   * Takes places, at once or as soon as it is this client's turn.
   * @returns what gives them back (once, however often it is called).
   * @throws the pool's refusal, where the queue is full of others or no place came in time.
   */
  async take({ client: name, places }: Wanted): Promise<() => void> {
    const client = this.clients.get(name) ?? { held: 0, wanted: 0, turn: 0 };
    this.clients.set(name, client);
    client.wanted += places;
    try {
      if (this.waiting.size > 0 || !this.hasRoomFor(places)) await this.turnOf(client, places);
      else this.hold(client, places);
    } catch (error) {
      client.wanted -= places;
      this.forget(name, client);
      throw error;
    }
    const since = this.clock();
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.taken -= places;
      client.held -= places;
      this.forget(name, client);
      const now = this.clock();
      this.bounds.limit.learn?.(now - since, now);
      this.admit();
    };
  }

  private turnOf(client: Client, places: number): Promise<void> {
    const { refusal = overloaded } = this.bounds;
    if (this.waiting.size === 0) this.queuedSince = this.clock();
    const patience = this.patience();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        this.waiting.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        client,
        places,
        enter: () => {
          leaveQueue();
          this.hold(client, places);
          resolve();
        },
        refuse: () => {
          leaveQueue();
          reject(refusal());
        },
      };
      const timer = setTimeout(waiter.refuse, patience);
      this.waiting.add(waiter);
      // A limit that grows by itself may have room by now.
      this.admit();
      if (this.waiting.size > this.mostWaiting) this.greediest()?.refuse();
    });
  }

  /** How long a request that joins the queue now may wait, in ms. */
  private patience(): number {
    const { patience, overload } = this.bounds;
    const isOverloaded = overload !== undefined && this.clock() - this.queuedSince > overload.after;
    return isOverloaded ? overload.patience : patience;
  }

  /** What needs more than all there is fits as well, alone. */
  private hasRoomFor(places: number): boolean {
    return this.taken === 0 || this.taken + places <= this.size;
  }

  private hold(client: Client, places: number): void {
    this.taken += places;
    client.wanted -= places;
    client.held += places;
    client.turn = ++this.turns;
  }

  private forget(name: string, { held, wanted }: Client): void {
    if (held === 0 && wanted === 0) this.clients.delete(name);
  }

  /** Nobody overtakes: what needs many places would never find them free at once. */
  private admit(): void {
    for (let next = this.next(); next !== null && this.hasRoomFor(next.places); next = this.next())
      next.enter();
  }

  /** Who comes next. */
  private next(): Waiter | null {
    let next: Waiter | null = null;
    for (const waiter of this.waiting) if (next === null || isBefore(waiter, next)) next = waiter;
    return next;
  }

  /** Of the client that has and wants most, who came last: it makes room in a queue that is full. */
  private greediest(): Waiter | null {
    let greediest: Waiter | null = null;
    for (const waiter of this.waiting) {
      if (greediest === null || inAll(waiter) >= inAll(greediest)) greediest = waiter;
    }
    return greediest;
  }
}

const isBefore = ({ client: one }: Waiter, { client: other }: Waiter): boolean =>
  one.held === other.held ? one.turn < other.turn : one.held < other.held;

const inAll = ({ client: { held, wanted } }: Waiter): number => held + wanted;
