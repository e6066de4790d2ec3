// Chaos too (oracles): npm test runs some of the rounds.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import {
  type AlertRule,
  checkAlert,
  firstMemory,
  observeOffers,
  type WatchedOffer,
} from '../../src/listing/alerts.js';
import type { AlertCondition } from '../../src/schemas/alerts.js';
import { DAY_MS } from '../../src/listing/instant.js';
import { toUnits } from '../../src/listing/price.js';
import { mergeObservations } from '../../src/listing/price-observations.js';
import { isChaos, oracle } from '../support/chaos.js';

/** A price and an availability of a listing at a time; null: no price. */
interface Point {
  at: number;
  price: string | null;
  inStock: boolean;
}

const START = Date.UTC(2026, 0, 1);
const WINDOWS = { '30d': 30 * DAY_MS, '90d': 90 * DAY_MS, ever: Infinity };

/** The listing at one of its points, with its history up to then. */
function offerAt(points: readonly Point[], last: number): WatchedOffer {
  const seen = points.slice(0, last + 1);
  const { price, inStock, at } = points[last] ?? { price: null, inStock: false, at: 0 };
  const observations = seen.flatMap((point) =>
    point.price === null ? [] : [{ price: point.price, at: new Date(point.at).toISOString() }],
  );
  return {
    id: 1,
    price,
    currency: 'SGD',
    is_available: inStock,
    internal: {
      price_history: mergeObservations([], observations),
      observed_at: new Date(at).toISOString(),
      flags: [],
    },
  };
}

/** The times at which an alert that was created at the first point fires. */
function firings(points: readonly Point[], when: AlertCondition, cooldown_s: number): number[] {
  const watched = { scope: 'listing', currency: 'SGD', when } as const;
  const first = observeOffers([offerAt(points, 0)], watched, points[0]?.at ?? 0);
  const rule: AlertRule = { when, cooldown_s, baseline_units: first.units };
  let memory = firstMemory(when, first);
  const fired: number[] = [];
  for (const [at, point] of points.entries()) {
    if (at === 0) continue;
    const checked = checkAlert(rule, memory, observeOffers([offerAt(points, at)], watched, point.at));
    ({ memory } = checked);
    if (checked.fires) fired.push(point.at);
  }
  return fired;
}

/** The same, found by looking at all points again for each point. */
function bruteForce(points: readonly Point[], when: AlertCondition, cooldown_s: number): number[] {
  const units = points.map(({ price }) => (price === null ? null : toUnits(price)));
  const known = (at: number) => units.slice(0, at + 1).findLast((one) => one !== null) ?? null;
  const baseline = units[0] ?? null;
  const isTrue = (at: number): boolean => {
    const now = units[at] ?? null;
    if (when.back_in_stock) return points[at]?.inStock === true;
    if (now === null) return false;
    if (when.price_below !== undefined) return now < toUnits(when.price_below);
    return when.drop_pct !== undefined && baseline !== null && now * 100 <= baseline * (100 - when.drop_pct);
  };
  const happens = (at: number): boolean => {
    const now = units[at] ?? null;
    const before = known(at - 1);
    if (now === null || before === null || now === before) return false;
    if (when.any_price_change) return true;
    const from = (points[at]?.at ?? 0) - WINDOWS[when.new_low ?? 'ever'];
    // A price is in force until the next one, so the price at the beginning of the window counts. It is unknown if more
    // than a fortnight lies between the two.
    const lows = units.flatMap((one, i) => {
      const next = units.findIndex((other, j) => j > i && j < at && other !== null);
      const until = next < 0 ? (points[at]?.at ?? 0) : (points[next]?.at ?? 0);
      const begins = points[i]?.at ?? 0;
      const isKnown = begins >= from || (until > from && until - begins <= 14 * DAY_MS);
      return one !== null && i < at && isKnown ? [one] : [];
    });
    return lows.length > 0 && now < Math.min(...lows);
  };
  const fired: number[] = [];
  for (let at = 1; at < points.length; at += 1) {
    const time = points[at]?.at ?? 0;
    const last = fired.at(-1);
    if (last !== undefined && time - last < cooldown_s * 1_000) continue;
    const isEvent = when.new_low !== undefined || when.any_price_change !== undefined;
    if (isEvent ? !happens(at) : !isTrue(at)) continue;
    const since = last === undefined ? -1 : points.findIndex((point) => point.at === last);
    const wasFalse = points.some((_, i) => i > since && i < at && !isTrue(i));
    const mayFire = last === undefined ? when.back_in_stock === undefined || wasFalse : wasFalse;
    if (isEvent || mayFire) fired.push(time);
  }
  return fired;
}

