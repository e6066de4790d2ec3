import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { platformMap, readFeedMap } from '../../../src/feeds/map/feed-map.js';
import { readRecords } from '../../../src/feeds/map/records.js';
import { FeedError, type FeedOptions, readFeed } from '../../../src/feeds/read/feed.js';
import { encode } from '../../support/encode.js';

/** Reads a feed. @returns its names, each rejection as `LINE: REASON`, and the error that ended the feed. */
async function read(feed: Buffer, options: FeedOptions = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  const chunks = [];
  for (let at = 0; at < feed.length; at += 64 * 1024) chunks.push(feed.subarray(at, at + 64 * 1024));
  try {
    for await (const { line, value, error } of readFeed(Readable.from(chunks), options))
      found.push(
        error === undefined
          ? ((value as { name?: unknown; title?: unknown }).name ?? (value as { title: unknown }).title)
          : `${line}: ${error}`,
      );
  } catch (error) {
    assert.instanceOf(error, FeedError);
    found.push((error as Error).message);
  }
  return found;
}

const NOT_UTF8 = 'record: is not UTF-8; name its encoding with --encoding';

const csv = (...names: string[]) =>
  `sku,source,name\n${names.map((name, index) => `${index},s,${name}\n`).join('')}`;
const page = (declaration: string, name: string) =>
  `<!doctype html>\n<html><head>${declaration}<title>Shop</title>\n<script type="application/ld+json">{"@type":"Product","name":"${name}"}</script></head></html>`;
const xml = (declaration: string, name: string) =>
  `${declaration}<rss><channel>\n<item><id>1</id><title>${name}</title></item></channel></rss>`;

const NAMES: Record<string, string> = {
  'windows-1250': 'Žehlička Řezník 5 žárovek',
  'windows-1251': 'Чайник «Полёт» 2 л',
  'windows-1252': 'Bügeleisen Größe L – 20 €',
  'windows-1254': 'Çaydanlık ışıklı İnce',
  shift_jis: '電気ケトル「白」ポット',
  'euc-jp': '電気ケトル「白」ポット',
  gbk: '电热水壶 白色',
  big5: '電熱水壺 白色',
  'euc-kr': '전기 주전자 흰색',
};

/** Encodes a text in ISO-2022-JP. @param to, back the escape sequences before and behind Japanese characters. */
const iso2022 = (text: string, to = '$B', back = '(B'): Buffer =>
  Buffer.concat(
    text.split(/([^\x00-\x7f]+)/).map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part);
      const bytes = encode(part, 'euc-jp').map((byte) => byte & 0x7f);
      return Buffer.concat([Buffer.from(`\x1b${to}`), bytes, Buffer.from(`\x1b${back}`)]);
    }),
  );

