// Chaos only (commands, sampled): it loads patches, withdrawals and declared histories.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import { main as ingestMain } from '../../scripts/ingest.js';
import { main as withdrawMain } from '../../scripts/withdraw.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { LOAD_ONLY, ends, run } from '../support/command.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';
import { pluck } from '../support/listings.js';

const catalogue = testCatalogue('changes');
const { alias, env, es, file, folder } = catalogue;
const ingest = (...args: string[]) => run(ingestMain, [...args, ...LOAD_ONLY, '--rejects', folder], { env });
const withdraw = (...args: string[]) => run(withdrawMain, args, { env });

const feedOf = (...records: unknown[]): string => file('feed.ndjson', ndjson(records));

/** Returns the listings by SKU. */
const stored = async () =>
  new Map([...(await catalogue.stored()).values()].map(({ listing }) => [listing.sku, listing]));

const whole = {
  sku: 'A',
  source: 'shop',
  name: 'Kettle',
  price: '10.00',
  currency: 'SGD',
  brand: 'Bolt',
  is_available: true,
  category_path: ['Home', 'Kettles'],
  metadata: { mpn: 'K-1' },
  list_price: '20.00',
  last_checked: '2026-11-01T00:00:00Z',
};

describe('npm run ingest and withdraw with stored listings', function () {
  beforeEach(catalogue.empty);
  after(catalogue.remove);

  it('--patch keeps absent fields, clears null ones, applies two patches of one listing and rejects unknown SKUs', async () => {
    await ingest(feedOf(whole, { ...whole, sku: 'B' }));
    const before = await stored();
    await ends(
      ingest(
        feedOf(
          { sku: 'A', source: 'shop', price: '8.00' },
          { sku: 'A', source: 'shop', is_available: false },
          { sku: 'B', source: 'shop', list_price: null, brand: null, last_checked: '2026-11-02T00:00:00Z' },
          { sku: 'C', source: 'shop', price: '1.00' },
          { sku: 'B', source: 'shop', price: 'free' },
        ),
        '--patch',
      ),
      4,
    );
    const after = await stored();
    const [a, b] = [after.get('A'), after.get('B')];
    assert.deepInclude(a, {
      price: '8.00',
      is_available: false,
      brand: 'Bolt',
      name: 'Kettle',
      metadata: { mpn: 'K-1' },
    });
    assert.strictEqual(a?.id, before.get('A')?.id);
    assert.strictEqual(a?.internal.list_price, '20.00');
    assert.deepEqual(pluck(a?.internal.price_history, 'price'), ['10.00', '8.00']);
    assert.deepInclude(b, { price: '10.00', brand: null });
    assert.strictEqual(b?.internal.list_price, null);
    assert.deepEqual(pluck(b?.internal.price_history, 'price'), ['10.00']);
    assert.isFalse(after.has('C'));
    const rejects = readFileSync(path.join(folder, 'feed.ndjson.rejected.ndjson'), 'utf8');
    assert.match(
      rejects,
      /"line":4,"reasons":\["record: the listing does not exist, and a patch does not create it"\]/,
    );
    assert.match(rejects, /"line":5,"reasons":\["price: /);
    // A patch that states only the availability does not count as an observation of the price.
    const seen = { sku: 'B', source: 'shop', is_available: false, last_checked: '2026-11-20T00:00:00Z' };
    assert.strictEqual((await ingest(feedOf(seen), '--patch')).code, 0);
    const looked = (await stored()).get('B');
    assert.deepInclude(looked, { is_available: false, last_checked: '2026-11-20T00:00:00Z' });
    assert.lengthOf(looked?.internal.price_history ?? [], 1);
    // A patch that is older than the listing changes nothing but the price history, so its availability is
    // ignored.
    const old = await ingest(
      feedOf({ sku: 'A', source: 'shop', is_available: true, last_checked: '2026-10-01T00:00:00Z' }),
      '--patch',
    );
    assert.strictEqual(old.code, 0);
    assert.deepInclude((await stored()).get('A'), { is_available: false, price: '8.00' });
    const csv = file('delta.csv', 'sku,source,price,brand\nB,shop,9.50,Bolt\n');
    assert.strictEqual((await ingest(csv, '--patch')).code, 0);
    assert.deepInclude((await stored()).get('B'), { price: '9.50', brand: 'Bolt', name: 'Kettle' });
    assert.strictEqual((await ingest(csv, '--patch', '--complete', 'shop')).code, 2);
  });

  it('keeps when a feed without times contained a listing again, and shows no change', async () => {
    const { last_checked: _, ...undated } = whole;
    const feed = feedOf(undated, { ...undated, sku: 'B', price: null });
    const onDay = (day: number) => `2026-10-${String(day).padStart(2, '0')}T06:00:00Z`;
    await ends(ingest(feed, '--observed-at', onDay(1)), 0);
    const first = await stored();
    for (const day of [8, 15, 22, 29]) {
      const { out } = await ends(ingest(feed, '--observed-at', onDay(day)), 0);
      assert.match(out, /2  unchanged/);
    }
    const last = await stored();
    for (const sku of ['A', 'B']) {
      const [before, after] = [first.get(sku), last.get(sku)];
      assert.deepEqual({ ...after, internal: null }, { ...before, internal: null });
      assert.strictEqual(after?.internal.observed_at, onDay(29));
    }
    assert.deepEqual(last.get('A')?.internal.price_history, [
      { price: '10.00', at: onDay(1), seen_until: onDay(29) },
    ]);
    const versions = await catalogue.stored();
    await ends(ingest(feed, '--observed-at', '2026-10-29T06:14:59Z'), 0);
    assert.deepEqual(await catalogue.stored(), versions, 'a sighting of the same quarter of an hour');
    await ends(ingest(feed, '--observed-at', '2999-01-01'), 2);
  });

  it('gives up with exit code 6 if the disk of Elasticsearch is full, and names it', async () => {
    await ends(ingest(feedOf(whole)), 0);
    const block = (value: boolean | null) =>
      es.indices.putSettings({ index: alias, settings: { 'index.blocks.read_only_allow_delete': value } });
    await block(true);
    try {
      await ends(ingest(feedOf({ ...whole, sku: 'B' }), '--give-up-after', '1'), 6, {
        err: /its disk is full[^]*flood-stage watermark[^]*Nothing was loaded/,
      });
    } finally {
      await block(null);
    }
    const broken = file('broken.json', '[{"sku": "A"');
    await ends(ingest(broken, '--dry-run'), 1, { err: /Nothing was loaded, because this is a dry run\.$/m });
  });

  // Without the check, a feed of one shop could overwrite the listing of another.
  it('--source rejects records of any other source', async () => {
    await ingest(feedOf(whole, { ...whole, source: 'rival' }));
    const { source: _, ...anonymous } = whole;
    const feed = feedOf(
      { ...whole, price: '1.00' },
      { ...whole, source: ' rival ', price: '1.00' },
      { ...whole, source: 7 },
      { ...anonymous, sku: 'B' },
    );
    await ends(ingest(feed, '--source', 'shop'), 4);
    const rejected = readFileSync(path.join(folder, 'feed.ndjson.rejected.ndjson'), 'utf8')
      .trim()
      .split('\n');
    assert.deepEqual(
      rejected.map((line) => (JSON.parse(line) as { reasons: string[] }).reasons),
      [['source: "rival" is not the "shop" of --source'], ['source: a number is not a string']],
    );
    await es.indices.refresh({ index: alias });
    const { hits } = await es.search<StoredListing>({ index: alias, sort: ['source', 'sku'] });
    const listings = hits.hits.map(({ _source }) => [_source?.source, _source?.sku, _source?.price]);
    assert.deepEqual(listings, [
      ['rival', 'A', '10.00'],
      ['shop', 'A', '1.00'],
      ['shop', 'B', '10.00'],
    ]);
  });

  it('--on-bad drops invalid fields, and --report writes all results as JSON', async () => {
    const report = path.join(folder, 'report.json');
    const feed = feedOf(
      { ...whole, gtin: '123', image_url: 'kettle.jpg' },
      { ...whole, sku: 'B', gtin: '123', price: 'free' },
      { ...whole, sku: 'D', gtin: '4006381333931' },
    );
    await ends(ingest(feed, '--on-bad', 'gtin,image_url=drop', '--report', report), 4, {
      out: / 1 {2}loaded without an invalid gtin$/m,
    });
    const listings = await stored();
    assert.sameMembers([...listings.keys()], ['A', 'D']);
    assert.deepEqual(listings.get('D')?.internal.gtins, ['04006381333931']);
    const told = JSON.parse(readFileSync(report, 'utf8')) as Record<string, unknown> & {
      files: Record<string, unknown>[];
    };
    assert.deepInclude(told, { exit_code: 4, error: null, completed: [] });
    assert.deepInclude(told.files[0], {
      read: 3,
      created: 2,
      rejected: 1,
      dropped_fields: { gtin: 1, image_url: 1 },
    });
    assert.strictEqual((await ingest(feed, '--on-bad', 'sku=drop')).code, 2);
    // The report also describes a load that a guard has stopped.
    const stopped = await ingest(
      feedOf(whole),
      '--complete',
      'shop',
      '--report',
      report,
      '--max-vanished',
      '10',
    );
    assert.strictEqual(stopped.code, 3);
    const { exit_code, completed } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, unknown>;
    assert.strictEqual(exit_code, 3);
    assert.match(JSON.stringify(completed), /"vanished":1.*"stopped":true/);
  });

  it('--declared-history stores past prices, and no statistic uses them', async () => {
    const told = { price: '99.00', at: '2026-09-01T00:00:00Z' };
    const price_history = [told];
    const feed = feedOf({ ...whole, price_history }, { ...whole, sku: 'B', price_history });
    assert.strictEqual((await ingest('--declared-history', feed)).code, 0);
    const declared = (await stored()).get('A')?.internal;
    assert.deepEqual(declared?.price_history, [
      { ...told, declared: true },
      { price: '10.00', at: '2026-11-01T00:00:00Z', declared: true },
    ]);
    assert.deepInclude(declared, { reference_units: null, observed_discount: null, price_moved_at: [] });
    assert.isAbove(Date.parse(declared?.first_observed_at ?? ''), Date.parse('2026-11-01T00:00:00Z'));
    // The same file can be loaded again as trusted, if the operator later decides to trust the feed.
    assert.strictEqual((await ingest(feed)).code, 0);
    const observed = (await stored()).get('A')?.internal;
    assert.include(observed, { reference_units: 990_000, first_observed_at: '2026-09-01T00:00:00Z' });
  });

  // Without the tombstone of a withdrawn listing, an older record would create the listing again.
  it('withdraw deletes listings; a later observation restores one under its id, an older one does not', async () => {
    await ingest(feedOf(whole, { ...whole, sku: 'B' }, { ...whole, sku: 'X', source: 'other' }));
    const before = await stored();
    const skus = file('skus.txt', 'B\nnone\n');
    await ends(withdraw('--source', 'shop', '--skus', skus), 0, {
      out: /^1 listing of shop withdrawn; 1 SKU has no listing$/m,
    });
    assert.sameMembers([...(await stored()).keys()], ['A', 'X']);
    await ends(ingest(feedOf({ ...whole, sku: 'B', last_checked: '2026-11-02T00:00:00Z' })), 4, {
      out: /withdrawn after this was observed/,
    });
    assert.isFalse((await stored()).has('B'));
    const { last_checked: _, ...undated } = whole;
    assert.strictEqual((await ingest(feedOf({ ...undated, sku: 'B' }))).code, 0);
    assert.strictEqual((await stored()).get('B')?.id, before.get('B')?.id);
    const dry = await withdraw('--source', 'shop', '--dry-run');
    assert.match(dry.out, /2 listings of shop would be withdrawn/);
    assert.lengthOf([...(await stored()).keys()], 3);
    assert.strictEqual((await withdraw('--source', 'shop')).code, 0);
    assert.sameMembers([...(await stored()).keys()], ['X']);
  });
});
