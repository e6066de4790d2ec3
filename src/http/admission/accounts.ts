/** The account of a client of a pool, or of a member of a client. */
export interface Account {
  name: string;
  /** The concurrency slots that its requests hold, and those that they wait for. */
  held: number;
  waiting: number;
  /** What its released requests had spent at the time `at`, in slots. */
  spent: number;
  at: number;
  members: LatestUsers;
}

/** The time in ms after which half of what a client has spent no longer counts. */
const HALF_LIFE_MS = 10_000;

/** For how long, in ms, a client counts as another user of the pool after its latest request. */
const IN_USE_MS = 10_000;

/** The number of accounts from which on those are removed that have become idle. */
const MANY = 1_000;

const spentBy = ({ spent, at }: Account, now: number): number =>
  spent === 0 ? 0 : spent * 2 ** ((at - now) / HALF_LIFE_MS);

/** What an account holds and has spent, in slots. */
export const balanceOf = (account: Account, now: number): number => account.held + spentBy(account, now);

export function charge(account: Account, slots: number, now: number): void {
  account.spent = spentBy(account, now) + slots;
  account.at = now;
}

/** The accounts of a pool. */
export class Accounts {
  private readonly byName = new Map<string, Account>();
  private sweepAt = MANY;

  find(name: string): Account | undefined {
    return this.byName.get(name);
  }

  of(name: string, now: number): Account {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const account = { name, held: 0, waiting: 0, spent: 0, at: now, members: new LatestUsers() };
    this.byName.set(name, account);
    return account;
  }

  /** If there are many accounts, forgets those that hold and await nothing, and of whose spending nothing is left. */
  sweep(now: number): void {
    if (this.byName.size < this.sweepAt) return;
    for (const account of this.byName.values())
      if (account.waiting === 0 && balanceOf(account, now) < 1) this.byName.delete(account.name);
    this.sweepAt = Math.max(MANY, 2 * this.byName.size);
  }
}

/** The two latest users, which tell whether a user is alone. */
export class LatestUsers {
  private latest = { name: '', at: -Infinity };
  private before = { name: '', at: -Infinity };

  note(name: string, at: number): void {
    if (name !== this.latest.name) this.before = this.latest;
    this.latest = { name, at };
  }

  hasOthers(name: string, now: number): boolean {
    const { at } = name === this.latest.name ? this.before : this.latest;
    return now - at < IN_USE_MS;
  }
}
