import { overloaded } from '../../platform/errors.js';
import { type Account, Accounts, LatestUsers } from './accounts.js';

/** Determines the number of concurrency slots of a pool. `now` is a time in ms on a monotonic clock. */
export interface SlotLimit {
  size(now: number): number;
  /** Called when a request releases its `slots` after `tookMs`. `isFull`: another request waits for free slots. */
  observe?(tookMs: number, now: number, slots: number, isFull: boolean): void;
}

/** The limit and the queue of a pool of concurrency slots. All times are in ms. */
export interface PoolBounds {
  limit: SlotLimit;
  /** The number of requests that may wait for a slot, as a multiple of the number of slots. */
  queue: number;
  maxWait: number;
  /**
   * `request`: the share of the slots that one request may hold. `client`: the number of slots that one client may hold while
   * others use the pool; `alone`: its share while it is alone. By default, all slots. The limits keep slots free for others,
   * because a request that runs cannot be interrupted. `member`: the share of its client's slots that a member may hold while
   * other members use them; the only member of a client that is alone has the share `alone`. `short`: up to this number of slots
   * in total, a request is short.
   */
  shares?: { request: number; client: () => number; alone: number; member: number; short?: number };
  /** Controlled delay: once the queue has not been empty for `after` ms, a new request waits for at most `maxWait` ms. */
  overload?: { after: number; maxWait: number };
  /** Creates the error for a request that gets no slot; by default, a 503. */
  refusal?: () => Error;
}

/** Who requests slots. A client's request may request slots several times. */
export interface SlotRequest {
  client: string;
  /** The part of the client that sends the request. Members share a client's slots as clients share those of the pool. */
  member?: string;
  /** How much a client may use relative to others; 1 by default. */
  weight?: number;
  /** The slots that the request has had, set by the pool. If any, it precedes others of its client and is not refused early. */
  had?: number;
  /** Whether the request waits without a time limit, because its response has begun. */
  isPatient?: boolean;
  /** Tells whether the request has ended while it waited for slots, which it then does not get. */
  isOver?(): boolean;
}

/**
 * Releases slots; further calls have no effect.
 * @param spent what was used of what the pool distributes, in slots; by default, the slots that were held.
 * @param tookMs for how long the slots were used, from which the limit learns; by default, as long as they were held. Null if
 * that says nothing about other requests.
 */
export type Release = (spent?: number, tookMs?: number | null) => void;

/** The factor by which a request that has begun may wait longer for further slots than a new request. */
const BEGUN_WAITS = 3;

/** After a long request, its client lets short requests of others pass for this many times the duration of that request. */
const RESTS = 4;

interface Turn {
  request: SlotRequest;
  wanted: number;
  isLong: boolean;
  /** The account of the client, and that of its member if there is one. */
  accounts: readonly [client: Account] | readonly [client: Account, member: Account];
}

interface Waiter extends Turn {
  admit(): void;
  refuse(): void;
}

/**
 * A weighted semaphore with a queue that is fair among clients. The next request is of the client whose account is the
 * smallest, relative to its weight: the slots that it holds, and what its earlier requests have spent, which decays. A burst
 * of one client is therefore served in sequence, and another client waits only for the next free slots.
 *
 * This is not cockatiel's bulkhead, which has neither keys nor weights and admits requests in order of arrival.
 */
export class ConcurrencySlots {
  private taken = 0;
  /** The number of slots that short requests hold. */
  private short = 0;
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

  /** Charges a client, in slots, for what it has spent of the resource that the pool distributes. */
  charge(request: SlotRequest, spent: number): void {
    const now = this.clock();
    for (const account of this.accountsOf(request, now)) account.charge(spent, now);
  }

  heldBy(client: string): number {
    return this.accounts.of(client, this.clock()).held;
  }

  /**
   * Acquires concurrency slots, at once or after waiting in the queue.
   * @param wanted a whole number, so that sums of slots are exact. Above the share of a request, it gets only its share.
   * @throws the error of `bounds.refusal` if the queue is full, the wait takes too long, or the request is over.
   */
  async acquire(request: SlotRequest, wanted = 1): Promise<Release> {
    const now = this.clock();
    const accounts = this.accountsOf(request, now);
    const [client, member] = accounts;
    this.users.note(client.name, now);
    if (member !== undefined) client.members.note(member.name, now);
    const isLong = (request.had ?? 0) + wanted > (this.bounds.shares?.short ?? Infinity);
    const turn = { request, wanted, isLong, accounts };
    const mustWait = this.queue.size > 0 || !this.isFree(wanted) || this.isAtOwnLimit(turn);
    const slots = mustWait ? await this.wait(turn) : this.take(turn);
    const since = this.clock();
    let isReleased = false;
    return (spent = slots, tookMs = this.clock() - since) => {
      if (isReleased) return;
      isReleased = true;
      const isFull = this.next() !== null;
      this.hold(turn, -slots);
      this.charge(request, spent);
      if (isLong) for (const account of accounts) account.restsUntil = this.clock() + RESTS * spent;
      if (tookMs !== null) this.bounds.limit.observe?.(tookMs, this.clock(), wanted, isFull);
      this.admitWaiting();
    };
  }

  private accountsOf({ client, member }: SlotRequest, now: number): Turn['accounts'] {
    const first = this.accounts.of(client, now);
    return member === undefined ? [first] : [first, this.accounts.of(member, now)];
  }

