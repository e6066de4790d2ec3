import { assert } from 'chai';
import { countNames, emptySummary } from '../../../src/usecases/ingest/summary.js';

describe('countColumns', () => {
  // The names are read once per record. If they were read once per column, 6 MB of CSV would take 30 s.
  it('counts up to 100 names and reads them once per record', () => {
    let listed = 0;
    const summary = emptySummary();
    summary.unknown_columns = new Proxy(summary.unknown_columns, {
      ownKeys: (counts) => {
        listed += 1;
        return Reflect.ownKeys(counts);
      },
    });
    const names = Array.from({ length: 1_000 }, (_, i) => `f${i}`);
    for (let records = 0; records < 3; records += 1) countNames(summary.unknown_columns, names);
    assert.strictEqual(listed, 3);
    const counts = Object.entries(summary.unknown_columns);
    assert.lengthOf(counts, 101);
    assert.deepEqual(counts[0], ['f0', 3]);
    assert.deepEqual(counts.at(-1), ['others', 2_700]);
  });
});