const CONDITIONS: AlertCondition[] = [
  { price_below: '95.00', currency: 'SGD' },
  { drop_pct: 10 },
  { new_low: '30d' },
  { new_low: '90d' },
  { new_low: 'ever' },
  { back_in_stock: true },
  { any_price_change: true },
];

describe('alerts', () => {
  const point = (hours: number, price: string | null, inStock = true): Point => ({
    at: START + hours * 3_600_000,
    price,
    inStock,
  });
  const hours = (fired: readonly number[]) => fired.map((at) => (at - START) / 3_600_000);

  it('fire once for a price that flaps around the limit, until the cooldown has passed', () => {
    const flapping = Array.from({ length: 96 }, (_, hour) => point(hour, hour % 2 === 0 ? '96.00' : '94.00'));
    const when = { price_below: '95.00', currency: 'SGD' };
    assert.deepEqual(hours(firings(flapping, when, 86_400)), [1, 25, 49, 73]);
    assert.lengthOf(firings(flapping, when, 0), 48);
  });

  it('do not fire again while the condition stays true, however long', () => {
    const points = [point(0, '100.00'), point(1, '80.00'), point(100, '79.00'), point(500, '78.00')];
    assert.deepEqual(hours(firings(points, { price_below: '95.00', currency: 'SGD' }, 3_600)), [1]);
    assert.deepEqual(hours(firings(points, { drop_pct: 20 }, 3_600)), [1]);
    assert.deepEqual(hours(firings(points, { any_price_change: true }, 3_600)), [1, 100, 500]);
    assert.deepEqual(hours(firings(points, { new_low: '30d' }, 86_400 * 30)), [1]);
  });

  it('fire for stock that comes back, not for stock that there was', () => {
    const points = [point(0, '1.00'), point(1, '2.00'), point(2, '2.00', false), point(3, '2.00')];
    assert.deepEqual(hours(firings(points, { back_in_stock: true }, 0)), [3]);
  });

  it('on a product fire for the lowest price of new goods that is offered, is not flagged, and has the currency', () => {
    const offer = (id: number, price: string, more: Partial<WatchedOffer> = {}): WatchedOffer => ({
      ...offerAt([point(0, price)], 0),
      id,
      ...more,
    });
    const offers = [
      offer(1, '300.00'),
      offer(2, '250.00', { is_available: false }),
      offer(3, '1.00', {
        internal: {
          price_history: [],
          observed_at: new Date(START).toISOString(),
          flags: ['price_placeholder'],
        },
      }),
      offer(4, '100.00', { currency: 'MYR' }),
      offer(5, '290.00', { is_available: null }),
      offer(7, '50.00', {
        internal: { price_history: [], observed_at: new Date(START).toISOString(), price_from: true },
      }),
      offer(6, '60.00', {
        internal: {
          price_history: [],
          observed_at: new Date(START).toISOString(),
          condition: { value: 'used', basis: 'name', stated: null },
        },
      }),
    ];
    const watched = { currency: 'SGD', when: { any_price_change: true } } as const;
    assert.strictEqual(observeOffers(offers, { ...watched, scope: 'product' }, START).units, 2_900_000);
  });

  it('over a year of prices fire exactly when a brute force says so', () => {
    const { random, rounds } = oracle(11, 150);
    let fired = 0;
    for (let round = 0; round < rounds; round += 1) {
      let at = START;
      const points: Point[] = [];
      while (at < START + 365 * DAY_MS) {
        at += Math.ceil(random() * 12 * DAY_MS);
        const price = random() < 0.08 ? null : `${80 + Math.floor(random() * 40)}.00`;
        points.push({ at, price, inStock: random() < 0.6 });
      }
      const cooldown = [0, 86_400, 864_000][Math.floor(random() * 3)] ?? 0;
      for (const when of CONDITIONS) {
        const expected = bruteForce(points, when, cooldown);
        assert.deepEqual(
          firings(points, when, cooldown),
          expected,
          JSON.stringify({ round, when, cooldown }),
        );
        fired += expected.length;
      }
    }
    if (isChaos) console.log(`    ${rounds} years, ${fired} events`);
    assert.isAbove(fired, isChaos ? 5_000 : 300);
  });
});