describe('the encoding of a feed', () => {
  it('is the one that a page states in a meta element, or an XML declaration', async () => {
    for (const [encoding, name] of Object.entries(NAMES)) {
      for (const declaration of [
        `<meta charset="${encoding}">`,
        `<meta charset=${encoding.toUpperCase()} />`,
        `<META content='text/html; charset=${encoding}' HTTP-EQUIV="Content-Type">`,
        `<!-- <meta charset=utf-8> --><meta name=x content="y"><meta http-equiv=content-type content="text/html;charset=${encoding}">`,
      ])
        assert.deepEqual(await read(encode(page(declaration, name), encoding)), [name], declaration);
      for (const declaration of [
        `<?xml version="1.0" encoding="${encoding}"?>`,
        `<?xml version='1.0' encoding='${encoding}' standalone="yes"?>\n`,
        `\n <?xml version="1.0" encoding="${encoding}"?>`,
      ])
        assert.deepEqual(await read(encode(xml(declaration, name), encoding)), [name], declaration);
    }
  });

  it('is the one that the HTTP response states, unless the operator states another or there is a mark', async () => {
    const of = (feed: Buffer, charset: string | null, encoding?: string) =>
      read(feed, { charset: () => charset, encoding });
    for (const [encoding, name] of Object.entries(NAMES)) {
      const feed = encode(csv(name), encoding);
      assert.deepEqual(await of(feed, encoding), [name]);
      assert.deepEqual(await of(gzipSync(feed), encoding), [name]);
      assert.deepEqual(await of(feed, 'utf-8', encoding), [name]);
      assert.deepEqual(await of(Buffer.from(`\ufeff${csv(name)}`), encoding), [name]);
      assert.deepEqual(await of(encode(page('<meta charset="utf-8">', name), encoding), encoding), [name]);
    }
    assert.deepEqual(await of(Buffer.from(csv('Größe')), 'nonsense'), ['Größe']);
    assert.deepEqual(await of(Buffer.from(csv('Größe')), null), ['Größe']);
  });

  it('is found without a statement if it is UTF-16, or surely Japanese', async () => {
    for (const text of [csv('Größe', '電気'), xml('', 'Größe'), page('', 'Größe'), '{"name":"Größe"}\n']) {
      const names = text.includes('電気') ? ['Größe', '電気'] : ['Größe'];
      for (const mark of ['', '\ufeff']) {
        const little = Buffer.from(`${mark}${text}`, 'utf16le');
        assert.deepEqual(await read(little), names);
        assert.deepEqual(await read(Buffer.from(little).swap16()), names);
      }
    }
    const names = ['電気ケトルとティーポット', 'ステンレス製のやかん', 'ガラスのコーヒーポット'];
    for (const encoding of ['shift_jis', 'euc-jp'])
      assert.deepEqual(await read(encode(csv(...names), encoding)), names);
  });

  it('is not guessed otherwise: each record with other bytes is rejected with its line', async () => {
    for (const [encoding, name] of Object.entries(NAMES)) {
      const rejected = await read(encode(csv('Kettle', name), encoding));
      if (encoding !== 'shift_jis' && encoding !== 'euc-jp')
        assert.deepEqual(rejected, ['Kettle', `3: ${NOT_UTF8}`], encoding);
      else assert.include(['Kettle', `3: ${NOT_UTF8}`, name], rejected[1], encoding);
      // A mention of an encoding in a cell states nothing about the feed.
      const cell = `<meta charset="${encoding}"> ${name}`;
      if (encoding.startsWith('windows'))
        assert.deepEqual(await read(encode(csv(cell), encoding)), [`2: ${NOT_UTF8}`]);
    }
    const late = `${csv(...Array<string>(20_000).fill('Kettle'))}x,s,`;
    const feed = Buffer.concat([Buffer.from(late), encode('Žehlička\ny,s,Pot\n', 'windows-1250')]);
    assert.deepEqual((await read(feed)).slice(-2), [`20002: ${NOT_UTF8}`, 'Pot']);
  });

  it('is found without a statement if it is ISO-2022-JP, whatever its escape sequences are', async () => {
    const names = ['電気ケトル', 'ガラスのポット'];
    for (const to of ['$B', '$@'])
      for (const back of ['(B', '(J']) {
        const feed = iso2022(csv('Kettle', ...names), to, back);
        assert.deepEqual(await read(feed), ['Kettle', ...names], to + back);
        assert.deepEqual(await read(feed, { encoding: 'iso-2022-jp' }), ['Kettle', ...names]);
        assert.deepEqual(await read(gzipSync(feed)), ['Kettle', ...names]);
        assert.deepEqual(await read(iso2022(csv(...names).replaceAll(',', '\t'), to, back)), names);
        assert.deepEqual(await read(iso2022(xml('', names[0] ?? ''), to, back)), [names[0]]);
        assert.deepEqual(await read(iso2022(`{"name":"${names[0]}"}\n`, to, back)), [names[0]]);
      }
    assert.deepEqual(await read(iso2022(csv('\x1b(I1=6\x1b(B'), '', '')), ['ｱｽｶ']);
  });

  it('is refused at the first escape sequence to other characters in a text that is read as another one', async () => {
    const refused = (line: number) =>
      `Line ${line} has an escape sequence of an encoding such as ISO-2022-JP; state the right encoding with --encoding.`;
    const japanese = iso2022(csv('Kettle', '電気'));
    for (const encoding of ['utf-8', 'shift_jis', 'windows-1252']) {
      assert.deepEqual(await read(japanese, { encoding }), [refused(3)], encoding);
      assert.deepEqual(await read(japanese, { charset: () => encoding }), [refused(3)], encoding);
    }
    assert.deepEqual(await read(Buffer.concat([Buffer.from(csv('Größe')), iso2022('2,s,電気\n')])), [
      refused(3),
    ]);
    for (const sequence of ['\x1b$)C', '\x1b$(D', '\x1b.A'])
      assert.deepEqual(await read(Buffer.from(csv(`${sequence}x`))), [refused(2)], sequence);
    // The first sequence is far behind the beginning, and between two chunks.
    const early = csv(...Array<string>(20_000).fill('Kettle'));
    for (let more = 0; more < 4; more += 1) {
      const beginning = early + 'x'.repeat(3 * 64 * 1024 - ((early.length + 4) % (64 * 1024)) - more);
      const late = Buffer.concat([Buffer.from(`${beginning},s,`), iso2022('電気\ny,s,Pot\n')]);
      const found = await read(late);
      assert.strictEqual(found.at(-1), refused(20_002), String(more));
      assert.include([20_000, 20_001], found.length);
      assert.notInclude(found, '電気');
    }
    assert.lengthOf(await read(Buffer.from(csv('\x1b[31mred\x1b[0m', 'Pot'))), 2);
  });

  it('that is stated as UTF-8 by mistake has its records rejected', async () => {
    for (const [encoding, name] of Object.entries(NAMES)) {
      const html = encode(page('<meta charset="utf-8">', name), encoding);
      assert.deepEqual(await read(html), [`3: ${NOT_UTF8}`], encoding);
      const feed = encode(xml('<?xml version="1.0" encoding="UTF-8"?>', name), encoding);
      assert.deepEqual(await read(feed), [`2: ${NOT_UTF8}`], encoding);
      assert.deepEqual(await read(encode(csv(name), encoding), { charset: () => 'utf-8' }), [
        `2: ${NOT_UTF8}`,
      ]);
    }
  });

  it('that is stated although the text is UTF-8 is refused, also if the text changes later', async () => {
    for (const encoding of Object.keys(NAMES))
      for (const name of ['Café', 'Žehlička', 'Чайник', '電気ケトル', 'Größe']) {
        const line = ` is not ${encoding} but UTF-8; state the right encoding with --encoding.`;
        const html = Buffer.from(page(`<meta charset="${encoding}">`, name));
        assert.deepEqual(await read(html), [`Line 3${line}`], name);
        const feed = Buffer.from(xml(`<?xml version="1.0" encoding="${encoding}"?>`, name));
        assert.deepEqual(await read(feed), [`Line 2${line}`], name);
        assert.deepEqual(await read(Buffer.from(csv('Kettle', name)), { encoding }), [`Line 3${line}`]);
      }
    const beginning = encode(csv('Žehlička', ...Array<string>(20_000).fill('Kettle')), 'windows-1250');
    const feed = Buffer.concat([beginning, Buffer.from('x,s,Žehlička\n')]);
    const [first, ...others] = await read(feed, { encoding: 'windows-1250' });
    assert.strictEqual(first, 'Žehlička');
    assert.strictEqual(
      others.at(-1),
      'Line 20003 is not windows-1250 but UTF-8; state the right encoding with --encoding.',
    );
  });

  it('that is stated wrongly otherwise is refused if the text is surely in another one', async () => {
    const cases: [string, string][] = [
      ['windows-1251', 'windows-1252'],
      ['windows-1251', 'windows-1250'],
      ['shift_jis', 'iso-8859-1'],
      ['windows-1252', 'shift_jis'],
    ];
    for (const [actual, stated] of cases) {
      const feed = encode(page(`<meta charset="${stated}">`, NAMES[actual] ?? ''), actual);
      assert.match(
        String(await read(feed)),
        /^Line 3 is not [\w-]+(?:, because .*)?; state the right encoding with --encoding\.$/,
      );
    }
    // The operator may know better.
    const feed = encode(csv('äöüÄÖÜß'), 'windows-1252');
    assert.deepEqual(await read(feed, { encoding: 'latin1' }), ['äöüÄÖÜß']);
    assert.match(
      String(await read(feed, { charset: () => 'latin1' })),
      /Line 2 is not windows-1252, because/,
    );
  });

  it('is read as windows-1252 if it is stated as latin1, and accepts accented capitals before signs', async () => {
    for (const name of ['NESCAFÉ® Gold', 'Spaß… für 5 €', 'GRÖß®', 'Größe “L” – 20 °C', 'äöü']) {
      const feed = encode(page('<meta charset="iso-8859-1">', name), 'windows-1252');
      assert.deepEqual(await read(feed), [name]);
    }
  });

  it('of an XML declaration is ignored if it is UTF-16 and the declaration itself is not', async () => {
    const feed = Buffer.from(xml('<?xml version="1.0" encoding="utf-16"?>', 'Größe'));
    assert.deepEqual(await read(feed), ['Größe']);
  });

  it('is refused if it is one that nothing is decoded from', async () => {
    const feed = Buffer.from(page('<meta charset="iso-2022-kr">', 'x'));
    assert.match(String(await read(feed)), /encoding replacement, which is not supported/);
  });
});

