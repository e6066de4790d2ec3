import { GAP_MS } from './history.js';
import { formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';

const DAY_MS = 86_400_000;

/** A history has no more points; days become weeks before there are more. */
export const MAX_POINTS = 1_000;
/** Below so many observed days there is no verdict. */
const MIN_BASIS_DAYS = 14;

export type Interval = 'raw' | 'day' | 'week';
export type Verdict = 'unknown' | 'lowest_ever' | 'low' | 'typical' | 'high' | 'highest_ever';

/** A price at a time: decimal string; ISO 8601, UTC. */
export interface PricePoint {
  at: string;
  price: string;
}

/** What a listing cost between two times, in its currency of today. */
export interface PriceHistory {
  product_id: number;
  currency: string | null;
  from: string;
  to: string;
  /** The one that the points have: days become weeks where there are too many. */
  interval: Interval;
  points: PricePoint[];
  /** null: there never was a price. Of `from` to `to`, but for what is named after now (`lowest_30d`, …) or always. */
  statistics: {
    current: string | null;
    lowest: PricePoint | null;
    highest: PricePoint | null;
    /** Weighted by time, as the median; null: at no time. */
    mean: string | null;
    median: string | null;
    lowest_30d: string | null;
    lowest_90d: string | null;
    lowest_ever: string;
    changes: number;
    last_change_at: string | null;
    /** Whole days since the current price came into force. */
    days_at_current: number | null;
  } | null;
  position: {
    /** Share of the time, in percent, at which it cost less than now. */
    percentile: number | null;
    verdict: Verdict;
    basis_days: number;
  };
  coverage: {
    first_observed_at: string;
    last_checked: string | null;
    /** Those that are kept, in the currency of today. */
    observations: number;
    /** Whole days of which the price is known. */
    days_observed: number;
    gaps: { from: string; to: string }[];
    /** Observations in another currency, which count for nothing else. */
    other_currency: number;
  };
}

/** Which part of a history is wanted, in ms since 1970; `to` is included. */
export interface Window {
  from: number;
  to: number;
  interval: Interval;
}

type Listing = Pick<StoredListing, 'id' | 'price' | 'currency' | 'last_checked'> & {
  internal: Pick<StoredListing['internal'], 'price_history' | 'observed_at' | 'first_observed_at'>;
};

/** A price and when it held: until the next observation. */
interface Hold {
  units: number;
  at: number;
  until: number;
}

/**
 * The history of a listing. A price holds until the next observation in the same currency, the last one until now; more
 * than 14 days without an observation are a gap, which is in no mean, median or percentile.
 */
export function priceHistory(listing: Listing, window: Window, now: Date): PriceHistory {
  const holds = holdsOf(listing, now.getTime());
  const within = holds.flatMap((hold) => clipped(hold, window.from, window.to));
  const known = within.filter(({ whole }) => !isGap(whole));
  const time = timeByPrice(known);
  const observed = [...time.values()].reduce((sum, ms) => sum + ms, 0);
  const { interval, points } = pointsOf(within, window);
  const days = Math.floor(observed / DAY_MS);
  const inWindow = (at: number) => at >= window.from && at <= window.to;
  const others = listing.internal.price_history.filter(
    ({ currency, at }) => currency !== undefined && inWindow(Date.parse(at)),
  );
  return {
    product_id: listing.id,
    currency: listing.currency,
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    interval,
    points,
    statistics: holds.length === 0 ? null : statistics(listing, { holds, within, time, inWindow }, now),
    position: { ...position(listing, holds, time, days), basis_days: days },
    coverage: {
      first_observed_at: listing.internal.first_observed_at,
      last_checked: listing.last_checked,
      observations: holds.filter(({ at }) => inWindow(at)).length,
      days_observed: days,
      gaps: within
        .filter(({ whole, at, until }) => isGap(whole) && until > at)
        .map(({ at, until }) => ({ from: formatInstant(at), to: formatInstant(until) })),
      other_currency: others.length,
    },
  };
}

/** Every price of the currency of today, oldest first. */
function holdsOf({ price, internal }: Listing, now: number): Hold[] {
  const seen = internal.price_history
    .filter(({ currency }) => currency === undefined)
    .map((observation) => ({ units: toUnits(observation.price), at: Date.parse(observation.at) }));
  const observedAt = Date.parse(internal.observed_at);
  // What the listing shows was so when it was observed last, also where the history does not repeat it.
  if (price !== null && observedAt > (seen.at(-1)?.at ?? -Infinity)) {
    seen.push({ units: toUnits(price), at: observedAt });
  }
  const past = seen.filter(({ at }) => at <= now);
  // A listing that has no price any more had its last one until then.
  const end = price === null ? Math.min(now, Math.max(observedAt, past.at(-1)?.at ?? 0)) : now;
  return past.map((one, index) => ({ ...one, until: past[index + 1]?.at ?? end }));
}

const isGap = ({ at, until }: Hold): boolean => until - at > GAP_MS;

/** The part of a hold between two times, and the hold that it is of; none where it lies outside. */
type Part = Hold & { whole: Hold };

function clipped(hold: Hold, from: number, to: number): Part[] {
  const at = Math.max(hold.at, from);
  const until = Math.min(hold.until, to);
  const begins = hold.at >= from && hold.at <= to;
  return at < until || begins ? [{ units: hold.units, at, until: Math.max(at, until), whole: hold }] : [];
}

/** For how many ms each price held, cheapest first. */
function timeByPrice(parts: readonly Part[]): Map<number, number> {
  const time = new Map<number, number>();
  for (const { units, at, until } of parts) time.set(units, (time.get(units) ?? 0) + until - at);
  return new Map([...time].filter(([, ms]) => ms > 0).sort(([a], [b]) => a - b));
}

/** The lowest price at or below which it was for a percentage of the time; null: at no time. */
function quantile(time: ReadonlyMap<number, number>, percent: number): number | null {
  const total = [...time.values()].reduce((sum, ms) => sum + ms, 0);
  let passed = 0;
  for (const [units, ms] of time) {
    passed += ms;
    if (passed * 100 >= total * percent) return units;
  }
  return null;
}

function pointsOf(
  parts: readonly Part[],
  { from, interval }: Pick<Window, 'from' | 'interval'>,
): { interval: Interval; points: PricePoint[] } {
  if (interval === 'raw') {
    const seen = parts.filter(({ whole }) => whole.at >= from);
    return { interval, points: seen.slice(-MAX_POINTS).map(({ at, units }) => toPoint(at, units)) };
  }
  const lowest = new Map<number, number>();
  for (const { units, at, until } of parts) {
    const last = startOf(Math.max(at, until - 1), interval);
    for (
      let bucket = startOf(at, interval);
      bucket <= last;
      bucket += interval === 'day' ? DAY_MS : 7 * DAY_MS
    ) {
      lowest.set(bucket, Math.min(lowest.get(bucket) ?? Infinity, units));
    }
  }
  if (lowest.size > MAX_POINTS && interval === 'day') return pointsOf(parts, { from, interval: 'week' });
  const points = [...lowest].sort(([a], [b]) => a - b).map(([at, units]) => toPoint(at, units));
  return { interval, points: points.slice(-MAX_POINTS) };
}

const toPoint = (at: number, units: number): PricePoint => ({
  at: formatInstant(at),
  price: formatUnits(units),
});

/** The midnight, UTC, with which a day or a week (from Monday on) begins. */
function startOf(at: number, interval: 'day' | 'week'): number {
  const day = Math.floor(at / DAY_MS);
  // The first of January 1970 was a Thursday.
  return (interval === 'day' ? day : day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
}

function statistics(
  { price }: Listing,
  {
    holds,
    within,
    time,
    inWindow,
  }: {
    holds: readonly Hold[];
    within: readonly Part[];
    time: ReadonlyMap<number, number>;
    inWindow: (at: number) => boolean;
  },
  now: Date,
): PriceHistory['statistics'] {
  const moves = holds.filter(({ units }, index) => index > 0 && holds[index - 1]?.units !== units);
  const median = quantile(time, 50);
  const lowestOf = (days: number) =>
    cheapest(holds.flatMap((hold) => clipped(hold, now.getTime() - days * DAY_MS, now.getTime())))?.units;
  const since = moves.at(-1)?.at ?? holds[0]?.at ?? now.getTime();
  return {
    current: price,
    lowest: pointOrNull(cheapest(within)),
    highest: pointOrNull(dearest(within)),
    mean: meanOf(time),
    median: median === null ? null : formatUnits(median),
    lowest_30d: textOrNull(lowestOf(30)),
    lowest_90d: textOrNull(lowestOf(90)),
    lowest_ever: formatUnits(cheapest(holds)?.units ?? 0),
    changes: moves.filter(({ at }) => inWindow(at)).length,
    last_change_at: moves.length === 0 ? null : formatInstant(moves.at(-1)?.at ?? 0),
    days_at_current: price === null ? null : Math.floor((now.getTime() - since) / DAY_MS),
  };
}

const pointOrNull = (part: Hold | null): PricePoint | null =>
  part === null ? null : toPoint(part.at, part.units);
const textOrNull = (units: number | undefined): string | null =>
  units === undefined ? null : formatUnits(units);

/** The first of the lowest. */
const cheapest = <T extends Hold>(holds: readonly T[]): T | null =>
  holds.reduce<T | null>((best, one) => (best === null || one.units < best.units ? one : best), null);
const dearest = <T extends Hold>(holds: readonly T[]): T | null =>
  holds.reduce<T | null>((best, one) => (best === null || one.units > best.units ? one : best), null);

/** Exact, then rounded half up to the decimals that the prices have, two at least. */
function meanOf(time: ReadonlyMap<number, number>): string | null {
  if (time.size === 0) return null;
  let sum = 0n;
  let total = 0n;
  for (const [units, ms] of time) {
    sum += BigInt(units) * BigInt(ms);
    total += BigInt(ms);
  }
  const step =
    [100n, 10n].find((size) => [...time.keys()].every((units) => BigInt(units) % size === 0n)) ?? 1n;
  const divisor = total * step;
  return formatUnits(Number(((2n * sum + divisor) / (2n * divisor)) * step));
}

/** Where the price of now stands among those of the window; lowest and highest are of all times. */
function position(
  { price }: Listing,
  holds: readonly Hold[],
  time: ReadonlyMap<number, number>,
  days: number,
): { percentile: number | null; verdict: Verdict } {
  const median = quantile(time, 50);
  if (price === null || median === null) return { percentile: null, verdict: 'unknown' };
  const current = toUnits(price);
  const total = [...time.values()].reduce((sum, ms) => sum + ms, 0);
  const below = [...time].reduce((sum, [units, ms]) => (units < current ? sum + ms : sum), 0);
  const percentile = Math.round((below / total) * 1_000) / 10;
  if (days < MIN_BASIS_DAYS) return { percentile, verdict: 'unknown' };
  const [low, high] = [quantile(time, 25) ?? 0, quantile(time, 75) ?? 0];
  const verdict = (): Verdict => {
    // A price that it has most of the time is typical, also where it never was lower or higher.
    if (current < median) {
      if (current <= (cheapest(holds)?.units ?? 0)) return 'lowest_ever';
      return current <= low ? 'low' : 'typical';
    }
    if (current > median) {
      if (current >= (dearest(holds)?.units ?? 0)) return 'highest_ever';
      return current >= high ? 'high' : 'typical';
    }
    return 'typical';
  };
  return { percentile, verdict: verdict() };
}