const REAL = new URL('../../../shared/data/heissepreise.ndjson.gz', import.meta.url);
if (isChaos && existsSync(REAL))
  describe('alerts on real price series', () => {
    it('fire exactly when a brute force says so', () => {
      const lines = gunzipSync(readFileSync(REAL)).toString().trim().split('\n');
      let fired = 0;
      for (const line of lines) {
        const { price_history: history = [] } = JSON.parse(line) as {
          price_history?: { price: string; at: string }[];
        };
        const points = history
          .map(({ price, at }) => ({ price, at: Date.parse(at), inStock: true }))
          .sort((a, b) => a.at - b.at);
        for (const when of CONDITIONS) {
          const expected = bruteForce(points, when, 86_400);
          assert.deepEqual(
            firings(points, when, 86_400),
            expected,
            JSON.stringify({ line: line.slice(0, 100), when }),
          );
          fired += expected.length;
        }
      }
      console.log(`    ${lines.length} series, ${fired} events`);
    });
  });

describe('a price below half of the usual one', () => {
  const minutes = (count: number) => new Date(START + count * 60_000).toISOString();
  const offer = (id: number, price: string, more: Partial<WatchedOffer['internal']> = {}): WatchedOffer => ({
    id,
    price,
    currency: 'SGD',
    is_available: true,
    source: `shop_${id}`,
    internal: { price_history: [{ price, at: minutes(0) }], observed_at: minutes(20), flags: [], ...more },
  });
  const observed = (more: Partial<WatchedOffer['internal']>) =>
    observeOffers(
      [offer(1, '27.00', more), offer(2, '100.00'), offer(3, '101.00'), offer(4, '102.00')],
      { scope: 'product', currency: 'SGD', when: { any_price_change: true } },
      START,
    ).units;
  const loads = (...times: number[]) =>
    times.map((at, n) => ({ run: `run-${n}`, at: minutes(at), set: n === 0 ? ['*'] : [] }));
  const seen = [{ price: '27.00', at: minutes(0), seen_until: minutes(20) }];

  it('counts when another load observed it a quarter of an hour later', () => {
    assert.strictEqual(observed({ price_history: seen, lineage: loads(0, 20) }), toUnits('27.00'));
    assert.strictEqual(observed({ price_history: seen, lineage: loads(0, 14) }), toUnits('100.00'));
    assert.strictEqual(observed({ price_history: seen, lineage: loads(0) }), toUnits('100.00'));
    const sameRun = loads(0, 20).map((load) => ({ ...load, run: 'run' }));
    assert.strictEqual(observed({ price_history: seen, lineage: sameRun }), toUnits('100.00'));
  });

  it('does not count when the other load stated no price', () => {
    assert.strictEqual(observed({ lineage: loads(0, 20) }), toUnits('100.00'));
  });

  it('counts if it is older than all recorded loads', () => {
    const later = [{ run: 'run', at: minutes(20), set: ['is_available'] }];
    assert.strictEqual(observed({ price_history: seen, lineage: later }), toUnits('27.00'));
  });
});
