import { assert } from 'chai';
import { GAP_MS } from '../../../src/listing/price-observations.js';
import type { FeedRecord } from '../../../src/listing/listing.js';
import { STORY_SHARES } from '../../../tools/sample-catalogue/price-story.js';
import { cents, NOW, RECORDS, share } from './sample.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What could be observed of a listing's prices by visiting the shop every hour. */
interface Seen {
  price: number;
  list: number | null;
  /** The number of days from the first observation to now. */
  age: number;
  highest: number;
  /** The previous price and its duration in days; null if there was only one price. */
  before: { price: number; days: number } | null;
  /** The median of the prices in the 90 days before the current price. */
  median: number | null;
}

function look({ price, list_price, price_history }: FeedRecord): Seen {
  const points = (price_history ?? []).map(({ price, at }) => ({ price: cents(price), at: Date.parse(at) }));
  const now = cents(price ?? '');
  const lastOther = points.findLastIndex((point) => point.price !== now);
  const since = points[lastOther + 1]?.at ?? 0;
  const seen: number[] = [];
  let inForce = points.length - 1;
  for (let at = since - HOUR / 2; at > since - 90 * DAY; at -= HOUR) {
    while ((points[inForce]?.at ?? -Infinity) > at) inForce -= 1;
    const point = points[inForce];
    if (point === undefined) break;
    seen.push(point.price);
  }
  const hours = Float64Array.from(seen).sort();
  const other = points[lastOther];
  const otherFirst =
    other && points[points.slice(0, lastOther).findLastIndex((p) => p.price !== other.price) + 1];
  return {
    price: now,
    list: list_price === undefined || list_price === null ? null : cents(list_price),
    age: (NOW.getTime() - (points[0]?.at ?? 0)) / DAY,
    highest: Math.max(...points.map((point) => point.price)),
    before: other && otherFirst ? { price: other.price, days: (since - otherFirst.at) / DAY } : null,
    median: hours[Math.floor(hours.length / 2)] ?? null,
  };
}

const SEEN = RECORDS.map(look);

const isReal = ({ price, median }: Seen) => median !== null && price <= 0.9 * median;

function assertShare(test: (seen: Seen) => boolean, expected: number) {
  const found = share(SEEN.filter(test).length);
  assert.approximately(found, expected, 0.012);
}

describe('sample price histories', () => {
  it('lead to the current price in at most 120 days, in order of time', () => {
    for (const { name, price, last_checked, price_history } of RECORDS) {
      const history = price_history ?? [];
      assert.equal(history.at(-1)?.price, price, name);
      assert.equal(history.at(-1)?.at, last_checked, name);
      const times = history.map(({ at }) => Date.parse(at));
      assert.isAtLeast(times[0] ?? 0, NOW.getTime() - 120 * DAY, name);
      for (const [i, time] of times.entries()) {
        if (i === 0) continue;
        const step = time - (times[i - 1] ?? 0);
        if (!(step > 0 && step < GAP_MS)) assert.fail(`${name}: ${step} ms between two observations`);
      }
      const prices = history.map((observation) => observation.price);
      assert.isEmpty(
        prices.filter((written) => !/^[1-9]\d*\.\d\d$|^0\.\d[1-9]$/.test(written)),
        name,
      );
    }
  });

  it('contain the stated share of real deals', () => {
    assertShare(isReal, STORY_SHARES.reduced);
    assert.isTrue(SEEN.filter(isReal).every(({ age }) => age > 90));
  });

  it('contain the stated share of prices that were raised before the "sale"', () => {
    const raised = (seen: Seen) =>
      seen.before !== null &&
      seen.before.days < 2.1 &&
      seen.price <= 0.87 * seen.before.price &&
      !isReal(seen);
    assertShare(raised, STORY_SHARES.raised_before_sale);
  });

  it('contain the stated share of list prices that were never paid', () => {
    const inflated = (seen: Seen) =>
      seen.age > 7 && seen.list !== null && seen.list > 1.3 * seen.highest && !isReal(seen);
    assertShare(inflated, STORY_SHARES.inflated_list_price);
  });

  it('contain the stated share of listings of less than a week, half of them with a declared discount', () => {
    const young = ({ age }: Seen) => age < 7;
    const declared = ({ list, price }: Seen) => list !== null && price <= 0.9 * list;
    assertShare((seen) => young(seen) && declared(seen), STORY_SHARES.new_declared);
    assertShare((seen) => young(seen) && !declared(seen), STORY_SHARES.new);
  });

  it('have shares that add up to one', () => {
    const total = Object.values(STORY_SHARES).reduce((sum, part) => sum + 100 * part, 0);
    assert.equal(Math.round(total), 100);
  });
});