  private get size(): number {
    return this.bounds.limit.size(this.clock());
  }

  private get maxQueue(): number {
    return this.bounds.queue * this.size;
  }

  private wait(turn: Turn): Promise<number> {
    const { refusal = overloaded } = this.bounds;
    // Requests are admitted first, because only then it is known whether those that remain wait for the pool.
    this.admitWaiting();
    const maxWait = this.maxWait(turn.request);
    return new Promise((resolve, reject) => {
      const leaving = (settle: () => void) => () => {
        this.queue.delete(waiter);
        for (const account of turn.accounts) account.waiting -= turn.wanted;
        clearTimeout(timer);
        settle();
      };
      const admit = leaving(() => resolve(this.take(turn)));
      const refuse = leaving(() => reject(refusal()));
      const waiter: Waiter = { ...turn, admit, refuse };
      const timer = turn.request.isPatient === true ? undefined : setTimeout(refuse, maxWait);
      this.queue.add(waiter);
      for (const account of turn.accounts) account.waiting += turn.wanted;
      // The number of slots may have grown since the last release, so waiting requests are admitted first.
      this.admitWaiting();
      this.refuseGreediest();
    });
  }

  private maxWait(request: SlotRequest): number {
    const { maxWait, overload } = this.bounds;
    if (isBegun(request)) return BEGUN_WAITS * maxWait;
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

  private isAtOwnLimit({ accounts, wanted, isLong }: Turn): boolean {
    const { shares } = this.bounds;
    if (shares === undefined) return false;
    const now = this.clock();
    if (isLong && accounts.some(({ short, restsUntil }) => this.short > short && now < restsUntil))
      return true;
    const [client, member] = accounts;
    const isShared = this.users.hasOthers(client.name, now);
    const most = isShared ? shares.client() : portion(this.size, shares.alone);
    // While others use the pool, a request above the share of one request does not run beside others of its client.
    const exceeds = ({ held }: Account, isOneOfMany: boolean, bound: number) =>
      held > 0 && held + (isOneOfMany ? wanted : this.grantOf(wanted)) > bound;
    if (exceeds(client, isShared, most)) return true;
    if (member === undefined) return false;
    const isOneOfMany = client.members.hasOthers(member.name, now);
    const share = isOneOfMany ? shares.member : isShared ? 1 : shares.alone;
    return exceeds(member, isOneOfMany, portion(most, share));
  }

  private take(turn: Turn): number {
    const slots = this.grantOf(turn.wanted);
    turn.request.had = (turn.request.had ?? 0) + slots;
    this.hold(turn, slots);
    return slots;
  }

  private hold({ isLong, accounts }: Turn, slots: number): void {
    this.taken += slots;
    for (const account of accounts) account.held += slots;
    if (isLong) return;
    this.short += slots;
    for (const account of accounts) account.short += slots;
  }

  /** Admits waiting requests in order. Smaller ones do not overtake a large one, which would never find enough free slots. */
  private admitWaiting(): void {
    let next = this.next();
    for (; next !== null && this.isFree(next.wanted); next = this.next()) next.admit();
    // Requests that wait for other requests of their own client are no sign of overload.
    if (next === null) this.queuedSince = this.clock();
  }

  /** The waiting request to admit next; null if every one waits for an earlier request of its own client to end. */
  private next(): Waiter | null {
    // The requests of a client are served in order, so that small requests do not keep a large one waiting forever.
    const firsts = new Map<Account, Waiter>();
    for (const waiter of this.queue) {
      const { request, accounts } = waiter;
      if (request.isOver?.() === true) {
        waiter.refuse();
        continue;
      }
      const own = accounts[1] ?? accounts[0];
      const first = firsts.get(own)?.request;
      if (first === undefined || (isBegun(request) && !isBegun(first))) firsts.set(own, waiter);
    }
    const now = this.clock();
    let next: Waiter | null = null;
    for (const waiter of firsts.values())
      if (!this.isAtOwnLimit(waiter) && (next === null || isBefore(waiter, next, now))) next = waiter;
    return next;
  }

  /** If the queue is full, refuses the latest request of the client with the largest sum of slots held, awaited and spent. */
  private refuseGreediest(): void {
    const refusable = [...this.queue].filter(({ request }) => !isBegun(request));
    if (refusable.length <= this.maxQueue) return;
    const now = this.clock();
    const demandOf = ({ accounts: [client], request: { weight = 1 } }: Waiter) =>
      (client.balance(now) + client.waiting) / weight;
    refusable.reduce((most, one) => (demandOf(one) >= demandOf(most) ? one : most)).refuse();
  }
}

/** Whether a request is served before another one: by the accounts of their clients, then by those of the members. */
function isBefore(one: Waiter, other: Waiter, now: number): boolean {
  const level = one.accounts[0] === other.accounts[0] ? 1 : 0;
  const orderOf = ({ accounts, request: { weight = 1 } }: Waiter) =>
    (accounts[level] ?? accounts[0]).balance(now) / weight;
  return orderOf(one) < orderOf(other);
}

const isBegun = ({ had = 0 }: SlotRequest): boolean => had > 0;

/** A share of the slots of a pool: at least one. */
const portion = (size: number, share: number): number => Math.max(1, Math.floor(size * share));
