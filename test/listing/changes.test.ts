import { assert } from 'chai';
import { kindsAfter, kindsSince, recordChanges } from '../../src/listing/changes.js';
import type { FeedRecord, ListingChanges, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';

const minute = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();

const record = (fields: Partial<FeedRecord> = {}): FeedRecord => ({
  sku: 'a',
  source: 'shop',
  name: 'Kettle',
  price: '10.00',
  currency: 'SGD',
  ...fields,
});

/** An index that numbers its writes, and records the changes of one listing as `storeListings` does. */
class Index {
  seqNo = -1;
  listing: StoredListing | null = null;

  constructor(readonly name: string) {}

  write(fields: Partial<FeedRecord>, at: number): this {
    const { listing: before } = this;
    const after = applyRecord(before, record(fields), { id: 1, now: new Date(minute(at)) }).listing;
    return this.store(before, after, at);
  }

  /** Stores the listing without the changes that a load makes, as `npm run link` does. */
  put(change: Partial<StoredListing['internal']>, at: number): this {
    const { listing: before } = this;
    assert(before);
    return this.store(before, { ...before, internal: { ...before.internal, ...change } }, at);
  }

  private store(before: StoredListing | null, after: StoredListing, at: number): this {
    const over = before === null ? null : { index: this.name, seqNo: this.seqNo, listing: before };
    const changes = recordChanges(over, after, minute(at));
    this.listing = { ...after, internal: { ...after.internal, changes } };
    this.seqNo += 1;
    return this;
  }

  copyTo(name: string): Index {
    const copy = new Index(name);
    Object.assign(copy, { listing: this.listing, seqNo: 100 });
    return copy;
  }

  kindsAfter(seq: number): string[] {
    return kindsAfter(this.changes, { index: this.name, seq }).sort();
  }

  get changes(): ListingChanges | null {
    return this.listing?.internal.changes ?? null;
  }
}

describe('the record of changes of a listing', () => {
  it('has every kind of change after each sequence number', () => {
    const index = new Index('v1')
      .write({}, 0)
      .write({ price: '9.00' }, 1)
      .write({ price: '9.00', is_available: true }, 2);
    assert.deepEqual(index.kindsAfter(-1), ['new', 'price', 'stock']);
    assert.deepEqual(index.kindsAfter(0), ['price', 'stock']);
    assert.deepEqual(index.kindsAfter(1), ['stock']);
    index.write({ price: '8.00', is_available: true }, 3);
    assert.deepEqual(index.kindsAfter(1), ['price', 'stock']);
    assert.deepEqual(index.kindsAfter(2), ['price']);
  });

  it('tells price, stock, content, category and group apart', () => {
    const kindsOf = (fields: Partial<FeedRecord>) =>
      new Index('v1').write({}, 0).write(fields, 1).kindsAfter(0);
    assert.deepEqual(kindsOf({ price: '9.00' }), ['price']);
    assert.deepEqual(kindsOf({ currency: 'EUR' }), ['price']);
    assert.deepEqual(kindsOf({ list_price: '20.00' }), ['price']);
    assert.deepEqual(kindsOf({ is_available: false }), ['stock']);
    assert.deepEqual(kindsOf({ description: 'Of steel' }), ['content']);
    assert.deepEqual(kindsOf({ metadata: { colour: 'red' } }), ['content']);
    assert.deepEqual(kindsOf({ category: 'Kitchen' }), ['category', 'content']);
    assert.deepEqual(new Index('v1').write({}, 0).put({ group_id: 7 }, 1).kindsAfter(0), ['group']);
  });

  it('has no change if a listing was only seen or checked again, and keeps the former ones', () => {
    const index = new Index('v1').write({}, 0).write({ price: '9.00' }, 1);
    const { at } = index.changes ?? {};
    index.write({ price: '9.00' }, 60).write({ price: '9.00', last_checked: minute(90) }, 91);
    index.put({ linked_at: minute(92) }, 92);
    assert.deepEqual(index.kindsAfter(1), []);
    assert.deepEqual(index.kindsAfter(0), ['price']);
    assert.deepEqual(index.changes?.at, at);
  });

  it('counts every recorded change of a copy from another index, until the copy is written', () => {
    const former = new Index('v1').write({}, 0).write({ price: '9.00' }, 1);
    const index = former.copyTo('v2');
    assert.deepEqual(index.kindsAfter(99), ['new', 'price']);
    index.write({ price: '9.00' }, 60);
    assert.deepEqual(index.kindsAfter(100), []);
    assert.deepEqual(index.kindsAfter(99), ['new', 'price']);
    const since = (minutes: number) => kindsSince(index.changes, Date.parse(minute(minutes))).sort();
    assert.deepEqual([since(0), since(1), since(2)], [['new', 'price'], ['price'], []]);
  });

  it('is empty for a listing that has not changed since the schema has it', () => {
    const index = new Index('v1').write({}, 0);
    index.put({ changes: null }, 1);
    Object.assign(index.listing?.internal ?? {}, { changes: null });
    index.write({}, 60);
    assert.isNull(index.changes);
    assert.deepEqual(index.write({ price: '9.00' }, 61).kindsAfter(0), ['price']);
  });
});
