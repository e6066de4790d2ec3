// Chaos too (oracles): npm test runs some of the rounds.
import { assert } from 'chai';
import { claimMembers } from '../../src/listing/claim.js';
import { dealOf } from '../../src/listing/deals.js';
import { listingFor } from '../../src/listing/derived.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import type { FeedRecord, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';
import { isChaos, oracle } from '../support/chaos.js';

const HOUR = 3_600_000;
const GAP_HOURS = 14 * 24;
const NOW = Date.parse('2026-06-15T13:00:00Z');

/** An observation of a price, a whole number of hours before now. */
interface Seen {
  hoursAgo: number;
  cents: number;
  currency?: string | null;
}

const text = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const hoursAgo = (hours: number): string => iso(NOW - hours * HOUR);

/** Returns the listing after the observations were loaded in the given order. */
function listingOf(seen: readonly Seen[], list: number | null, isDated = true): StoredListing {
  let listing: StoredListing | null = null;
  for (const { hoursAgo: hours, cents, currency = 'EUR' } of seen) {
    const record: FeedRecord = {
      sku: 'A',
      source: 'shop',
      name: 'Kettle',
      currency,
      price: text(cents),
      list_price: list === null ? null : text(list),
      ...(isDated ? { last_checked: hoursAgo(hours) } : {}),
    };
    const observedAt = new Date(NOW - hours * HOUR);
    ({ listing } = applyRecord(listing, record, { id: 7, now: new Date(NOW), observedAt }));
  }
  if (listing === null) throw new Error('nothing was seen');
  return listing;
}

const claimOf = (...given: Parameters<typeof listingOf>) => {
  const listing = listingOf(...given);
  return claimMembers(listing, listing.internal.claim);
};

/** One observation a day: the last of the prices was observed now. */
const daily = (...runs: [days: number, cents: number][]): Seen[] => {
  const prices = runs.flatMap(([days, cents]) => Array<number>(days).fill(cents));
  return prices.map((cents, i) => ({ hoursAgo: 24 * (prices.length - 1 - i), cents }));
};

/**
 * Computes the expected claim hour by hour: for each hour, it searches all observations for the one that applied. It
 * shares no code with the tested implementation.
 */
function bruteForce(all: readonly Seen[], list: number | null) {
  const newest = all.reduce((a, b) => (b.hoursAgo < a.hoursAgo ? b : a));
  const own = all
    .filter(({ currency }) => currency === newest.currency)
    .sort((a, b) => b.hoursAgo - a.hoursAgo);
  let began = newest.hoursAgo;
  for (let i = own.length - 1; i >= 0 && own[i]?.cents === newest.cents; i -= 1)
    began = own[i]?.hoursAgo ?? began;
  let known = 0;
  const inWindow: number[] = [];
  for (const { hoursAgo: hours, cents } of own)
    if (hours > began && hours <= began + 30 * 24) inWindow.push(cents);
  for (let hour = own[0]?.hoursAgo ?? 0; hour > began; hour -= 1) {
    // The price of the hour that begins `hour` hours ago.
    const last = own.filter((one) => one.hoursAgo >= hour).at(-1);
    const next = own.find((one) => one.hoursAgo < hour);
    if (last === undefined || next === undefined || last.hoursAgo - next.hoursAgo > GAP_HOURS) continue;
    known += 1;
    if (hour <= began + 30 * 24) inWindow.push(last.cents);
  }
  const price = newest.cents;
  const isComparable = newest.currency !== null;
  const reference = inWindow.length === 0 || !isComparable ? null : Math.min(...inWindow);
  const stated = list === null || list <= price ? null : (100 * (list - price)) / list;
  const observed = reference === null ? null : (100 * (reference - price)) / reference;
  const verdict = () => {
    if (stated === null || observed === null || reference === null || known < 30 * 24) return 'unknown';
    if (price >= reference) return 'unsupported';
    return observed >= stated - 1 - 1e-9 ? 'supported' : 'exaggerated';
  };
  const percent = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
  return { reference, began, stated: percent(stated), observed: percent(observed), verdict: verdict() };
}

