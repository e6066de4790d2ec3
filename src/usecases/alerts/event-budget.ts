import type { KeyRecord } from '../../platform/access/key.js';
import type { Tier } from '../../platform/access/tiers.js';
import { formatInstant } from '../../listing/instant.js';
import { ApiError } from '../../platform/errors.js';
import type { AlertStore } from './store.js';

const MINUTE_MS = 60_000;

/** Counts events by name within a minute, which begins with the first event of the name. Times are in milliseconds since 1970. */
export class MinuteCounts {
  private readonly minutes = new Map<string, { since: number; count: number }>();

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

/** The number of events of a developer that are stored within a minute, by the highest tier of the developer's keys. */
export const EVENTS_PER_MINUTE: Record<Tier, number> = { free: 60, basic: 60, standard: 300, premium: 600 };

/** @throws ApiError 429 if a developer has had all events of the last minute: another condition of an alert may fire at once. */
export async function checkEventsLeft(
  { es, events: index }: Pick<AlertStore, 'es' | 'events'>,
  developer_id: string,
  tier: Tier,
  now: Date,
): Promise<void> {
  const timestamp = { gt: formatInstant(now.getTime() - MINUTE_MS) };
  const filter = [{ term: { developer_id } }, { range: { timestamp } }];
  const { count } = await es.count({ index, ignore_unavailable: true, query: { bool: { filter } } });
  const most = EVENTS_PER_MINUTE[tier];
  if (count < most) return;
  const detail = `The alerts of a developer have at most ${most} events a minute. Retry after 60 seconds.`;
  throw new ApiError(429, detail, { 'Retry-After': '60' });
}

/** Bounds the events of each developer within a minute. What changes beyond is merged into one event of each alert after the minute. */
export class EventBudget {
  private readonly limits = new Map<string, number>();
  private readonly taken = new MinuteCounts();

  /** @param throttled the developers whose alerts have not been checked since their events were used up. */
  constructor(private readonly throttled: Set<string> = new Set()) {}

  /** The developers whose alerts wait for the end of their minute, sorted. */
  get waiting(): string[] {
    return [...this.throttled].sort();
  }

  setKeys(keys: readonly Pick<KeyRecord, 'developerId' | 'tier'>[]): void {
    this.limits.clear();
    for (const { developerId, tier } of keys)
      this.limits.set(developerId, Math.max(EVENTS_PER_MINUTE[tier], this.limits.get(developerId) ?? 0));
  }

  isWaiting(developer: string): boolean {
    return this.throttled.has(developer);
  }

  /** Takes one event of a developer, at a time in milliseconds since 1970. @returns whether it may be stored. */
  take(developer: string, now: number): boolean {
    if (this.taken.countOf(developer, now) >= (this.limits.get(developer) ?? EVENTS_PER_MINUTE.free)) {
      this.throttled.add(developer);
      return false;
    }
    this.taken.add(developer, now);
    return true;
  }

  /** Ends the wait of the developers whose minute is over, and returns them. */
  release(now: number): string[] {
    const due = this.waiting.filter((developer) => this.taken.countOf(developer, now) === 0);
    for (const developer of due) this.throttled.delete(developer);
    return due;
  }
}
