import { assert } from 'chai';
import { extendLineage, settersOf, TRACED_FIELDS } from '../../src/listing/lineage.js';
import type { LineageEntry, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';

const AT = '2026-01-01T00:00:00Z';

describe('the lineage of a listing', () => {
  it('keeps the last ten runs, and earlier ones that set a present field', () => {
    let lineage: LineageEntry[] | null = null;
    lineage = extendLineage(lineage, { run: 'first', line: 1 }, ['*'], AT);
    lineage = extendLineage(lineage, { run: 'brand', line: 2 }, ['brand'], AT);
    for (let i = 0; i < 100; i += 1) {
      const set = i % 2 === 0 ? ['price'] : [];
      lineage = extendLineage(lineage, { run: `r${i}`, line: i }, set, AT);
    }
    assert.deepEqual(
      lineage.map(({ run, set }) => [run, ...set]),
      [
        ['first', '*'],
        ['brand', 'brand'],
        ...Array.from({ length: 10 }, (_, i) => [`r${90 + i}`, ...(i === 8 ? ['price'] : [])]),
      ],
    );
    const setters = settersOf(lineage, ['price', 'brand', 'name']);
    assert.deepEqual(
      [...setters].map(([field, { run }]) => [field, run]),
      [
        ['price', 'r98'],
        ['brand', 'brand'],
        ['name', 'first'],
      ],
    );
  });

  it('stays bounded, whatever the runs set', () => {
    let lineage: LineageEntry[] | null = null;
    for (let i = 0; i < 500; i += 1)
      lineage = extendLineage(
        lineage,
        { run: `r${i}`, line: i },
        [TRACED_FIELDS[(i * 7) % TRACED_FIELDS.length] ?? ''],
        AT,
      );
    assert.isAtMost(lineage?.length ?? 0, 10 + TRACED_FIELDS.length);
  });

  it('names the record that set each field, and joins several records of one run', () => {
    const record = { sku: 'A', source: 'shop', name: 'Kettle', price: '10.00', currency: 'EUR' };
    const apply = (existing: StoredListing | null, fields: object, run: string, line: number, day: number) =>
      applyRecord(
        existing,
        { ...record, ...fields },
        { id: 1, now: new Date(Date.UTC(2026, 0, day)), place: { run, line } },
      ).listing;
    const first = apply(null, {}, 'a', 3, 1);
    assert.deepEqual(first.internal.lineage, [{ run: 'a', at: '2026-01-01T00:00:00Z', line: 3, set: ['*'] }]);
    const priced = apply(
      apply(first, { price: '9.00' }, 'b', 7, 2),
      { price: '8.00', brand: 'Bolt', list_price: '12.00', gtin: '4006381333931' },
      'b',
      8,
      2,
    );
    const seen = apply(priced, { price: '8.00', brand: 'Bolt' }, 'c', 5, 3);
    assert.deepEqual(seen.internal.lineage, [
      { run: 'a', at: '2026-01-01T00:00:00Z', line: 3, set: ['*'] },
      { run: 'b', at: '2026-01-02T00:00:00Z', line: 8, set: ['price', 'brand', 'list_price', 'gtin'] },
      { run: 'c', at: '2026-01-03T00:00:00Z', line: 5, set: [] },
    ]);
    // Being loaded again at once changes nothing, so it leaves no trace.
    assert.strictEqual(apply(seen, { price: '8.00', brand: 'Bolt' }, 'd', 5, 3), seen);
    // Without a run, a record changes the listing and not its lineage.
    const untraced = applyRecord(
      seen,
      { ...record, price: '7.00' },
      { id: 1, now: new Date(Date.UTC(2026, 0, 4)) },
    );
    assert.deepEqual(untraced.listing.internal.lineage, seen.internal.lineage);
    // An index of an earlier schema has no field for it.
    const old = applyRecord(null, record, {
      id: 1,
      now: new Date(0),
      schema: 7,
      place: { run: 'a', line: 1 },
    });
    assert.notProperty(old.listing.internal, 'lineage');
  });
});
