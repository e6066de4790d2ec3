// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import { dealOf } from '../../src/listing/deals.js';
import { lowestOf30Days, referencePrice } from '../../src/listing/price-statistics.js';
import { priceHistory } from '../../src/listing/price-history.js';
import { applyRecord } from '../../src/listing/merge.js';
import type { PriceObservation } from '../../src/listing/listing.js';
import { isChaos, oracle } from '../support/chaos.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-06-15T13:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const money = (cents: number): string => (cents / 100).toFixed(2);

type Seen = [hoursAgo: number, cents: number];
const historyOf = (seen: readonly Seen[]): PriceObservation[] =>
  seen.map(([hoursAgo, cents]) => ({ price: money(cents), at: iso(NOW - hoursAgo * HOUR) }));

/**
 * Computes the reference price in cents, hour by hour and without the tested code.
 * @param seen the observed prices, sorted by time.
 */
function bruteForce(seen: readonly Seen[]): number | null {
  const current = seen.at(-1)?.[1];
  let first = seen.length - 1;
  while (first > 0 && seen[first - 1]?.[1] === current) first -= 1;
  const until = seen[first]?.[0] ?? 0;
  if ((seen[0]?.[0] ?? 0) - until < 24) return null;
  const hours: { cents: number; gap: boolean }[] = [];
  for (let ago = until + 90 * 24; ago > until; ago -= 1) {
    const at = seen.findLastIndex(([hoursAgo]) => hoursAgo >= ago);
    const [from, cents] = seen[at] ?? [0, 0];
    if (at >= 0) hours.push({ cents, gap: from - (seen[at + 1]?.[0] ?? 0) > 14 * 24 });
  }
  const known = hours.filter(({ gap }) => !gap);
  const counted = (known.length < 14 * 24 ? hours : known).map(({ cents }) => cents).sort((a, b) => a - b);
  return counted[Math.ceil(counted.length / 2) - 1] ?? null;
}

describe('referencePrice', () => {
  it('equals the median that is counted hour by hour, for random histories with gaps', () => {
    const { random, rounds } = oracle(20_261_123, 1_000);
    const upTo = (n: number) => Math.floor(random() * n);
    const found = { none: 0, gaps: 0, known: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const span = 24 * (5 + upTo(200));
      const times = new Set(Array.from({ length: 1 + upTo(25) }, () => upTo(span)));
      const seen = [...times].sort((a, b) => b - a).map((hoursAgo): Seen => [hoursAgo, 900 + upTo(5) * 99]);
      const expected = bruteForce(seen);
      const reference = referencePrice(historyOf(seen));
      assert.strictEqual(reference, expected === null ? null : expected * 100, JSON.stringify(seen));
      if (expected === null) found.none += 1;
      else if (seen.some(([at], i) => at - (seen[i + 1]?.[0] ?? at) > 14 * 24)) found.gaps += 1;
      else found.known += 1;
    }
    if (isChaos) assert.isAbove(Math.min(...Object.values(found)), 30, JSON.stringify(found));
  });

  const daily = (from: number, to: number, cents: number): Seen[] =>
    Array.from({ length: from - to + 1 }, (_, i) => [24 * (from - i), cents]);

  it('leaves out gaps, as the median of the price history does', () => {
    const seen: Seen[] = [...daily(80, 60, 30_000), [24 * 59, 40_000], [24 * 2, 28_000]];
    assert.strictEqual(referencePrice(historyOf(seen)), 3_000_000, 'a price seen once, then nobody looked');
    const [record] = [{ sku: 'A', source: 'shop', name: 'Kettle', price: '280.00', currency: 'SGD' }];
    const { listing } = applyRecord(
      null,
      { ...record, last_checked: iso(NOW - 2 * DAY), price_history: historyOf(seen) },
      { id: 1, now: new Date(NOW) },
    );
    assert.strictEqual(listing.internal.reference_units, 3_000_000);
    const window = { from: NOW - 92 * DAY, to: NOW - 2 * DAY, interval: 'day' as const };
    assert.strictEqual(priceHistory(listing, window, new Date(NOW)).statistics?.median, '300.00');
  });

  it('ignores a price that a new listing had for some hours', () => {
    const listed: Seen[] = [
      [24 * 9, 199_900],
      [24 * 8 + 1, 9_900],
    ];
    assert.isNull(referencePrice(historyOf(listed)));
    assert.strictEqual(
      referencePrice(
        historyOf([
          [24 * 9, 19_900],
          [24 * 8, 9_900],
        ]),
      ),
      1_990_000,
    );
  });

  it('ignores a price that was raised for some days if the one before was observed rarely', () => {
    const raised: Seen[] = [[24 * 90, 10_000], ...daily(9, 2, 15_000), [24, 10_000]];
    assert.strictEqual(referencePrice(historyOf(raised)), 1_000_000);
  });
});

describe('lowestOf30Days', () => {
  it('ignores a price that was last observed before a gap', () => {
    const price_history = historyOf([
      [24 * 60, 5_000],
      [24 * 8, 9_000],
      [24, 8_000],
    ]);
    const internal = { price_history, observed_at: iso(NOW - DAY) };
    assert.strictEqual(lowestOf30Days({ price: '80.00', internal }, new Date(NOW)), 800_000);
  });
});

describe('the terms of a deal', () => {
  it('follow the declared price for seven days, and the observed one from then on', () => {
    const { listing } = applyRecord(
      null,
      { sku: 'A', source: 'shop', name: 'Kettle', price: '50.00', list_price: '100.00', currency: 'SGD' },
      { id: 1, now: new Date(NOW) },
    );
    const internal = { ...listing.internal, reference_units: 800_000, observed_discount: 375_000_000 };
    const basisAt = (ms: number) => dealOf({ ...listing, internal }, new Date(ms))?.price_basis;
    assert.strictEqual(basisAt(NOW + 7 * DAY - 1), 'declared');
    assert.strictEqual(basisAt(NOW + 7 * DAY), 'observed');
  });
});
