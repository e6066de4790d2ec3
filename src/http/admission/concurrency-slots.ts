import { overloaded } from '../../platform/errors.js';
import { type Account, Accounts, balanceOf, charge, LatestUsers } from './accounts.js';

/** Determines the number of concurrency slots of a pool. `now` is a time in ms on a monotonic clock. */
export interface SlotLimit {
  size(now: number): number;
  /** Called when a request for a number of slots releases them, with the time in ms for which they were held. */
  observe?(heldMs: number, now: number, slots: number): void;
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
   * them by default. Both keep slots free for the others, because a request that runs cannot be interrupted. A member of
   * a client may hold the same share of what its client may hold.
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

/** A request for concurrency slots. */
export interface SlotRequest {
  client: string;
  /** The part of the client that the request is of. Members of a client share its slots as clients share those of the pool. */
  member?: string;
  /** How much a client may use relative to others; 1 by default. */
  weight?: number;
  slots: number;
  /** Whether the request waits as long as necessary, because its response has begun. */
  isPatient?: boolean;
}

/**
 * Releases the slots of a request; further calls have no effect.
 * @param spent what the request has used of what the pool distributes, in slots; nothing by default.
 */
export type Release = (spent?: number) => void;

interface Waiter {
  client: Account;
  member: Account;
  weight: number;
  wanted: number;
  isPatient: boolean;
  admit(): void;
  refuse(): void;
}

/**
 * A weighted semaphore with a queue that is fair among clients. The next request is of the client whose account is the
 * smallest, relative to its weight: the slots that it holds, and what its earlier requests have spent, which decays.
 * Among equals, it is of the client that was admitted the longest ago. A burst of one client is therefore served in
 * sequence, and another client waits only for the next free slots. A client may hold every idle slot while no other
 * client uses the pool.
 *
 * This is not cockatiel's bulkhead, which has neither keys nor weights and admits requests in order of arrival.
 */
export class ConcurrencySlots {
  private taken = 0;
  private admissions = 0;
  private readonly accounts = new Accounts();
  private readonly users = new LatestUsers();
  private readonly queue = new Set<Waiter>();
  private queuedSince = 0;

  constructor(
    private readonly bounds: PoolBounds,
    private readonly clock = () => performance.now(),
  ) {}

  /** Whether all slots of the pool are taken and its queue is full. */
  get isFull(): boolean {
    return this.taken >= this.size && this.queue.size >= this.maxQueue;
  }

  heldBy(client: string): number {
    return this.accounts.find(client)?.held ?? 0;
  }

  /**
   * Acquires concurrency slots, at once or after waiting in the queue. A request for more slots than one request may
   * hold gets as many as it may hold.
   * @throws the error of `bounds.refusal` if the queue is full or the wait takes too long.
   */
  async acquire(request: SlotRequest): Promise<Release> {
    const { slots: wanted, weight = 1, isPatient = false } = request;
    const now = this.clock();
    const client = this.accounts.of(request.client, now);
    const member = request.member === undefined ? client : this.accounts.of(request.member, now);
    this.users.note(client.name, now);
    client.members.note(member.name, now);
    const both = new Set([client, member]);
    for (const account of both) account.waiting += wanted;
    let slots: number;
    try {
      const turn = { client, member, weight, wanted, isPatient };
      slots =
        this.queue.size > 0 || !this.isFree(wanted) || this.isAtOwnLimit(turn)
          ? await this.wait(turn)
          : this.take(turn);
    } catch (error) {
      for (const account of both) {
        account.waiting -= wanted;
        this.accounts.forgetIdle(account, this.clock());
      }
      throw error;
    }
    const since = this.clock();
    let isReleased = false;
    return (spent = 0) => {
      if (isReleased) return;
      isReleased = true;
      const end = this.clock();
      this.taken -= slots;
      for (const account of both) {
        account.held -= slots;
        charge(account, spent, end);
        this.accounts.forgetIdle(account, end);
      }
      this.bounds.limit.observe?.(end - since, end, wanted);
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

  private wait(turn: Omit<Waiter, 'admit' | 'refuse'>): Promise<number> {
    const { refusal = overloaded, perClient } = this.bounds;
    if (this.queue.size === 0) this.queuedSince = this.clock();
    const maxWait = this.maxWait();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        this.queue.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        ...turn,
        admit: () => {
          leaveQueue();
          resolve(this.take(turn));
        },
        refuse: () => {
          leaveQueue();
          reject(refusal());
        },
      };
      const timer = turn.isPatient ? undefined : setTimeout(waiter.refuse, maxWait);
      this.queue.add(waiter);
      // The number of slots may have grown since the last release, so waiting requests are admitted first.
      this.admitWaiting();
      if (this.queue.has(waiter) && total(turn.client) > mostOf(perClient)) waiter.refuse();
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

  private isAtOwnLimit({ client, member, wanted }: Pick<Waiter, 'client' | 'member' | 'wanted'>): boolean {
    const { perClient, shares } = this.bounds;
    if (client.held >= (perClient?.slots ?? Infinity)) return true;
    if (shares === undefined) return false;
    const now = this.clock();
    const slots = this.grantOf(wanted);
    const exceeds = ({ name, held }: Account, users: LatestUsers, share: number) =>
      held > 0 && held + slots > portion(this.size, share) && users.hasOthers(name, now);
    return exceeds(client, this.users, shares.client) || exceeds(member, client.members, shares.client ** 2);
  }

  private take({ client, member, wanted }: Pick<Waiter, 'client' | 'member' | 'wanted'>): number {
    const slots = this.grantOf(wanted);
    this.taken += slots;
    this.admissions += 1;
    for (const account of new Set([client, member])) {
      account.waiting -= wanted;
      account.held += slots;
      account.admitted = this.admissions;
    }
    return slots;
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
    const now = this.clock();
    let next: Waiter | null = null;
    for (const waiter of this.queue) {
      if (this.isAtOwnLimit(waiter)) continue;
      if (next === null || isBefore(waiter, next, now)) next = waiter;
    }
    return next;
  }

  /**
   * Returns the waiting request to refuse if the queue is full: the latest one of the client that has, awaits and has spent
   * the most.
   */
  private greediest(): Waiter | null {
    const now = this.clock();
    let greediest: Waiter | null = null;
    for (const waiter of this.queue) {
      if (waiter.isPatient) continue;
      if (greediest === null || demandOf(waiter, now) >= demandOf(greediest, now)) greediest = waiter;
    }
    return greediest;
  }
}

/** Whether a request is served before another one: by the accounts of their clients, then by those of the members. */
function isBefore(one: Waiter, other: Waiter, now: number): boolean {
  const [a, b] = one.client === other.client ? [one.member, other.member] : [one.client, other.client];
  const difference = balanceOf(a, now) / one.weight - balanceOf(b, now) / other.weight;
  return difference === 0 ? a.admitted < b.admitted : difference < 0;
}

/** What a client holds, awaits and has spent, relative to its weight. */
const demandOf = ({ client, weight }: Waiter, now: number): number =>
  (balanceOf(client, now) + client.waiting) / weight;

/** A share of the slots of a pool: at least one. */
const portion = (size: number, share: number): number => Math.max(1, Math.floor(size * share));

const mostOf = (perClient: PoolBounds['perClient']): number =>
  perClient === undefined ? Infinity : perClient.slots + perClient.waiting;

const total = ({ held, waiting }: Account): number => held + waiting;
