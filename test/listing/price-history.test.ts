// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import { GAP_MS } from '../../src/listing/price-observations.js';
import { MAX_POINTS, type HistoryInterval, priceHistory } from '../../src/listing/price-history.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';
import type { FeedRecord } from '../../src/listing/listing.js';
import { isChaos, oracle } from '../support/chaos.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-06-15T13:00:00Z');

/** An observation of a price, a whole number of hours before now. */
interface Seen {
  hoursAgo: number;
  /** The price in cents; null if the listing had no price. */
  cents: number | null;
  currency: string | null;
}

const text = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/**
 * Returns the listing after the observations were loaded in the given order.
 * @param isDated whether the records state their times; otherwise the observations are sightings.
 */
function listingOf(seen: readonly Seen[], isDated = true): StoredListing {
  let listing: StoredListing | null = null;
  for (const { hoursAgo, cents, currency } of seen) {
    const record: FeedRecord = {
      sku: 'A',
      source: 'shop',
      name: 'Kettle',
      currency,
      price: cents === null ? null : text(cents),
      ...(isDated ? { last_checked: iso(NOW - hoursAgo * HOUR) } : {}),
    };
    const observedAt = new Date(NOW - hoursAgo * HOUR);
    ({ listing } = applyRecord(listing, record, { id: 7, now: new Date(NOW), observedAt }));
  }
  if (listing === null) throw new Error('nothing was seen');
  return listing;
}

const historyOf = (
  seen: readonly Seen[],
  { days = 90, interval = 'day' as HistoryInterval, now = NOW, isDated = true } = {},
) => priceHistory(listingOf(seen, isDated), { from: now - days * DAY, to: now, interval }, new Date(now));

/**
 * Computes the expected price history hour by hour: for each hour, it searches all observations for the one
 * that applied. It shares no code with the tested implementation.
 */
function bruteForce(all: readonly Seen[], fromHoursAgo: number, toHoursAgo: number) {
  const newest = all.reduce((a, b) => (b.hoursAgo < a.hoursAgo ? b : a));
  const own = all
    .filter(({ cents, currency }) => cents !== null && currency === newest.currency)
    .map(({ hoursAgo, cents }) => ({ hoursAgo, cents: cents ?? 0 }))
    .sort((a, b) => b.hoursAgo - a.hoursAgo);
  const end = newest.cents === null ? newest.hoursAgo : 0;
  /**
   * Returns the price that applied in the hour that begins a number of hours ago, and whether that hour is
   * part of a gap.
   */
  const inForce = (hoursAgo: number): { cents: number; gap: boolean } | null => {
    if (hoursAgo <= end) return null;
    const before = own.filter((one) => one.hoursAgo >= hoursAgo);
    const last = before[before.length - 1];
    if (last === undefined) return null;
    const next = own.find((one) => one.hoursAgo < hoursAgo)?.hoursAgo ?? end;
    return { cents: last.cents, gap: last.hoursAgo - next > GAP_MS / HOUR };
  };
  const hours: { hoursAgo: number; cents: number; gap: boolean }[] = [];
  for (let hoursAgo = fromHoursAgo; hoursAgo > toHoursAgo; hoursAgo -= 1) {
    const found = inForce(hoursAgo);
    if (found !== null) hours.push({ hoursAgo, ...found });
  }
  const known = hours.filter(({ gap }) => !gap).map(({ cents }) => cents);
  const sorted = [...known].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  const inWindow = own.filter(({ hoursAgo }) => hoursAgo <= fromHoursAgo && hoursAgo >= toHoursAgo);
  const prices = [...known, ...inWindow.map(({ cents }) => cents)];
  const least = (hoursBack: number) => {
    const values: number[] = own.filter(({ hoursAgo }) => hoursAgo <= hoursBack).map(({ cents }) => cents);
    for (let hoursAgo = hoursBack; hoursAgo > 0; hoursAgo -= 1) {
      const found = inForce(hoursAgo);
      if (found !== null && !found.gap) values.push(found.cents);
    }
    return Math.min(...values);
  };
  const days = new Map<string, number>();
  const take = (hoursAgo: number, cents: number) => {
    const day = iso(NOW - hoursAgo * HOUR).slice(0, 10);
    days.set(day, Math.min(days.get(day) ?? Infinity, cents));
  };
  for (const { hoursAgo, cents } of [...hours, ...inWindow]) take(hoursAgo, cents);
  const moves = own.filter((one, i) => i > 0 && own[i - 1]?.cents !== one.cents);
  return {
    own,
    least,
    days,
    moves,
    percentile: (cents: number) => (100 * known.filter((one) => one < cents).length) / known.length,
    hoursKnown: known.length,
    mean: known.reduce((sum, cents) => sum + cents, 0) / known.length,
    quartiles: [at(0.25), at(0.5), at(0.75)],
    lowest: Math.min(...prices),
    highest: Math.max(...prices),
    inWindow: inWindow.length,
    gapHours: hours.filter(({ gap }) => gap).length,
    current: newest.cents,
    currency: newest.currency,
  };
}

