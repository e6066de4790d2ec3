import { assert } from 'chai';
import { conditionOf } from '../../src/listing/condition.js';
import { listingFor } from '../../src/listing/derived.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import type { FeedRecord, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';
import { validatePatch, validateRecord } from '../../src/listing/validate.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const base: FeedRecord = {
  sku: 'C1',
  source: 'shop',
  name: 'Orbit V40 speaker',
  price: '50.00',
  currency: 'SGD',
};

const apply = (existing: StoredListing | null, fields: Partial<FeedRecord>, now = NOW) =>
  applyRecord(existing, { ...base, ...fields }, { id: 7, now });
const conditionIn = (fields: Partial<FeedRecord>) => apply(null, fields).listing.internal.condition;
const flagsIn = (fields: Partial<FeedRecord>) => apply(null, fields).listing.internal.flags ?? [];

describe('the condition of a listing', () => {
  it('is the stated one, else the one in the name, else new', () => {
    const stated = null;
    assert.deepEqual(conditionIn({}), { value: 'new', basis: 'assumed', stated });
    assert.deepEqual(conditionIn({ name: 'Orbit V40, used' }), { value: 'used', basis: 'name', stated });
    assert.deepEqual(conditionIn({ condition: 'used' }), { value: 'used', basis: 'stated', stated: 'used' });
    assert.deepEqual(conditionIn({ condition: 'new' }), { value: 'new', basis: 'stated', stated: 'new' });
  });

  for (const metadata of [
    { condition: 'Refurbished' },
    { Condition: 'RefurbishedCondition' },
    { 'Item Condition': 'seller refurbished' },
    { attributes: { Zustand: 'generalüberholt' } },
    { 成色: '翻新' },
  ])
    it(`is stated by an attribute: ${JSON.stringify(metadata)}`, () => {
      assert.deepEqual(conditionIn({ metadata }), { value: 'refurbished', basis: 'stated', stated: null });
    });

  it('is that of the field if an attribute states another one', () => {
    const fields = { condition: 'refurbished' as const, metadata: { condition: 'used' } };
    assert.deepInclude(conditionIn(fields), { value: 'refurbished', basis: 'stated' });
  });

  it('is not read from an attribute with an unknown value', () => {
    assert.deepInclude(conditionIn({ metadata: { condition: 'dry skin' } }), {
      value: 'new',
      basis: 'assumed',
    });
  });

  it('is that of the name, with a flag, if the feed states new', () => {
    const name = 'Orbit V40 speaker (Refurbished)';
    for (const fields of [
      { name, condition: 'new' as const },
      { name, metadata: { condition: 'New' } },
    ]) {
      assert.deepInclude(conditionIn(fields), { value: 'refurbished', basis: 'name' });
      assert.include(flagsIn(fields), 'condition_conflict');
    }
    for (const fields of [{ name }, { name, condition: 'used' as const }, { condition: 'new' as const }])
      assert.notInclude(flagsIn(fields), 'condition_conflict');
    assert.deepInclude(conditionIn({ name, condition: 'used' }), { value: 'used', basis: 'stated' });
  });

  it('changes with a record that states another one, and stays in a patch that states none', () => {
    const { listing } = apply(null, { condition: 'used' });
    const later = new Date('2026-06-02T12:00:00Z');
    assert.equal(apply(listing, { condition: 'used' }, later).outcome, 'unchanged');
    const changed = apply(listing, { condition: 'refurbished' }, later);
    assert.equal(changed.outcome, 'changed');
    assert.equal(changed.listing.updated_at, '2026-06-02T12:00:00Z');
    assert.deepInclude(apply(listing, {}, later).listing.internal.condition, {
      value: 'new',
      basis: 'assumed',
    });
    const patch = { name: '-', price: '40.00', stated: ['sku', 'source', 'price'] };
    assert.deepInclude(apply(listing, patch, later).listing.internal.condition, { value: 'used' });
  });

  it('is computed for a listing that an earlier version stored', () => {
    const { internal, ...product } = apply(null, { name: 'Orbit V40, pre-owned' }).listing;
    const { condition: _, ...earlier } = internal;
    const converted = listingFor(CURRENT_SCHEMA, { ...product, internal: earlier });
    assert.deepInclude(converted.internal.condition, { value: 'used', basis: 'name' });
    assert.deepInclude(conditionOf(product, null), { value: 'used', basis: 'name' });
  });

  it('is read from records as text and in the form of exports', () => {
    const read = (condition: unknown, validate = validateRecord) => {
      const found = validate({ ...base, condition }, { now: NOW });
      return 'reasons' in found ? found.reasons : found.record.condition;
    };
    assert.equal(read('used'), 'used');
    assert.equal(read('Pre-owned'), 'used');
    assert.equal(read('refurbished', validatePatch), 'refurbished');
    assert.equal(read({ value: 'used', basis: 'stated' }), 'used');
    for (const none of [null, '', { value: 'used', basis: 'name' }, { value: 'new', basis: 'assumed' }])
      assert.equal(read(none), null);
    assert.deepEqual(read('shiny'), ['condition: "shiny" is not one of new, refurbished, used']);
    for (const wrong of [3, true, ['used'], { value: 3 }, { value: {} }])
      assert.lengthOf(read(wrong) as string[], 1);
  });
});