describe('the records of a shop', () => {
  it('are rejected if their names were decoded in a wrong encoding before they were written to the feed', async () => {
    const names = ['KÃ¼che', 'K\ufffdche', 'Ĺ˝ehliÄŤka', 'Küche'];
    const rows = names.map((name, index) => `${index}\t${name}\t5.00 EUR`);
    const feed = Buffer.from(['id\ttitle\tprice', ...rows, ''].join('\n'));
    const options = { feed: { anyColumns: true }, map: platformMap('google'), source: 's' };
    const reasons = [];
    for await (const item of readRecords(Readable.from([feed]), options, new Date()))
      reasons.push(item.reasons);
    const reason = ' was decoded in a wrong encoding before it was written to the feed';
    assert.deepEqual(reasons, [...names.slice(0, 3).map((name) => [`name: "${name}"${reason}`]), undefined]);
  });

  it('lose a brand and a category that were decoded in a wrong encoding', async () => {
    const fields = { sku: 'sku', name: 'sku', brand: 'brand', category: 'category' };
    const rows = ['A,BjÃ¶rn,KÃ¼che', 'B,Björn,K\ufffdche', 'C,Björn,Küche'];
    const feed = Buffer.from(['sku,brand,category', ...rows, ''].join('\n'));
    const options = { feed: { anyColumns: true }, map: readFeedMap({ fields }), source: 's' };
    const found = [];
    for await (const { value, dropped, reasons } of readRecords(Readable.from([feed]), options, new Date())) {
      const { brand, category } = value as Record<string, unknown>;
      found.push([brand, category, dropped, reasons]);
    }
    assert.deepEqual(found, [
      [undefined, undefined, ['brand', 'category'], undefined],
      ['Björn', undefined, ['category'], undefined],
      ['Björn', 'Küche', undefined, undefined],
    ]);
  });
});
