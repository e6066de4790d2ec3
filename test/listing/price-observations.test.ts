import { assert } from 'chai';
import {
  addSighting,
  MAX_OBSERVATIONS,
  mergeObservations,
  observedPrices,
  priceMoves,
  restateCurrency,
} from '../../src/listing/price-observations.js';
import type { PriceObservation } from '../../src/listing/listing.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replace('.000Z', 'Z');
const seen = (minute: number, price: string): PriceObservation => ({ price, at: at(minute) });

describe('mergeObservations', () => {
  it('returns the same history whatever the order of the observations', () => {
    const observations = Array.from({ length: 40 }, (_, i) => seen(i * 7, `${10 + ((i * 7) % 40)}.00`));
    const inOrder = observations.reduce<PriceObservation[]>(
      (history, one) => mergeObservations(history, [one]),
      [],
    );
    assert.deepEqual(inOrder, observations);
    for (const step of [3, 7, 11, 13, 39]) {
      const shuffled = observations.map((_, i) => observations[(i * step) % 40]);
      const merged = shuffled.reduce<PriceObservation[]>(
        (history, one) => mergeObservations(history, one === undefined ? [] : [one]),
        [],
      );
      const missed = observations.filter((one) => !shuffled.includes(one));
      assert.deepEqual(mergeObservations(merged, missed), observations);
    }
  });

  it('keeps one price for each time, the one that arrived last', () => {
    assert.deepEqual(mergeObservations([seen(1, '5.00')], [seen(1, '6.00')]), [seen(1, '6.00')]);
  });

  it('sorts fractions of a second', () => {
    const whole = { price: '1.00', at: '2026-01-01T00:00:00Z' };
    const half = { price: '2.00', at: '2026-01-01T00:00:00.500Z' };
    assert.deepEqual(mergeObservations([half], [whole]), [whole, half]);
  });

  it('returns the same array if nothing is new', () => {
    const history = [seen(1, '5.00'), seen(2, '6.00')];
    assert.strictEqual(mergeObservations(history, [seen(2, '6.00'), seen(1, '5.00')]), history);
    assert.strictEqual(mergeObservations(history, []), history);
  });

  it('keeps the ends of a run of one price and one point per fortnight, so that no gap appears', () => {
    const hourly = Array.from({ length: 1_200 }, (_, i) => seen(i * 60, '5.00'));
    const one = hourly.reduce<PriceObservation[]>((history, next) => mergeObservations(history, [next]), []);
    const expected = [0, 336, 672, 1_008, 1_199].map((hour) => seen(hour * 60, '5.00'));
    assert.deepEqual(one, expected);
    assert.deepEqual(mergeObservations([], hourly), expected);
    assert.strictEqual(mergeObservations(one, hourly), one);
    assert.deepEqual(mergeObservations(one, [seen(90, '6.00')]), [one[0], seen(90, '6.00'), ...one.slice(1)]);
    const gap = [seen(0, '5.00'), seen(60, '5.00'), seen(20_221, '5.00'), seen(20_222, '5.00')];
    assert.deepEqual(mergeObservations([], gap), gap);
    const dollars = { ...seen(1, '5.00'), currency: 'USD' };
    const mixed = [seen(0, '5.00'), dollars, seen(2, '5.00')];
    assert.deepEqual(mergeObservations([], mixed), mixed);
  });

  it('drops the oldest observations if there are too many', () => {
    const moves = Array.from({ length: MAX_OBSERVATIONS }, (_, i) => seen(i, `${i + 1}.00`));
    const merged = mergeObservations(moves, [seen(5_000, '0.50')]);
    assert.lengthOf(merged, MAX_OBSERVATIONS);
    assert.deepEqual(merged[0], moves[1]);
    assert.strictEqual(mergeObservations(merged, [seen(0, '1.00')]), merged);
  });

  it('keeps declared prices without dropping observed ones for them', () => {
    const told = (minute: number, price: string): PriceObservation => ({
      ...seen(minute, price),
      declared: true,
    });
    const history = [seen(1, '5.00'), seen(3, '5.00')];
    const both = mergeObservations(history, [told(1, '9.00'), told(2, '9.00')]);
    assert.deepEqual(both, [seen(1, '5.00'), told(1, '9.00'), told(2, '9.00'), seen(3, '5.00')]);
    assert.strictEqual(mergeObservations(both, [told(2, '9.00')]), both);
    assert.deepEqual(observedPrices(mergeObservations(both, [seen(5, '5.00')])), [
      seen(1, '5.00'),
      seen(5, '5.00'),
    ]);
    const flood = Array.from({ length: 2 * MAX_OBSERVATIONS }, (_, i) => told(10 + i, `${i + 1}.00`));
    const flooded = mergeObservations(history, flood);
    assert.deepEqual(observedPrices(flooded), history);
    assert.lengthOf(flooded, MAX_OBSERVATIONS + 2);
    assert.deepEqual(priceMoves(flooded), []);
    const restated = restateCurrency([told(1, '9.00')], 'USD', 'SGD');
    assert.deepEqual(restated, [{ ...told(1, '9.00'), currency: 'USD' }]);
  });

  it('states the currency of an observation only if it differs from the listing’s', () => {
    const dollars = [seen(1, '5.00'), seen(2, '6.00')];
    const restated = restateCurrency(dollars, 'USD', 'SGD');
    const inDollars = dollars.map((one) => ({ ...one, currency: 'USD' }));
    assert.deepEqual(restated, inDollars);
    assert.deepEqual(restateCurrency([...restated, seen(3, '8.00')], 'SGD', 'USD'), [
      ...dollars,
      { ...seen(3, '8.00'), currency: 'SGD' },
    ]);
  });

  it('lists the times at which the price changed', () => {
    const history = [seen(1, '5.00'), seen(2, '5.00'), seen(3, '6.00'), seen(4, '6.000'), seen(5, '5.00')];
    assert.deepEqual(priceMoves(history), [at(3), at(5)]);
    assert.deepEqual(priceMoves([]), []);
  });

  it('does not list changes of the currency', () => {
    const history = [{ ...seen(1, '5.00'), currency: 'USD' }, seen(2, '7.00'), seen(3, '8.00')];
    assert.deepEqual(priceMoves(history), [at(3)]);
  });
});

describe('addSighting', () => {
  const FORTNIGHT = 14 * 24 * 60;

  it('extends the price in force for a fortnight at most, and withdraws that it ended', () => {
    const five = seen(0, '5.00');
    assert.deepEqual(addSighting([five], seen(60, '5.00')), [{ ...five, seen_until: at(60) }]);
    assert.deepEqual(addSighting([five], seen(FORTNIGHT, '5.00')), [{ ...five, seen_until: at(FORTNIGHT) }]);
    const late = seen(FORTNIGHT + 1, '5.00');
    assert.deepEqual(addSighting([five], late), [five, late]);
    const extended = { ...five, seen_until: at(60) };
    assert.deepEqual(addSighting([{ ...extended, ended_at: at(90) }], seen(FORTNIGHT + 60, '5.00')), [
      { ...five, seen_until: at(FORTNIGHT + 60) },
    ]);
  });

  it('adds another price, and changes nothing by what is known', () => {
    const five = { ...seen(0, '5.00'), seen_until: at(60) };
    assert.deepEqual(addSighting([five], seen(90, '6.00')), [five, seen(90, '6.00')]);
    const history = [five];
    assert.strictEqual(addSighting(history, seen(30, '5.00')), history);
    assert.strictEqual(addSighting(history, seen(60, '5.00')), history);
  });
});
