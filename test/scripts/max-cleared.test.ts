import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { main } from '../../scripts/ingest.js';
import { ends, LOAD_ONLY, run } from '../support/command.js';
import { syncing } from '../support/syncing.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';

const catalogue = testCatalogue('max-cleared');
const { env, file, stored } = catalogue;
const ingest = (...args: string[]) => run(main, [...args, ...LOAD_ONLY], { env });
const pipe = (text: string, ...args: string[]) => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, i) =>
    bytes.subarray(1_000 * i, 1_000 * (i + 1)),
  );
  return run(main, ['-', '--rejects', 'none', ...args, ...LOAD_ONLY], { env, stdin: Readable.from(pieces) });
};

const FIELDS = {
  price: '12.50',
  currency: 'EUR',
  is_available: true,
  buy_url: 'https://lamps.example/a',
  image_url: 'https://lamps.example/a.jpg',
  brand: 'Lumo',
  category: 'Desk lamps',
};
type Field = keyof typeof FIELDS;

/** Records of lamps; of the first ones, some fields are missing. */
function lamps(count: number, { without = 0, fields = [] as readonly string[], more = {} } = {}) {
  return Array.from({ length: count }, (_, at) => {
    const record: Record<string, unknown> = {
      sku: `L${at}`,
      source: 'lamps',
      name: `Lamp ${at}`,
      ...FIELDS,
      ...more,
    };
    if (at < without) for (const field of fields) record[field] = null;
    return record;
  });
}

const load = async (records: readonly object[], ...args: string[]) => {
  const loaded = await ingest(file('before.ndjson', ndjson(records)), ...args);
  assert.strictEqual(loaded.code, 0, loaded.err);
};

/** Returns how many listings have a value in a field. */
const having = async (field: Field) =>
  [...(await stored()).values()].filter(({ listing }) => listing[field] !== null).length;

/** Checks that a load is refused, names what it would clear, and writes nothing. */
async function refuses(loading: () => Promise<{ code: number; out: string; err: string }>, what: RegExp) {
  const before = await stored();
  await ends(loading(), 3, { err: what });
  assert.deepEqual(await stored(), before);
}

const GOOGLE = [
  'id',
  'title',
  'price',
  'sale_price',
  'availability',
  'link',
  'image_link',
  'brand',
  'product_type',
];
const google = (count: number, header = GOOGLE, onSale = 2) =>
  [
    header.join('\t'),
    ...Array.from({ length: count }, (_, at) =>
      [
        `G${at}`,
        `Teapot ${at}`,
        '24.00 EUR',
        at < onSale ? '19.00 EUR' : '',
        'in_stock',
        `https://pots.example/${at}`,
        `https://pots.example/${at}.jpg`,
        'Theo',
        'Kitchen > Teapots',
      ].join('\t'),
    ),
  ].join('\n');
const renamed = (name: string, other: string) => GOOGLE.map((column) => (column === name ? other : column));

