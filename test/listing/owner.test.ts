import { assert } from 'chai';
import type { FeedRecord } from '../../src/listing/listing.js';
import { product } from '../support/listings.js';
import { applyRecord } from '../../src/listing/merge.js';
import { alikeKeysOf, ownerOf, ownerReader } from '../../src/listing/owner.js';

describe('the owner of a listing', () => {
  const shops = new Map([
    ['lamps_de', 'Lamp House'],
    ['lamps_at', 'Lamp House'],
    ['source:bulbs', 'bulbs'],
  ]);

  it('is the source, unless it belongs to a shop', () => {
    const owner = ownerReader({ shops });
    assert.strictEqual(owner('lamps_de'), owner('lamps_at'));
    assert.strictEqual(owner('bulbs'), 'source:bulbs');
    assert.lengthOf(new Set(['bulbs', 'source:bulbs', 'shop:bulbs', 'Lamp House', 'lamps_de'].map(owner)), 5);
  });

  it('is common to the sources of one key, in whatever order they are named', () => {
    for (const together of [
      ['tools', 'bulbs', 'cables'],
      ['cables', 'tools', 'bulbs'],
    ]) {
      const owner = ownerReader({ shops, together });
      assert.deepEqual(
        together.map(owner),
        together.map(() => 'source:bulbs'),
      );
      assert.strictEqual(owner('paint'), 'source:paint');
    }
    assert.strictEqual(ownerReader({ shops, together: ['bulbs'] })('bulbs'), 'source:bulbs');
  });

  it('is the shop of the sources of one key if one of them belongs to a shop', () => {
    const owner = ownerReader({ shops, together: ['bulbs', 'lamps_de'] });
    assert.deepEqual([owner('bulbs'), owner('lamps_de')], ['shop:Lamp House', 'shop:Lamp House']);
  });

  it('is stored with the listing, and replaced by the next load', () => {
    const record: FeedRecord = { sku: 'L1', source: 'lamps_at', name: 'Desk lamp Oslo', price: '19.90' };
    const at = (minutes: number, owner?: string) => ({ id: 1, now: new Date(minutes * 60_000), owner });
    const first = applyRecord(null, record, at(0)).listing;
    assert.strictEqual(first.internal.owner, 'source:lamps_at');
    const moved = applyRecord(first, record, at(1, 'shop:Lamp House'));
    assert.strictEqual(moved.outcome, 'history');
    assert.strictEqual(ownerOf(moved.listing), 'shop:Lamp House');
    assert.strictEqual(moved.listing.updated_at, first.updated_at);
    const again = applyRecord(moved.listing, record, at(2, 'shop:Lamp House'));
    assert.strictEqual(again.listing, moved.listing);
    const kept = applyRecord(moved.listing, { ...record, price: '18.90' }, at(3)).listing;
    assert.strictEqual(ownerOf(kept), 'shop:Lamp House');
    const earlier = applyRecord(null, record, { ...at(0), schema: 9 }).listing;
    assert.notProperty(earlier.internal, 'owner');
    assert.strictEqual(ownerOf(earlier), 'source:lamps_at');
  });
});

describe('the key of near-identical listings', () => {
  const keys = (
    fields: Parameters<typeof product>[0],
    more: Partial<Parameters<typeof alikeKeysOf>[1]> = {},
  ) =>
    alikeKeysOf(product({ name: 'Desk lamp Oslo 40 W', ...fields }), {
      owner: 'source:a',
      gtins: [],
      ...more,
    });
  const key = (...given: Parameters<typeof keys>) => keys(...given).alike;

  it('depends neither on the order of the words, nor on a counter, nor on the price', () => {
    for (const name of ['OSLO Desk Lamp, 40 W', 'Desk lamp Oslo 40 W (17)', 'Desk lamp Oslo 40 W #301 '])
      assert.strictEqual(key({ name, price: '99.00', sku: name }), key({}), name);
  });

  it('differs for other sizes, attributes, GTINs, merchants, owners and stated conditions', () => {
    const others = [
      key({ name: 'Desk lamp Oslo 60 W' }),
      key({ name: 'Desk lamp Oslo 40 W 2' }),
      key({ metadata: { colour: 'red' } }),
      key({ merchant_id: 'm1' }),
      key({}, { gtins: ['04006381333931'] }),
      key({}, { owner: 'source:b' }),
      key({}, { condition: { value: 'used', basis: 'stated', stated: 'used' } }),
    ];
    assert.lengthOf(new Set([...others, key({})]), others.length + 1);
  });

  it('differs within a series, which differs only in numbers of the names, attributes and merchants', () => {
    const series = (name: string, more = {}) => keys({ name, ...more }).series;
    for (const name of ['Desk lamp Oslo 60 W', 'Oslo desk lamp W', 'Desk lamp Oslo 40 W 2'])
      assert.strictEqual(series(name), keys({}).series, name);
    for (const other of [{ metadata: { colour: 'red' } }, { merchant_id: 'm1' }])
      assert.strictEqual(keys(other).series, keys({}).series);
    const others = [
      series('Desk lamp Oslo 40 W black'),
      keys({}, { gtins: ['04006381333931'] }).series,
      keys({}, { owner: 'source:b' }).series,
      series('Desk lamp Oslo 40 V'),
    ];
    assert.lengthOf(new Set([...others, keys({}).series]), others.length + 1);
  });
});