describe('the claim of a price reduction', () => {
  it('has the reference and the verdict that are counted hour by hour, for random histories', () => {
    const { random, rounds } = oracle(20_261_124, 2_000);
    const upTo = (n: number) => Math.floor(random() * n);
    const verdicts: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      const currencies = random() < 0.8 ? ['EUR'] : ['EUR', 'USD', null];
      const span = 24 * (20 + upTo(150));
      const times = new Set(Array.from({ length: 1 + upTo(40) }, () => 1 + upTo(span)));
      const base = 500 + upTo(20_000);
      // The prices are either few ones that recur, or all different and loaded out of order.
      const few = round % 2 === 0;
      const isDated = round % 4 !== 0;
      const seen = [...times].map((hours, i) => ({
        hoursAgo: hours,
        turn: few ? -hours : random(),
        currency: currencies[upTo(currencies.length)] ?? null,
        cents: base + (few ? upTo(4) * Math.ceil(base / 20) : i * 37),
      }));
      seen.sort((a, b) => a.turn - b.turn);
      const newest = seen.reduce((a, b) => (b.hoursAgo < a.hoursAgo ? b : a));
      const list = random() < 0.2 ? null : newest.cents + upTo(Math.ceil(base / 4));
      const { reference_30d, claim } = claimOf(seen, list, isDated);
      const expected = bruteForce(seen, list);
      const message = `round ${round}: ${JSON.stringify({ list, seen })}`;
      assert.strictEqual(claim.verdict, expected.verdict, message);
      assert.deepEqual(
        reference_30d,
        expected.reference === null
          ? null
          : {
              price: text(expected.reference),
              from: hoursAgo(expected.began + 30 * 24),
              to: hoursAgo(expected.began),
            },
        message,
      );
      for (const [actual, wanted] of [
        [claim.stated_pct, expected.stated],
        [claim.observed_pct, expected.observed],
      ] as const) {
        if (wanted === null) assert.isNull(actual, message);
        else assert.closeTo(actual ?? NaN, wanted, 0.0101, message);
      }
      verdicts[claim.verdict] = (verdicts[claim.verdict] ?? 0) + 1;
    }
    if (isChaos) assert.hasAllKeys(verdicts, ['unknown', 'supported', 'exaggerated', 'unsupported']);
  });

  it('is unsupported for a deal that cost less in the last 30 days than now', () => {
    const seen = daily([60, 10_000], [7, 7_000], [7, 10_000], [3, 8_000]);
    const listing = listingOf(seen, 12_000);
    const { discount_pct, price_basis } = dealOf(listing, new Date(NOW)) ?? {};
    assert.deepEqual({ discount_pct, price_basis }, { discount_pct: 20, price_basis: 'observed' });
    const { claim, reference_30d } = claimMembers(listing, listing.internal.claim);
    assert.deepInclude(claim, { verdict: 'unsupported', stated_pct: 33.33 });
    assert.equal(reference_30d?.price, '70.00');
  });

  it('compares with the 30 days before the reduction, not with the last 30 days', () => {
    const { reference_30d, claim } = claimOf(daily([60, 10_000], [40, 8_000]), 10_000);
    assert.deepEqual(reference_30d, {
      price: '100.00',
      from: hoursAgo(24 * (39 + 30)),
      to: hoursAgo(24 * 39),
    });
    assert.deepEqual(claim, { stated_pct: 20, observed_pct: 20, verdict: 'supported' });
  });

  it('does not support a reduction to a price above an earlier one: 80, 100, 90', () => {
    const { reference_30d, claim } = claimOf(daily([40, 8_000], [10, 10_000], [3, 9_000]), 10_000);
    assert.strictEqual(reference_30d?.price, '80.00');
    assert.deepEqual(claim, { stated_pct: 10, observed_pct: -12.5, verdict: 'unsupported' });
  });

  it('does not support a reduction to exactly the lowest price before', () => {
    const { claim } = claimOf(daily([40, 8_000], [10, 10_000], [3, 8_000]), 10_000);
    assert.deepEqual(claim, { stated_pct: 20, observed_pct: 0, verdict: 'unsupported' });
  });

  it('ignores prices from before the 30 days', () => {
    const { claim } = claimOf(daily([40, 8_000], [31, 10_000], [3, 9_000]), 10_000);
    assert.deepEqual(claim, { stated_pct: 10, observed_pct: 10, verdict: 'supported' });
  });

  it('compares the last of several reductions with the price before it', () => {
    const { reference_30d, claim } = claimOf(daily([40, 10_000], [5, 9_000], [5, 8_100]), 10_000);
    assert.strictEqual(reference_30d?.price, '90.00');
    assert.deepEqual(claim, { stated_pct: 19, observed_pct: 10, verdict: 'exaggerated' });
  });

  it('tolerates one percentage point, and compares without rounding', () => {
    const verdictAt = (list: number) => claimOf(daily([40, 10_000], [3, 9_000]), list).claim.verdict;
    // From 101.12, the reduction is 10.9968 %; from 101.13, it is 11.0056 %.
    assert.strictEqual(verdictAt(10_112), 'supported');
    assert.strictEqual(verdictAt(10_113), 'exaggerated');
    // A reduction of exactly 11 %.
    assert.strictEqual(claimOf(daily([40, 9_900], [3, 8_910]), 9_000).claim.verdict, 'supported');
    assert.strictEqual(claimOf(daily([40, 8_900], [3, 8_010]), 9_000).claim.verdict, 'supported');
  });

  it('is unknown with fewer than 30 known days before the reduction', () => {
    assert.strictEqual(claimOf(daily([30, 10_000], [3, 9_000]), 10_000).claim.verdict, 'supported');
    const { reference_30d, claim } = claimOf(daily([29, 10_000], [3, 9_000]), 10_000);
    assert.strictEqual(reference_30d?.price, '100.00');
    assert.deepEqual(claim, { stated_pct: 10, observed_pct: 10, verdict: 'unknown' });
  });

  it('is unknown if the price never changed, because its reduction began before the first observation', () => {
    const { reference_30d, claim } = claimOf(daily([90, 10_000]), 12_500);
    assert.isNull(reference_30d);
    assert.deepEqual(claim, { stated_pct: 20, observed_pct: null, verdict: 'unknown' });
  });

  it('is unknown without a list price above the price, and has the observed reduction', () => {
    const seen = daily([40, 10_000], [3, 9_000]);
    const observed = { stated_pct: null, observed_pct: 10, verdict: 'unknown' as const };
    for (const list of [null, 9_000, 8_000]) assert.deepEqual(claimOf(seen, list).claim, observed);
  });

  it('leaves gaps out of the reference and of the known days', () => {
    // 70.00 was seen once, then nothing for 20 days; the price of these days is unknown.
    const days = daily([20, 10_000], [3, 9_000]).concat(
      daily([40, 10_000]).map(({ hoursAgo: hours, cents }) => ({ hoursAgo: hours + 24 * 43, cents })),
      [{ hoursAgo: 24 * 42, cents: 7_000 }],
    );
    const seen = days.sort((a, b) => b.hoursAgo - a.hoursAgo);
    const { reference_30d, claim } = claimOf(seen, 10_000);
    assert.strictEqual(reference_30d?.price, '100.00');
    assert.strictEqual(claim.verdict, 'supported');
    const first = { hoursAgo: 24 * 60, cents: 10_000 };
    assert.strictEqual(claimOf([first, ...daily([20, 10_000], [3, 9_000])], 10_000).claim.verdict, 'unknown');
  });

  it('ignores prices in another currency, and prices that an untrusted sender declares', () => {
    const dollars = daily([60, 10_000]).map((one) => ({
      ...one,
      currency: 'USD',
      hoursAgo: one.hoursAgo + 24,
    }));
    assert.deepEqual(claimOf([...dollars, { hoursAgo: 0, cents: 8_000 }], 10_000), {
      reference_30d: null,
      claim: { stated_pct: 20, observed_pct: null, verdict: 'unknown' },
    });
    const price_history = Array.from({ length: 60 }, (_, i) => ({
      price: '100.00',
      at: hoursAgo(24 * (60 - i)),
    }));
    const record = {
      sku: 'A',
      source: 'shop',
      name: 'Kettle',
      currency: 'EUR',
      price: '80.00',
      list_price: '100.00',
    };
    const { listing } = applyRecord(
      null,
      { ...record, price_history },
      { id: 7, now: new Date(NOW), declaredHistory: true },
    );
    assert.deepInclude(listing.internal.claim, { verdict: 'unknown', reference_units: null });
  });

  it('is judged again by a late observation and by another list price, and is kept by a repetition', () => {
    const seen = daily([40, 10_000], [3, 9_000]);
    const listing = listingOf(seen, 10_000);
    const record: FeedRecord = { sku: 'A', source: 'shop', name: 'Kettle', currency: 'EUR', price: '90.00' };
    const apply = (next: Partial<FeedRecord>) =>
      applyRecord(listing, { ...record, ...next }, { id: 7, now: new Date(NOW) }).listing.internal.claim
        ?.verdict;
    assert.strictEqual(apply({}), 'supported');
    assert.strictEqual(apply({ list_price: '120.00' }), 'exaggerated');
    assert.strictEqual(apply({ price: '85.00', last_checked: hoursAgo(24 * 10 + 1) }), 'unsupported');
  });

  it('is computed for a listing that was stored by an earlier version, and left out of an earlier index', () => {
    const listing = listingOf(daily([40, 10_000], [3, 9_000]), 10_000);
    const earlier = listingFor(7, listing);
    assert.notProperty(earlier.internal, 'claim');
    assert.deepEqual(listingFor(CURRENT_SCHEMA, earlier), listing);
    const late: FeedRecord = { sku: 'A', source: 'shop', name: 'Kettle', currency: 'EUR', price: '85.00' };
    const { listing: older } = applyRecord(
      earlier,
      { ...late, last_checked: hoursAgo(24 * 10 + 1) },
      { id: 7, now: new Date(NOW), schema: 7 },
    );
    assert.notProperty(older.internal, 'claim');
  });

  it('has no reference and no verdict without a price or a currency', () => {
    const nothing = {
      reference_30d: null,
      claim: { stated_pct: null, observed_pct: null, verdict: 'unknown' },
    };
    assert.deepEqual(claimMembers({}, null), nothing as ReturnType<typeof claimMembers>);
    const unknown = daily([40, 10_000], [3, 9_000]).map((one) => ({ ...one, currency: null }));
    assert.deepInclude(claimOf(unknown, 10_000), { reference_30d: null });
  });
});
