/** The time in ms after which half of what a client has spent no longer counts. */
const HALF_LIFE_MS = 10_000;

/** For how long, in ms, a client counts as another user of the pool after its latest request. */
const IN_USE_MS = 3_000;

/** From this number of accounts on, the idle ones are removed. */
const MANY = 1_000;

/** The account of a client of a pool, or of a member of a client. All amounts are in slots. */
export class Account {
  /** The slots that requests of the client hold, those that its short requests hold, and those that its requests wait for. */
  held = 0;
  short = 0;
  waiting = 0;
  /** Until this time in ms, long requests of the client wait, so that short ones of other clients are served first. */
  restsUntil = 0;
  readonly members = new LatestUsers();
  private spent = 0;
  private spentAt = 0;

  constructor(readonly name: string) {}

  charge(amount: number, now: number): void {
    this.spent = this.spentUntil(now) + amount;
    this.spentAt = now;
  }

  /** The slots that the client holds, plus what its earlier requests have spent, which decays over time. */
  balance(now: number): number {
    return this.held + this.spentUntil(now);
  }

  private spentUntil(now: number): number {
    return this.spent === 0 ? 0 : this.spent * 2 ** ((this.spentAt - now) / HALF_LIFE_MS);
  }
}

/** The accounts of a pool. */
export class Accounts {
  private readonly byName = new Map<string, Account>();
  private sweepAt = MANY;

  /** Returns an account, which is created if it is new. If there are many, those that have become idle are forgotten. */
  of(name: string, now: number): Account {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.byName.size >= this.sweepAt) {
      for (const account of this.byName.values())
        if (account.waiting === 0 && account.balance(now) < 1) this.byName.delete(account.name);
      this.sweepAt = Math.max(MANY, 2 * this.byName.size);
    }
    const account = new Account(name);
    this.byName.set(name, account);
    return account;
  }
}

/** The two latest users of a pool. If only one of them is recent, that user is alone. */
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
