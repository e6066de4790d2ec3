import { assert } from 'chai';
import { checkItem } from '../../../src/usecases/ingest/check.js';

const NOW = new Date('2026-08-01T00:00:00Z');
const VALID = { sku: 'A1', source: 'shop', name: 'Kettle' };
const item = (value: unknown) => ({ line: 1, bytes: 1, raw: value, value });

describe('checkItem', () => {
  it('returns at most 20 reasons of any kind', () => {
    const history = { ...VALID, price_history: Array(1_000).fill({}), rating: 'good' };
    const checked = checkItem(item(history), [], {}, NOW);
    assert.isTrue('reasons' in checked);
    if (!('reasons' in checked)) return;
    assert.lengthOf(checked.reasons, 20);
    assert.strictEqual(checked.reasons[0], 'rating: "good" is not a decimal number from 0 to 5');
    const unknown = Array.from({ length: 100 }, (_, i) => `column ${i} ${'x'.repeat(100)}`);
    const strict = checkItem(item(VALID), unknown, { strictColumns: true }, NOW);
    assert.isTrue('reasons' in strict && strict.reasons.length === 20);
    assert.isTrue('reasons' in strict && strict.reasons.every(({ length }) => length < 110));
  });

  it('drops invalid fields also if one has more errors than are reported', () => {
    const bad = { ...VALID, category_path: Array(20).fill(''), gtin: ['x'], price_history: [{}] };
    const onBad = new Set(['category_path', 'gtin', 'price_history']);
    const checked = checkItem(item(bad), [], { onBad }, NOW);
    assert.isTrue('record' in checked);
    if ('record' in checked) assert.sameMembers([...checked.dropped], [...onBad]);
    // The rating is validated only after the price history, which has too many errors, was dropped.
    const hidden = { ...bad, price_history: Array(30).fill({}), rating: 'good' };
    assert.isTrue('reasons' in checkItem(item(hidden), [], { onBad }, NOW));
  });
});
