const MINUTE_MS = 60_000;

/** Counts events by name within a minute, which begins with the first event of the name. Times are in milliseconds since 1970. */
export class MinuteCounts {
  private readonly minutes = new Map<string, { since: number; count: number }>();

  /** The number of events of a name within its current minute. */
  countOf(name: string, now: number): number {
    const minute = this.minutes.get(name);
    if (minute !== undefined && now - minute.since < MINUTE_MS) return minute.count;
    this.minutes.delete(name);
    return 0;
  }

  add(name: string, now: number): void {
    const count = this.countOf(name, now) + 1;
    this.minutes.set(name, { since: this.minutes.get(name)?.since ?? now, count });
  }

  /** The names with at least this number of events within their current minute. */
  namesWith(least: number, now: number): string[] {
    return [...this.minutes.keys()].filter((name) => this.countOf(name, now) >= least);
  }
}