describe('a load that would clear a field of many listings', function () {
  beforeEach(catalogue.empty);
  after(catalogue.remove);

  it('is refused before it writes anything if a column was renamed and another one fills the field sometimes', async () => {
    const as = ['--as', 'google', '--source', 'pots', '--complete', 'pots'];
    await ends(ingest(file('pots.tsv', google(30)), ...as), 0, {});
    const feed = file('renamed.tsv', google(30, renamed('price', 'prise')));
    const what =
      /would clear fields in more listings than the 20 % of --max-cleared:\s+price of 28 of the 30 listings of pots that have it \(93\.3 %\).*Nothing was loaded\..*"prise".*use --max-cleared 94/s;
    await refuses(() => ingest(feed, ...as), what);
    await refuses(() => ingest(feed, ...as, '--dry-run'), what);
    await refuses(() => ingest(feed, ...as.slice(0, 4)), what);
    await refuses(() => pipe(google(30, renamed('price', 'prise')), ...as), what);
    const allowed = await ingest(feed, ...as, '--max-cleared', '94');
    assert.strictEqual(allowed.code, 0, allowed.err);
    assert.match(allowed.out, /\b28 {2}price cleared$/m);
    assert.match(allowed.out, /\b0 {2}price moved$/m);
    assert.strictEqual(await having('price'), 2);
  });

  for (const field of Object.keys(FIELDS) as Field[])
    it(`is refused for the field ${field}`, async () => {
      await load(lamps(40));
      const feed = (without: number) => file('after.ndjson', ndjson(lamps(40, { without, fields: [field] })));
      await refuses(() => ingest(feed(9)), new RegExp(`\\n  ${field} of 9 of the 40 listings of lamps`));
      assert.strictEqual((await ingest(feed(8))).code, 0);
      assert.strictEqual(await having(field), 32);
    });

  it('is refused if the column of prices before a sale was renamed, so that prices would move', async () => {
    const as = ['--as', 'google', '--source', 'pots', '--complete', 'pots'];
    await ends(ingest(file('pots.tsv', google(30, GOOGLE, 12)), ...as), 0, {});
    const feed = file('renamed.tsv', google(30, renamed('sale_price', 'promo_price'), 12));
    const what =
      /list_price of 12 of the 12 listings of pots that have it \(100 %\).*"promo_price".*use --allow-missing list_price/s;
    await refuses(() => ingest(feed, ...as), what);
    await refuses(() => pipe(google(30, renamed('sale_price', 'promo_price'), 12), ...as), what);
    // A sale that ends for many products is no reason to stop, but its end for all of them has to be allowed.
    await ends(ingest(file('fewer.tsv', google(30, GOOGLE, 4)), ...as), 0, { out: /\b8 {2}price moved$/m });
    const over = file('over.tsv', google(30, GOOGLE, 0));
    await refuses(() => ingest(over, ...as), /list_price of 4 of the 4/);
    await ends(ingest(over, ...as, '--allow-missing', 'list_price'), 0, { out: /\b4 {2}price moved$/m });
  });

  it('may lack list prices of which its records say nothing', async () => {
    await load(lamps(30, { more: { list_price: '15.00' } }));
    await ends(ingest(file('after.ndjson', ndjson(lamps(30)))), 0, {});
    await load(lamps(30, { more: { list_price: '15.00' } }));
    await refuses(
      () => ingest(file('null.ndjson', ndjson(lamps(30, { more: { list_price: null } })))),
      /list_price of 30 of the 30/,
    );
    const patch = (header: string) =>
      `source,sku,${header}\n${lamps(30)
        .map(({ sku }) => `lamps,${sku as string},\n`)
        .join('')}`;
    await refuses(() => ingest(file('patch.csv', patch('list_price')), '--patch'), /list_price of 30/);
  });

  it('is refused if the feed is cut off as well, of a file and of a stream', async () => {
    await load(lamps(30));
    const text = JSON.stringify(lamps(30)).replaceAll('"price"', '"prise"');
    const cut = text.slice(0, text.indexOf('"L15"'));
    await refuses(() => ingest(file('cut.json', cut), '--allow-missing', 'brand'), /price/);
    const mixed = JSON.stringify(lamps(30, { without: 15, fields: ['price'] }));
    const half = mixed.slice(0, mixed.indexOf('"L20"'));
    await refuses(() => ingest(file('half.json', half)), /price of 15 of the 30/);
    await refuses(() => pipe(half), /price of 15 of the 30/);
  });

  it('is refused if the records that lack the field come late, also in a stream', async () => {
    const records = lamps(2_400);
    await load(records);
    const late = ndjson(records.map((one, at) => (at < 1_800 ? one : { ...one, price: null })));
    await refuses(() => ingest(file('late.ndjson', late)), /price of 600 of the 2,400/);
    await refuses(() => pipe(late), /price of 600 of the 2,400/);
    const fewer = ndjson(records.map((one, at) => (at < 2_000 ? one : { ...one, price: null })));
    const loaded = await pipe(fewer);
    assert.strictEqual(loaded.code, 0, loaded.err);
    assert.match(loaded.out, /standard input: 2,400 records .*\b400 {2}price cleared/s);
  });

  it('is refused if its files together clear too much', async () => {
    await load(lamps(40));
    const parts = [0, 1, 2, 3].map((part) => {
      const records = lamps(40, { without: 40, fields: ['brand'] }).slice(10 * part, 10 * part + 4);
      return file(`part-${part}.ndjson`, ndjson(records));
    });
    await refuses(() => ingest(...parts), /brand of 16 of the 40/);
    assert.strictEqual((await ingest(...parts.slice(0, 2))).code, 0);
    assert.strictEqual(await having('brand'), 32);
  });

  it('is refused by the shares that the operator states', async () => {
    await load(lamps(100));
    const feed = (without: number) =>
      file('after.ndjson', ndjson(lamps(100, { without, fields: ['image_url'] })));
    await refuses(() => ingest(feed(1), '--max-cleared', '0'), /image_url of 1 of the 100/);
    await refuses(() => ingest(feed(6), '--max-cleared', '5%'), /5 % of --max-cleared/);
    for (const args of [
      ['--max-cleared', '100'],
      ['--allow-missing', 'image_url'],
    ]) {
      assert.strictEqual((await ingest(feed(90), ...args)).code, 0);
      assert.strictEqual(await having('image_url'), 10);
      await load(lamps(100));
    }
  });

  it('is not one that clears a field of one or two listings of a small source', async () => {
    await load(lamps(3));
    const feed = (without: number) =>
      file('after.ndjson', ndjson(lamps(3, { without, fields: ['price', 'currency'] })));
    await refuses(() => ingest(feed(3)), /price of 3 of the 3/);
    assert.strictEqual((await ingest(feed(2))).code, 0);
  });

  it('is measured by the listings that have the field and are still sold', async () => {
    const old = lamps(60, { more: { is_available: false } }).slice(20);
    await load([...lamps(20), ...old]);
    const feed = file('after.ndjson', ndjson(lamps(20, { without: 6, fields: ['price'] })));
    await refuses(() => ingest(feed), /price of 6 of the 20 listings/);
    // Listings that are out of stock count if the load states them.
    const all = [...lamps(20, { without: 6, fields: ['price'] }), ...old];
    assert.strictEqual((await ingest(file('all.ndjson', ndjson(all)))).code, 0);
    await load([...lamps(20, { without: 16, fields: ['brand'] })], '--max-cleared', '100');
    const branded = file('few.ndjson', ndjson(lamps(20, { without: 20, fields: ['brand'] })));
    await refuses(() => ingest(branded), /brand of 4 of the 4|allow-missing brand/);
  });

  it('is not one whose records are older than the listings, or that only says less about availability', async () => {
    const at = (day: string, more = {}) => ({ more: { last_checked: `2026-0${day}T00:00:00Z`, ...more } });
    await load(lamps(30, at('3-02')));
    const older = lamps(30, { without: 30, fields: ['price'], ...at('3-01') });
    assert.strictEqual(
      (await ingest(file('older.ndjson', ndjson([...older, ...lamps(30, at('3-02'))])))).code,
      0,
    );
    assert.strictEqual(await having('price'), 30);
    await load(lamps(30, at('3-03', { is_available: false })));
    const unknown = lamps(30, { without: 30, fields: ['is_available'], ...at('3-04') });
    assert.strictEqual((await ingest(file('unknown.ndjson', ndjson(unknown)))).code, 0);
  });

  it('may be a patch with blank cells', async () => {
    await load(lamps(30));
    const patch = (blank: number) =>
      `source,sku,price\n${lamps(30)
        .map(({ sku }, at) => `lamps,${sku as string},${at < blank ? '' : '9.00'}\n`)
        .join('')}`;
    await refuses(() => ingest(file('blank.csv', patch(10)), '--patch'), /price of 10 of the 30/);
    const loaded = await ingest(file('blank.csv', patch(6)), '--patch');
    assert.strictEqual(loaded.code, 0, loaded.err);
    assert.strictEqual(await having('brand'), 30);
    assert.strictEqual(await having('price'), 24);
  });

  it('does not count rejected records, and counts those whose invalid value is dropped', async () => {
    await load(lamps(30));
    const bad = lamps(30).map((one, at) => (at < 12 ? { ...one, image_url: 'none' } : one));
    const feed = file('bad.ndjson', ndjson(bad));
    assert.strictEqual((await ingest(feed, '--rejects', 'none')).code, 4);
    await refuses(() => ingest(feed, '--on-bad', 'image_url=drop'), /image_url of 12 of the 30/);
  });

  it('stops a run of a source, with the rule and the key that would allow it', async () => {
    const { source, sync } = syncing(catalogue);
    const woo = (header: string) =>
      `ID,Type,SKU,Name,Published,In stock?,Sale price,${header},Categories\n${Array.from(
        { length: 30 },
        (_, at) => `${at},simple,W${at},Vase ${at},1,1,${at < 6 ? '8.00' : ''},10.00,Home\n`,
      ).join('')}`;
    let body = woo('Regular price');
    const server = createServer((_request, response) => void response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.csv`;
      const vases = { url, as: 'woocommerce' as const, currency: 'EUR', allow_private: true };
      source('vases', vases);
      const first = await sync('2026-05-01T00:00:00Z', ['vases']);
      assert.strictEqual(first.runs[0]?.outcome, 'loaded', first.said);
      body = woo('Normal price');
      const second = await sync('2026-05-02T00:00:00Z', ['vases']);
      assert.deepInclude(second.runs[0], { outcome: 'refused', rule: 'max_cleared' });
      assert.match(
        second.runs[0]?.reason ?? '',
        /price of 24 of the 30.*list_price of 6 of the 6.*guards\.max_cleared: 80 in vases\.yaml and guards\.allow_missing: \[list_price\] in vases\.yaml/s,
      );
      assert.strictEqual(await having('price'), 30);
      source('vases', { ...vases, guards: { max_cleared: 80, allow_missing: ['list_price'] } });
      const third = await sync('2026-05-03T00:00:00Z', ['vases']);
      assert.deepInclude(third.runs[0]?.counts, { price_cleared: 24, price_moved: 0 });
      assert.match(third.said, /24 without a price that they had/);
    } finally {
      server.close();
    }
  });
});