const money = (cents: number | undefined): string | null =>
  cents === undefined || !Number.isFinite(cents) ? null : text(cents);

describe('priceHistory', () => {
  it('has the statistics that are counted hour by hour, for random histories', function () {
    const { random, rounds } = oracle(20_261_122, 1_000);
    const upTo = (n: number) => Math.floor(random() * n);
    let gaps = 0;
    let verdicts = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const currencies = random() < 0.6 ? ['SGD'] : ['SGD', 'USD', null];
      const span = 24 * (5 + upTo(200));
      const times = new Set(Array.from({ length: 1 + upTo(25) }, () => 1 + upTo(span)));
      const base = 500 + upTo(20_000);
      // The prices are either few ones that recur, or all different and loaded out of order. If recurring
      // prices were loaded out of order, a late observation in a run that was already thinned out could not
      // be distinguished.
      const few = round % 2 === 0;
      // Feeds without times must have the same statistics, although their histories have fewer observations.
      const isDated = round % 4 !== 0;
      const seen = [...times].map((hoursAgo, i): Seen & { turn: number } => ({
        hoursAgo,
        turn: few ? -hoursAgo : random(),
        currency: currencies[upTo(currencies.length)] ?? null,
        cents: isDated && random() < 0.05 ? null : base + (few ? upTo(5) : i) * 99,
      }));
      seen.sort((a, b) => a.turn - b.turn);
      const days = 1 + upTo(180);
      const history = historyOf(seen, { days, isDated });
      const expected = bruteForce(seen, days * 24, 0);
      const message = `round ${round}: ${JSON.stringify({ days, seen })}`;
      const { statistics, position, coverage, points } = history;

      assert.strictEqual(history.currency, expected.currency, message);
      if (few) assert.isAtMost(coverage.observations, expected.inWindow, message);
      else assert.strictEqual(coverage.observations, expected.inWindow, message);
      assert.strictEqual(coverage.days_observed, Math.floor(expected.hoursKnown / 24), message);
      const gapMs = coverage.gaps.reduce((sum, gap) => sum + Date.parse(gap.to) - Date.parse(gap.from), 0);
      assert.strictEqual(gapMs / HOUR, expected.gapHours, message);
      gaps += coverage.gaps.length;
      if (expected.own.length === 0) {
        assert.isNull(statistics, message);
        assert.deepEqual(points, [], message);
        continue;
      }
      if (statistics === null) assert.fail(message);
      const [q1, median, q3] = expected.quartiles;
      assert.deepEqual(
        {
          current: statistics.current,
          median: statistics.median,
          changes: statistics.changes,
          lowest: statistics.lowest?.price ?? null,
          highest: statistics.highest?.price ?? null,
          d30: statistics.lowest_30d,
          d90: statistics.lowest_90d,
          ever: statistics.lowest_ever,
          last_change_at: statistics.last_change_at,
        },
        {
          current: money(expected.current ?? undefined),
          median: money(median),
          changes: expected.moves.filter(({ hoursAgo }) => hoursAgo <= days * 24).length,
          lowest: money(expected.lowest),
          highest: money(expected.highest),
          d30: money(expected.least(30 * 24)),
          d90: money(expected.least(90 * 24)),
          ever: money(Math.min(...expected.own.map(({ cents }) => cents))),
          last_change_at:
            expected.moves.length === 0 ? null : iso(NOW - (expected.moves.at(-1)?.hoursAgo ?? 0) * HOUR),
        },
        message,
      );
      if (expected.hoursKnown === 0) assert.isNull(statistics.mean, message);
      else assert.closeTo(Number(statistics.mean) * 100, expected.mean, 0.5001, message);
      assert.deepEqual(
        points.map(({ at, price }) => [at.slice(0, 10), price]),
        [...expected.days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, cents]) => [day, text(cents)]),
        message,
      );

      const { current } = expected;
      verdicts = verdicts.add(position.verdict);
      if (current === null || expected.hoursKnown === 0) {
        assert.deepInclude(position, { percentile: null, verdict: 'unknown' }, message);
        continue;
      }
      assert.closeTo(position.percentile ?? NaN, expected.percentile(current), 0.0501, message);
      const all = expected.own.map(({ cents }) => cents);
      const usual = median ?? 0;
      const verdict = () => {
        if (expected.hoursKnown < 14 * 24) return 'unknown';
        if (current <= Math.min(...all) && current < Math.max(...all)) return 'lowest_ever';
        if (current > usual && current >= Math.max(...all)) return 'highest_ever';
        if (current < usual && current <= (q1 ?? 0)) return 'low';
        if (current > usual && current >= (q3 ?? 0)) return 'high';
        return 'typical';
      };
      assert.strictEqual(position.verdict, verdict(), message);
    }
    if (!isChaos) return;
    assert.isAbove(gaps, 100);
    assert.sameMembers([...verdicts], ['unknown', 'lowest_ever', 'low', 'typical', 'high', 'highest_ever']);
  });

  it('ignores a price from before a gap in the lowest prices of 30 and 90 days', () => {
    const seen: Seen[] = [
      { hoursAgo: 24 * 60, cents: 500, currency: 'SGD' },
      ...Array.from({ length: 10 }, (_, i) => ({ hoursAgo: 24 * (9 - i), cents: 900, currency: 'SGD' })),
    ];
    const { statistics, coverage, points } = historyOf(seen);
    assert.include(statistics, { lowest_30d: '9.00', lowest_90d: '5.00', lowest_ever: '5.00' });
    assert.lengthOf(coverage.gaps, 1);
    assert.lengthOf(points, 61, 'days of a gap have the last known price');
    const unseen = historyOf([{ hoursAgo: 24 * 40, cents: 500, currency: 'SGD' }]);
    assert.include(unseen.statistics, { lowest_30d: null, lowest_90d: '5.00' });
  });

  it('treats a gap alike in the lowest and highest prices of all periods', () => {
    const weeks = (first: number, ...prices: number[]): Seen[] =>
      prices.map((cents, i) => ({ hoursAgo: 24 * (first - 7 * i), cents, currency: 'SGD' }));
    // Each history begins with a price that was last observed long before the period of 30 days.
    const cases: [seen: Seen[], lowest: string | null, highest: string | null][] = [
      [[...weeks(80, 5_500, 5_500), ...weeks(22, 10_000, 10_000, 10_000, 10_000)], '100.00', '100.00'],
      [[...weeks(70, 14_900), ...weeks(15, 8_000, 9_000, 9_500)], '80.00', '95.00'],
      // The price was last seen within the period, and the gap begins there.
      [[...weeks(36, 4_200, 4_200), ...weeks(8, 6_000, 6_000)], '42.00', '60.00'],
      [weeks(200, 7_700), null, null],
    ];
    for (const [seen, lowest, highest] of cases)
      for (const isDated of [true, false]) {
        const { statistics } = historyOf(seen, { days: 30, isDated });
        assert.strictEqual(statistics?.lowest?.price ?? null, lowest);
        assert.strictEqual(statistics?.lowest_30d, lowest);
        assert.strictEqual(statistics?.highest?.price ?? null, highest);
      }
  });

  const daily = (...prices: number[]): Seen[] =>
    prices.map((cents, i) => ({ hoursAgo: 24 * (prices.length - 1 - i), cents, currency: 'SGD' }));

  it('takes the lowest price of each week, which begins on Monday', () => {
    const seen = daily(...Array.from({ length: 30 }, (_, i) => 1_000 + i));
    const { points, interval } = historyOf(seen, { interval: 'week' });
    assert.strictEqual(interval, 'week');
    assert.deepEqual(
      points.map(({ at }) => new Date(at).getUTCDay()),
      points.map(() => 1),
    );
    assert.deepEqual(points.at(-1), { at: '2026-06-15T00:00:00Z', price: '10.28' });
    assert.deepEqual(points.at(-2), { at: '2026-06-08T00:00:00Z', price: '10.21' });
  });

  it('returns single observations for the interval `raw`', () => {
    const { points } = historyOf(daily(100, 100, 120), { interval: 'raw', days: 1 });
    assert.deepEqual(points, [
      { at: '2026-06-14T13:00:00Z', price: '1.00' },
      { at: '2026-06-15T13:00:00Z', price: '1.20' },
    ]);
  });

  it('combines days into weeks if there would be too many points', () => {
    const seen = [{ hoursAgo: 24 * 3_000, cents: 900, currency: 'SGD' }];
    const long = historyOf(seen, { days: 3_000 });
    assert.strictEqual(long.interval, 'week');
    assert.isAtMost(long.points.length, MAX_POINTS);
    assert.strictEqual(historyOf(seen, { days: 900 }).interval, 'day');
  });

  it('rates a price as typical if it never changed or is the most frequent one, but not the lowest', () => {
    assert.strictEqual(historyOf(daily(...Array<number>(40).fill(900))).position.verdict, 'typical');
    const prices = Array.from({ length: 40 }, (_, i) => (i === 20 ? 1_200 : i === 5 ? 800 : 900));
    assert.deepInclude(historyOf(daily(...prices)).position, { percentile: 2.6, verdict: 'typical' });
  });

  it('rates the lowest price of all time as `lowest_ever`, also at the median, if it ever changed', () => {
    const days = (count: number, cents: number) => Array<number>(count).fill(cents);
    const histories = [
      [...days(20, 12_090), ...days(30, 9_690)],
      [...days(30, 9_690), 12_090, ...days(30, 9_690)],
      // The higher price is older than the requested period of 90 days.
      [...days(5, 12_090), ...days(120, 9_690)],
      [...days(30, 12_090), ...days(3, 9_690)],
    ];
    for (const prices of histories)
      assert.strictEqual(historyOf(daily(...prices)).position.verdict, 'lowest_ever', prices.join());
    assert.strictEqual(historyOf(daily(...days(5, 12_090), 9_690)).position.verdict, 'unknown');
    assert.strictEqual(historyOf(daily(...days(30, 9_690), 12_090)).position.verdict, 'highest_ever');
    assert.strictEqual(historyOf(daily(9_690, ...days(30, 12_090))).position.verdict, 'typical');
  });

  it('has the price that is in force if the period is a single moment between observations', () => {
    const listing = listingOf([
      { hoursAgo: 48, cents: 10_000, currency: 'SGD' },
      { hoursAgo: 12, cents: 9_000, currency: 'SGD' },
    ]);
    const at = (hoursAgo: number) => {
      const moment = NOW - hoursAgo * HOUR;
      const window = { from: moment, to: moment, interval: 'day' as const };
      return priceHistory(listing, window, new Date(NOW)).points.map(({ price }) => price);
    };
    assert.deepEqual([49, 24, 12, 6].map(at), [[], ['100.00'], ['90.00'], ['90.00']]);
  });

  it('has no mean of a single moment, and as many decimals as the prices', () => {
    assert.isNull(historyOf(daily(500)).statistics?.mean);
    const { listing } = applyRecord(
      null,
      {
        sku: 'K',
        source: 'shop',
        name: 'K',
        price: '0.100',
        currency: 'KWD',
        last_checked: iso(NOW - DAY),
        price_history: [{ price: '0.125', at: iso(NOW - 3 * DAY) }],
      },
      { id: 1, now: new Date(NOW) },
    );
    const window = { from: NOW - 90 * DAY, to: NOW, interval: 'day' as const };
    const { statistics } = priceHistory(listing, window, new Date(NOW));
    assert.strictEqual(statistics?.mean, '0.117');
    assert.strictEqual(statistics?.lowest?.at, iso(NOW - DAY));
    assert.strictEqual(statistics?.days_at_current, 1);
  });

  it('extends an observation by the sightings of a feed without times, until a gap of more than 14 days', () => {
    const at = (hoursAgo: number, cents: number | null = 900): Seen => ({ hoursAgo, cents, currency: 'SGD' });
    const daily = Array.from({ length: 40 }, (_, i) => at(24 * (80 - i)));
    const listing = listingOf([...daily, at(24), at(0)], false);
    assert.deepEqual(listing.internal.price_history, [
      { price: '9.00', at: iso(NOW - 80 * DAY), seen_until: iso(NOW - 41 * DAY) },
      { price: '9.00', at: iso(NOW - DAY), seen_until: iso(NOW) },
    ]);
    const window = { from: NOW - 90 * DAY, to: NOW, interval: 'raw' as const };
    const { coverage, points, position } = priceHistory(listing, window, new Date(NOW));
    assert.deepInclude(coverage, {
      observations: 2,
      days_observed: 40,
      gaps: [{ from: iso(NOW - 41 * DAY), to: iso(NOW - DAY) }],
    });
    assert.lengthOf(points, 2);
    assert.strictEqual(position.verdict, 'typical');
  });

  it('separates sightings of a price between which another price was observed', () => {
    const record = (price: string, hoursAgo: number, isDated = false) =>
      [
        {
          sku: 'A',
          source: 'shop',
          name: 'Kettle',
          price,
          ...(isDated ? { last_checked: iso(NOW - hoursAgo * HOUR) } : {}),
        },
        { id: 7, now: new Date(NOW), observedAt: new Date(NOW - hoursAgo * HOUR) },
      ] as const;
    let { listing } = applyRecord(null, ...record('9.00', 100));
    for (const next of [record('9.00', 10), record('8.00', 50, true)])
      ({ listing } = applyRecord(listing, ...next));
    assert.deepEqual(listing.internal.price_history, [
      { price: '9.00', at: iso(NOW - 100 * HOUR), seen_until: iso(NOW - 50 * HOUR) },
      { price: '8.00', at: iso(NOW - 50 * HOUR) },
      { price: '9.00', at: iso(NOW - 10 * HOUR) },
    ]);
    ({ listing } = applyRecord(listing, ...record('9.00', 70)));
    assert.lengthOf(listing.internal.price_history, 3);
  });

  it('ends when a feed without times first contained the listing without a price', () => {
    const seen: Seen[] = [72, 48, 24, 0].map((hoursAgo, i) => ({
      hoursAgo,
      cents: i < 2 ? 900 : null,
      currency: 'SGD',
    }));
    const { statistics, coverage } = historyOf(seen, { isDated: false });
    assert.deepInclude(statistics, { current: null, median: '9.00' });
    assert.strictEqual(coverage.days_observed, 2);
  });

  it('ends when the listing has no price any more', () => {
    const seen: Seen[] = [...daily(900, 800), { hoursAgo: 0, cents: null, currency: 'SGD' }].map(
      (one, i) => ({ ...one, hoursAgo: [72, 48, 24][i] ?? 0 }),
    );
    const { statistics, points, position, coverage } = historyOf(seen);
    assert.deepInclude(statistics, { current: null, days_at_current: null, median: '8.00' });
    assert.strictEqual(coverage.days_observed, 2);
    assert.strictEqual(points.at(-1)?.at, '2026-06-14T00:00:00Z');
    assert.strictEqual(position.verdict, 'unknown');
  });
});
