// Chaos only (commands, sampled): it loads a feed of every format.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { zipSync } from 'fflate';
import { assert } from 'chai';
import { encode } from '../support/encode.js';
import { main } from '../../scripts/ingest.js';
import { checkDigit } from '../../src/listing/gtin.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { LOAD_ONLY, ends, run } from '../support/command.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';
import { pluck } from '../support/listings.js';

const catalogue = testCatalogue('formats');
const { alias, env, es, file, folder } = catalogue;
const ingest = (...args: string[]) => run(main, [...args, ...LOAD_ONLY, '--rejects', folder], { env });
const fixture = (name: string) => path.join(import.meta.dirname, '../feeds/map/fixtures', name);

async function stored(source: string): Promise<StoredListing[]> {
  await es.indices.refresh({ index: alias });
  const query = { term: { source } };
  const { hits } = await es.search<StoredListing>({ index: alias, size: 100, query, sort: ['sku'] });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

const MAP = `
decimal: ','
fields:
  sku: Artikel
  source: { const: laden }
  name: { template: '{Titel}[, {Farbe}]' }
  description: { from: Text, html: true }
  price:
    - { from: Aktion, when: { start: Ab, end: Bis }, money: amount }
    - { from: Preis, money: amount }
  list_price: { from: Preis, if: Aktion, when: { start: Ab, end: Bis }, money: amount }
  currency: { from: Preis, money: currency }
  category_path: { from: Gruppe, split: / }
  is_available: { from: Lager, enum: { ja: true, nein: false } }
  image_url: [Bild 1, Bild 2]
  last_checked: { from: Stand, time: true }
metadata:
  colour: Farbe
rest: metadata
`;
const FEED = `Erzeugt am 22.11.2026
Artikel;Titel;Text;Preis;Aktion;Ab;Bis;Gruppe;Lager;Farbe;Bild 1;Bild 2;Stand;Gewicht
A-1;Kanne;"<p>Aus Stahl;
schön</p>";1.049,90 €;999,00 €;2026-01-01;2099-12-31;Küche/Kannen;ja;rot;;https://laden.example/a.jpg;2026-11-20 10:00;2 kg
A-2;Topf;;49,90 €;39,90 €;2020-01-01;2020-01-31;Küche;nein;;;;2026-11-20 10:00;
A-3;Pfanne;;auf Anfrage;;;;;;;;;;
`;
const NATIVE = [
  {
    sku: 'A-1',
    source: 'laden',
    name: 'Kanne, rot',
    description: 'Aus Stahl; schön',
    price: '999.00',
    list_price: '1049.90',
    currency: 'EUR',
    category_path: ['Küche', 'Kannen'],
    is_available: true,
    image_url: 'https://laden.example/a.jpg',
    last_checked: '2026-11-20T02:00:00Z',
    metadata: { colour: 'rot', Gewicht: '2 kg' },
  },
  {
    sku: 'A-2',
    source: 'laden',
    name: 'Topf',
    price: '49.90',
    currency: 'EUR',
    category_path: ['Küche'],
    is_available: false,
    last_checked: '2026-11-20T02:00:00Z',
  },
];

describe('npm run ingest of feeds in other formats', function () {
  before(catalogue.empty);
  after(catalogue.remove);

  it('stores the same listings with a map as from records', async () => {
    const native = file('native.ndjson', ndjson(NATIVE));
    assert.strictEqual((await ingest(native)).code, 0);
    const before = JSON.stringify(await stored('laden'));
    const map = file('map.yaml', MAP);
    const feed = file('laden.csv', Buffer.from(FEED.replaceAll('€', 'EUR'), 'latin1'));
    const how = ['--map', map, '--skip-lines', '1', '--encoding', 'latin1', '--timezone', 'Asia/Singapore'];
    await ends(ingest(feed, '--strict', ...how), 4, { out: / 2 {2}unchanged$/m });
    assert.strictEqual(JSON.stringify(await stored('laden')), before);
    const [reject] = readFileSync(path.join(folder, 'laden.csv.rejected.ndjson'), 'utf8').trim().split('\n');
    const { line, reasons, record } = JSON.parse(reject ?? '') as {
      line: number;
      reasons: string[];
      record: { Preis: string };
    };
    assert.deepEqual(
      [line, reasons, record.Preis],
      [6, ['price: "auf Anfrage" is not an amount of money (column Preis)'], 'auf Anfrage'],
    );

    const utf16 = file(
      'laden16.csv',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(FEED, 'utf16le')]),
    );
    const again = await ingest(utf16, '--map', map, '--skip-lines', '1', '--timezone', 'Asia/Singapore');
    assert.match(again.out, / 2 {2}unchanged$/m);
  });

  it('displays the first record and unused columns in a dry run, and reports errors in a map', async () => {
    const { code, err } = await ingest('--as', 'google', '--source', 'g', '--dry-run', fixture('google.xml'));
    assert.strictEqual(code, 0, err);
    assert.match(err, /The first record, from line 7:\n\{\n {2}"sku": "AX-1"/);
    assert.match(err, /does not read: "shipping_label"/);
    const wrong = file('wrong.yaml', 'fields: { sku: id, prize: price, price: { form: price } }');
    const refused = await ingest('--map', wrong, fixture('google.xml'));
    assert.strictEqual(refused.code, 2);
    assert.match(refused.err, /fields: there is no "prize"/);
    assert.match(refused.err, /fields\.price: there is no "form"/);
    const pattern = file('pattern.yaml', 'fields: { sku: { from: id, match: "(" } }');
    assert.match(
      (await ingest('--map', pattern, fixture('google.xml'))).err,
      /match: Invalid regular expression/,
    );
  });

  it('repairs scripts of a page, says what and where, and rejects what it would have to guess', async () => {
    const script = (sku: string, price: string, end = '') =>
      `<script type="application/ld+json">\n{"@type":"http://schema.org/Product","sku":"${sku}","name":"Desk Arvo",\n"offers":{"price":${price},"priceCurrency":"PLN"}}${end}</script>\n`;
    const page = file(
      'desk.html',
      `<!doctype html>\n${script('A', '"1.00"')}${script('B', '"2.00"', ';')}${script('C', '3,00')}${script('D', "'4.00'", '}')}${script('E', 'NaN')}`,
    );
    const load = () => ingest('--as', 'schemaorg', '--source', 'desks', page);
    const { code, out, err } = await load();
    assert.strictEqual(code, 4, out + err);
    assert.deepEqual(
      (await stored('desks')).map(({ sku, price }) => [sku, price]),
      [
        ['A', '1.00'],
        ['B', '2.00'],
        ['D', '4.00'],
      ],
    );
    assert.match(err, /line 5: repaired a superfluous ; \(line 7, column \d+\)/);
    assert.match(
      err,
      /line 11: repaired a superfluous \} \(line 13, column \d+\); single quotes \(line 13, column \d+\)/,
    );
    assert.match(out, / 1 {2}read after a repair of a superfluous ;\n/);
    assert.match(out, / 2 {2}rejected\n +1 +record: is not valid JSON: .*\n/);
    const lines = readFileSync(path.join(folder, 'desk.html.rejected.ndjson'), 'utf8').trim().split('\n');
    const rejects = lines.map((line) => JSON.parse(line) as { line: number; reasons: string[] });
    assert.deepEqual(pluck(rejects, 'line'), [8, 14]);
    assert.match(rejects[0]?.reasons[0] ?? '', /\(line 10, column \d+\)$/);
    assert.match(
      rejects[1]?.reasons[0] ?? '',
      /the value of price would be a guess \(line 16, column \d+\)$/,
    );
  });

  it('writes at most the beginning of a long record to the file of rejected records', async () => {
    const long = { name: 'Desk', price: 'none', description: 'x'.repeat(1_000_000) };
    const feed = file(
      'long.ndjson',
      ndjson([
        { ...long, sku: 'A' },
        { ...long, sku: 'B', description: 'x' },
      ]),
    );
    await ends(ingest('--source', 'long', feed), 4);
    const [first = '', second = ''] = readFileSync(
      path.join(folder, 'long.ndjson.rejected.ndjson'),
      'utf8',
    ).split('\n');
    assert.isBelow(first.length, 2_000);
    assert.match((JSON.parse(first) as { record: string }).record, /^\{"name":"Desk","price":"none",.*x…$/);
    assert.deepInclude((JSON.parse(second) as { record: object }).record, { sku: 'B', description: 'x' });
  });

  it('reads zip and zstd, records within a document, and adds a missing source', async () => {
    const zip = file('feed.zip', zipSync({ 'feed.tsv': readFileSync(fixture('google.tsv')) }));
    const loaded = await ingest('--as', 'google', '--source', 'zipped', zip);
    assert.strictEqual(loaded.code, 0, loaded.err + loaded.out);
    assert.lengthOf(await stored('zipped'), 3);
    // The text {"products":[{"sku":"Z","name":"Kettle"}]}, compressed by `zstd`.
    const zstd = 'KLUv/SAqUQEAeyJwcm9kdWN0cyI6W3sic2t1IjoiWiIsIm5hbWUiOiJLZXR0bGUifV19';
    const packed = file('feed.json.zst', Buffer.from(zstd, 'base64'));
    const within = await ingest('--records', 'products', '--source', 'packed', packed);
    assert.strictEqual(within.code, 0, within.err + within.out);
    assert.deepEqual(pluck(await stored('packed'), 'sku'), ['Z']);
    const cut = file(
      'cut.zip',
      zipSync({ 'feed.tsv': readFileSync(fixture('google.tsv')) }).subarray(0, 300),
    );
    await ends(ingest('--as', 'google', '--source', 'cut', cut), 1, { err: /cut off/ });
  });

  it('suggests a map that loads the feed', async () => {
    const { code, out } = await ingest('--suggest-map', '--source', 'guessed', fixture('google.tsv'));
    assert.strictEqual(code, 0);
    const map = file('guessed.yaml', out);
    await ends(ingest('--map', map, fixture('google.tsv')), 0);
    const [first] = await stored('guessed');
    assert.deepInclude(first, {
      sku: 'AX-1',
      price: '299.00',
      currency: 'SGD',
      brand: 'Auralis',
      is_available: true,
    });
    assert.match(out, /"google product category": "543626"/);
    const far = file(
      'far.csv',
      'aw_product_id;PRODUCTNAME;PRICE_VAT;IMGURL;in_stock\n1;Kettle;1 049,90;https://far.example/1.jpg;1\n',
    );
    const guess = file('far.yaml', (await ingest('--suggest-map', '--source', 'guessed_far', far)).out);
    await ends(ingest('--map', guess, far), 0);
    const image_url = 'https://far.example/1.jpg';
    const [kettle] = await stored('guessed_far');
    assert.deepInclude(kettle, { sku: '1', name: 'Kettle', price: '1049.90', image_url, is_available: true });
    const german = file(
      'german.csv',
      'Artikelnummer;Bezeichnung;Preis;Währung;EAN\n1;Topf;1.049,90;EUR;4006381333931\n2;Deckel;auf Anfrage;EUR;4006381333931\n3;Pfanne;89,00;EUR;1\n',
    );
    const { out: read } = await ingest('--suggest-map', '--source', 'guessed_german', german);
    assert.match(read, /decimal: ","/);
    for (const placed of ['name: Bezeichnung', 'from: Preis', 'currency: Währung', 'gtin: EAN'])
      assert.include(read, placed);
    // A single price with another decimal separator must not determine the separator, because the other
    // prices would become a thousand times lower.
    const mixed = file('mixed.csv', 'sku;name;price\n1;A;19.99\n2;B;Rp 15.999.000\n3;C;29.90 SGD\n');
    const { out: several } = await ingest('--suggest-map', '--source', 'mixed', mixed);
    assert.notInclude(several, 'decimal:');
    assert.include(several, 'after a comma (1) and after a point (2)');
    const bare = file('bare.csv', 'sku;name;price\n1;A;19.99\n');
    assert.include((await ingest('--suggest-map', bare)).out, 'specify --currency CODE');
    const lacking = await ends(ingest('--suggest-map', file('lacking.csv', 'nr;note\n1;A\n1;B\n')), 3);
    assert.include(lacking.err, 'No column was found for sku and name and price');
    assert.include(lacking.out, 'fields:');
    for (const column of ['Bild-URL', 'Product image URL', 'picture_url']) {
      const pictures = file('pictures.csv', `sku;name;${column}\n1;A;https://far.example/1.jpg\n`);
      const { out: pictured } = await ingest('--suggest-map', '--source', 'pictures', pictures);
      assert.include(pictured, `image_url: ${column}`);
    }
    const yml =
      '<shop><offer id="7"><name>Topf</name><price>5</price><currencyId>RUB</currencyId></offer></shop>';
    const offers = (await ingest('--suggest-map', '--records', 'offer', file('offers.xml', yml))).out;
    assert.match(offers, /sku: id[^]*currency: currencyId/);
    assert.notInclude(offers, '--currency');
  });

  it('stops if one key occurs again and again, unless --allow-repeats', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      sku: `C${i % 4}`,
      source: 'again',
      name: `Pan ${i}`,
    }));
    const feed = file('again.ndjson', ndjson(rows));
    const { err } = await ends(ingest(feed), 3);
    assert.match(
      err,
      /56 of the first 60 records have the source and SKU of another.*"C0" occurs 15 times.*--allow-repeats/,
    );
    assert.lengthOf(await stored('again'), 0);
    const dated = rows.map((row, i) => ({
      ...row,
      last_checked: `2026-10-01T00:${String(i).padStart(2, '0')}:00Z`,
    }));
    await ends(ingest('--dry-run', file('dated.ndjson', ndjson(dated))), 0);
    // The repeats begin behind the first thousand records, which are examined before anything is loaded.
    const late = Array.from({ length: 1_600 }, (_, i) => ({ ...rows[0], sku: `L${i < 1_100 ? i : 'x'}` }));
    await ends(ingest('--dry-run', file('late.ndjson', ndjson(late))), 3, { err: /--allow-repeats/ });
    await ends(ingest('--allow-repeats', feed), 0);
    assert.lengthOf(await stored('again'), 4);
  });

  it('reports why no map can be suggested, and what a map lacks', async () => {
    const latin = file('latin.csv', Buffer.from('Größe;Preis\nM;5\n', 'latin1'));
    assert.match((await ingest('--suggest-map', latin)).err, /Line 1 is not UTF-8; name its encoding/);
    const xml = file('shop.xml', '<shop><offer id="1"/></shop>');
    assert.match((await ingest('--suggest-map', xml)).err, /name those that are records/);
    await ends(ingest('--as', 'google', fixture('google.tsv')), 2, { err: /add --source NAME/ });
  });

  it('asks which separator an amount has, and names prices without a currency', async () => {
    const tsv = (...rows: string[]) =>
      file(
        'prices.tsv',
        ['id\ttitle\tprice\tavailability', ...rows.map((row) => `${row}\tin stock`)].join('\n'),
      );
    const as = ['--as', 'google', '--source', 'prices'];
    const rejected = async (...args: string[]) => {
      await ends(ingest(...as, ...args), 4);
      const lines = readFileSync(path.join(folder, 'prices.tsv.rejected.ndjson'), 'utf8').trim().split('\n');
      return lines.flatMap((line) => (JSON.parse(line) as { reasons: string[] }).reasons);
    };
    const unclear = tsv('A\tPan\t1.299', 'B\tPot\t12.50');
    assert.deepEqual(await rejected('--currency', 'EUR', unclear), [
      'price: "1.299" of EUR has three decimals or a separator of thousands; specify --decimal point or --decimal comma',
    ]);
    assert.deepEqual(await rejected(tsv('A\tPan\t1.299 EUR')), [
      'price: "1.299 EUR" has three decimals or a separator of thousands; specify --decimal point or --decimal comma',
    ]);
    assert.deepEqual(await rejected('--decimal', 'point', tsv('A\tPan\t139,99 EUR')), [
      'price: "139,99 EUR" is not an amount of money with this decimal separator; if it is a comma: --decimal comma',
    ]);
    const several = tsv(
      'A\tPan\t1.299 EUR',
      'B\tPot\t1.499 CHF',
      'C\tLid\t139,99 EUR',
      'D\t\t5 EUR',
      'E\tCup\t1.50',
    );
    const { out: summed } = await ends(ingest(...as, '--dry-run', several), 4);
    assert.match(summed, /^ +3 {2}rejected$/m);
    assert.match(
      summed,
      /^ +2 {4}in total, until --decimal point or --decimal comma states the decimal separator$/m,
    );
    for (const [decimal, price] of [
      ['comma', '1299.00'],
      ['point', '1.299'],
    ] as const) {
      const feed = tsv('A\tPan\t1.299');
      await ends(ingest(...as, '--currency', 'EUR', '--decimal', decimal, feed), 0);
      assert.deepInclude(
        (await stored('prices')).find(({ sku }) => sku === 'A'),
        { price, currency: 'EUR' },
      );
    }
    for (const [prices, seen] of [
      [['$1,099.00'], 'with "$" (1)'],
      [['890 kr', '1.990,00 kr', '12 Bs', '7'], 'with "kr" (2), "Bs" (1)'],
      [['¥ 12,900', '15 元'], 'with "¥" (1), "元" (1)'],
      [['12.50'], 'without a mark'],
    ] as const) {
      const feed = tsv(...prices.map((price, i) => `M${i}\tPan\t${price}`));
      const decimal = prices.some((price) => price.includes(',00')) ? 'comma' : 'point';
      const { out } = await ends(ingest(...as, '--decimal', decimal, feed), 0);
      assert.include(
        out,
        ` ${prices.length}  loaded with a price of unknown currency, ${seen}: specify --currency CODE\n`,
      );
    }
  });

  it('loads nothing if the feed has prices only in other currencies', async () => {
    const feed = file('cups.csv', 'Product Handle,Product Title,Variant SKU,Price EUR\ncup,Cup,C-1,1450\n');
    const as = ['--as', 'medusa', '--source', 'cups', '--shop-url', 'https://cups.example'];
    await ends(ingest(...as, '--currency', 'USD', feed), 1, { err: /columns of prices are "Price EUR"/ });
    assert.isEmpty(await stored('cups'));
    await ends(ingest(...as, '--currency', 'EUR', feed), 0);
    assert.deepInclude((await stored('cups'))[0], { price: '14.50', currency: 'EUR' });
  });

  it('loads a listing without its price if the price is 0 or in words, and without invalid secondary fields', async () => {
    const head = 'id\ttitle\tprice\tavailability\tgtin';
    const load = (price: string, availability: string, gtin = '4006381333931') =>
      ingest(
        '--as',
        'google',
        '--source',
        'free',
        file('free.tsv', `${head}\nA\tPan\t${price}\t${availability}\t${gtin}\n`),
      );
    await ends(load('12.50 EUR', 'in stock'), 0);
    for (const price of ['0.00 EUR', 'call for price']) {
      await ends(load('12.50 EUR', 'in stock'), 0);
      await ends(load(price, 'in stock'), 0, {
        out: / 1 {2}loaded without a price, which is 0 or in words$/m,
      });
      assert.deepInclude((await stored('free'))[0], { price: null, is_available: true });
    }
    const many = Array.from({ length: 21 }, (_, at) => {
      const digits = `4006381333${10 + at}`;
      return digits + checkDigit(digits);
    }).join(',');
    const { out } = await ends(load('12.50 EUR', 'vielleicht', `36000291452,${many}`), 0);
    assert.match(out, / 1 {2}loaded without an invalid is_available$/m);
    assert.match(out, / 1 {2}loaded without an invalid gtin$/m);
    assert.deepInclude((await stored('free'))[0], { price: '12.50', is_available: null });
  });

  it('--decimal sets the decimal separator', async () => {
    const woo = file('woo.csv', 'ID,Type,SKU,Name,Published,Regular price\n1,simple,W1,Lampe,1,1.249\n');
    const args = ['--as', 'woocommerce', '--source', 'woo_de', '--currency', 'EUR'];
    assert.strictEqual((await ingest(...args, woo)).code, 4);
    assert.strictEqual((await ingest(...args, '--decimal', 'comma', woo)).code, 0);
    assert.deepInclude((await stored('woo_de'))[0], { price: '1249.00', currency: 'EUR' });
    assert.strictEqual((await ingest('--decimal', 'comma', woo)).code, 2);
  });

  describe('from a URL', () => {
    let server: Server;
    const body = readFileSync(fixture('google.tsv'));
    let asked: string[] = [];
    before((done) => {
      // The server interrupts the first connection and then supports ranges.
      server = createServer(({ headers, url }, response) => {
        asked.push(`${url} ${headers.range ?? 'all'} ${headers.authorization ?? ''}`);
        if (url === '/stated.csv') {
          const headers = { 'content-type': 'text/csv; Charset="windows-1250"' };
          return void response
            .writeHead(200, headers)
            .end(encode('sku,source,name\n1,stated,Žehlička\n', 'windows-1250'));
        }
        if (url === '/none.tsv') return void response.writeHead(404).end();
        if (url?.startsWith('/dated') === true) {
          const isKnown = headers['if-none-match'] === '"7"' || headers['if-modified-since'] !== undefined;
          if (isKnown) return void response.writeHead(304).end();
          const version = { etag: '"7"', 'last-modified': 'Thu, 01 Oct 2026 06:00:00 GMT' };
          return void response.writeHead(200, version).end(body);
        }
        if (headers.range === undefined) {
          response.writeHead(200, { etag: '"1"', 'content-length': body.length });
          response.write(body.subarray(0, 500), () => response.destroy());
          return;
        }
        const from = Number(/\d+/.exec(headers.range)?.[0]);
        response.writeHead(206, { etag: '"1"' }).end(body.subarray(from));
      }).listen(0, '127.0.0.1', done);
    });
    after((done) => void server.close(done));
    const address = (name: string) =>
      `http://me:secret@127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;

    it('takes Last-Modified for the time of sightings, and --if-changed loads only what has changed', async () => {
      const versions = path.join(folder, 'versions.json');
      const load = (...args: string[]) =>
        ingest('--as', 'google', '--source', 'dated', '--allow-private', address('dated.tsv'), ...args);
      await ends(load('--if-changed', versions, '--complete', 'dated'), 0);
      for (const { internal } of await stored('dated'))
        assert.strictEqual(internal.observed_at, '2026-10-01T06:00:00Z');
      assert.notMatch(readFileSync(versions, 'utf8'), /secret/);
      asked = [];
      const again = await ends(load('--if-changed', versions, '--complete', 'dated'), 0);
      assert.match(again.out, /dated\.tsv: not modified since it was loaded last; nothing was loaded/);
      assert.lengthOf(asked, 1);
      assert.isTrue((await stored('dated')).some(({ is_available }) => is_available));
      await ends(load(), 0, { out: / 3 {2}unchanged$/m });
      await ends(load('--if-changed', file('odd.json', '{')), 1, { err: /cannot be read/ });
    });

    it('decodes it as its Content-Type states', async () => {
      await ends(ingest('--allow-private', address('stated.csv')), 0);
      assert.deepEqual(pluck(await stored('stated'), 'name'), ['Žehlička']);
      await ends(ingest('--allow-private', '--encoding', 'utf-8', address('stated.csv')), 4);
    });

    it('resumes an interrupted download and displays no secret', async () => {
      asked = [];
      const { code, out, err } = await ingest(
        '--as',
        'google',
        '--source',
        'far',
        '--allow-private',
        address('feed.tsv?sign=s3cret'),
      );
      assert.strictEqual(code, 0, err);
      assert.lengthOf(await stored('far'), 3);
      const login = `Basic ${Buffer.from('me:secret').toString('base64')}`;
      assert.deepEqual(asked, [
        `/feed.tsv?sign=s3cret all ${login}`,
        `/feed.tsv?sign=s3cret bytes=500- ${login}`,
      ]);
      assert.notMatch(out + err, /secret|s3cret/);
      await ends(ingest('--as', 'google', '--source', 'far', '--allow-private', address('none.tsv')), 1, {
        err: /responds with status 404/,
      });
      asked = [];
      const refused = await ingest('--as', 'google', '--source', 'far', address('feed.tsv?sign=s3cret'));
      assert.strictEqual(refused.code, 1);
      assert.match(refused.err, /an address that is not public. --allow-private allows that/);
      assert.notMatch(refused.out + refused.err, /secret|s3cret/);
      assert.deepEqual(asked, []);
    });
  });
});
