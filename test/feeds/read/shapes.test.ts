import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { type FeedItem, type FeedOptions, readFeed } from '../../../src/feeds/read/feed.js';
import { pluck } from '../../support/listings.js';

async function read(feed: string | Uint8Array, options: FeedOptions = {}): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for await (const item of readFeed(Readable.from([Buffer.from(feed)]), options)) items.push(item);
  return items;
}

const zipped = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe('an archive of several files', () => {
  it('is read file by file, each with its own header', async () => {
    const items = await read(
      zipped({
        'a.csv': 'sku,source,name\n1,s,One\n',
        '__MACOSX/._a.csv': 'nothing',
        'b/b.ndjson': '{"sku":"2"}\nnope\n',
        'c.csv': `name;sku;source\n${'Three;3;s\n'.repeat(20_000)}`,
      }),
    );
    assert.lengthOf(items, 20_003);
    const first = items.slice(0, 4).map(({ file, line, error, value }) => [file, line, error ?? value]);
    assert.deepEqual(first, [
      ['a.csv', 2, { sku: '1', source: 's', name: 'One' }],
      ['b/b.ndjson', 1, { sku: '2' }],
      ['b/b.ndjson', 2, 'record: is not valid JSON'],
      ['c.csv', 2, { name: 'Three', sku: '3', source: 's' }],
    ]);
  });

  it('reports which file cannot be read, and where the archive is cut off', async () => {
    const failed = async (feed: Uint8Array, options?: FeedOptions) =>
      read(feed, options).then(
        () => 'nothing',
        (error: unknown) => (error as Error).message,
      );
    const two = { 'a.csv': 'sku,source,name\n1,s,One\n', 'second.txt': 'Hello, you\n' };
    assert.match(await failed(zipped(two)), /^second\.txt in the archive: The first line of a CSV feed/);
    const long = zipped({
      a: '{"sku":"1"}\n',
      b: Array.from({ length: 999 }, (_, i) => `{"a":${i}}`).join('\n'),
    });
    assert.strictEqual(await failed(long.subarray(0, 400)), 'The zip archive is cut off.');
    assert.match(await failed(long, { maxBytes: 1_000 }), /longer than/);
  });
});

describe('a feed that is compressed twice', () => {
  const text = '{"sku":"1"}\n{"sku":"2"}\n';
  const failed = async (feed: Uint8Array, options?: FeedOptions) =>
    read(feed, options).then(
      () => 'nothing',
      (error: unknown) => (error as Error).message,
    );

  it('is read', async () => {
    const gzip = gzipSync(text);
    for (const feed of [
      gzipSync(gzip),
      zipSync({ 'a.ndjson.gz': gzip }),
      gzipSync(zipped({ 'a.ndjson': text })),
    ])
      assert.deepEqual(pluck(await read(feed), 'line', 'value'), [
        [1, { sku: '1' }],
        [2, { sku: '2' }],
      ]);
  });

  it('is limited in size, and refused if it is compressed again or in another way', async () => {
    assert.match(await failed(gzipSync(gzipSync(gzipSync(text)))), /is compressed more than 2 times/);
    assert.match(
      await failed(zipSync({ 'a.gz': gzipSync(gzipSync(text)) })),
      /^a\.gz in the archive: .*more than 2/,
    );
    const large = gzipSync(gzipSync('x'.repeat(5_000_000)));
    assert.match(await failed(large, { maxBytes: 1_000_000 }), /longer than/);
    const options = { onlyJson: true };
    assert.match(await failed(gzipSync(zipped({ 'a.ndjson': text })), options), /^Only plain or gzip JSON/);
    for (const [beginning, name] of [
      ['425a6839314159265359', 'bzip2'],
      ['fd377a585a000004', 'xz'],
      ['377abcaf271c0004', '7z'],
      ['526172211a0700cf', 'RAR'],
    ] as const)
      assert.match(await failed(Buffer.from(beginning, 'hex')), new RegExp(`compressed with ${name}, `));
  });
});

describe('blank rows of a CSV feed', () => {
  it('are skipped, whatever the number of their cells', async () => {
    const items = await read(',,\nsku,source,name\n,,\n1,s,One\n"", ,\t\n,,,,,\n2,s,Two\n');
    const rows = items.map(({ line, error, value }) => [line, error ?? value]);
    assert.deepEqual(rows, [
      [4, { sku: '1', source: 's', name: 'One' }],
      [7, { sku: '2', source: 's', name: 'Two' }],
    ]);
  });
});

describe('rows of CSV', () => {
  it('may all end with a delimiter, and may repeat the header', async () => {
    const feed =
      'sku,source,name\nA,s,One,\nB,s,Two,\r\n\ufeffsku, source ,name\nC,s,Th,ree,\nD,s,Four,4\nE,s,name\n';
    const found = async (text: string) =>
      (await read(text)).map(({ line, error, value }) => [line, error ?? (value as { sku: string }).sku]);
    assert.deepEqual(await found(feed), [
      [2, 'A'],
      [3, 'B'],
      [5, 'record: has 5 columns instead of 3'],
      [6, 'record: has 4 columns instead of 3'],
      [7, 'E'],
    ]);
    // A delimiter in a name has moved the blank cell.
    assert.deepEqual(await found('sku,name,source\nA,One,s\nB,T,wo,\n'), [
      [2, 'A'],
      [3, 'record: has 4 columns instead of 3'],
    ]);
  });
});

describe('attributes of XML', () => {
  it('of a record are fields unless an element has the same name; those of a field are FIELD@ATTRIBUTE', async () => {
    const xml = `<shop xmlns:p="urn:p"><offer id="7" available="true" p:group="G" name="short" xml:lang="de">
      <name type="html">Kettle</name><price currency="EUR">3.50</price><vendor code="B &amp; Co"/><note lang="x"></note>
      <param name="Colour">Red</param><param name="Size">M</param></offer></shop>`;
    const [item] = await read(xml, { records: 'offer' });
    assert.deepEqual(item?.value, {
      id: '7',
      available: 'true',
      group: 'G',
      name: 'Kettle',
      price: '3.50',
      'price@currency': 'EUR',
      vendor: { code: 'B & Co' },
      note: { lang: 'x' },
      param: ['Red', 'M'],
      'param@name': ['Colour', 'Size'],
    });
  });

  it('type="html" marks text as escaped HTML, as in titles of Atom', async () => {
    const title = 'Salt &amp;amp; pepper &lt;b&gt;mill&lt;/b&gt;, 5 &amp;lt; 6';
    const xml = `<feed><entry><title type="html">${title}</title><note type="html"/></entry>
      <entry><title type="text">Salt &amp;amp; pepper</title></entry></feed>`;
    assert.deepEqual(pluck(await read(xml), 'value'), [
      { title: 'Salt & pepper mill, 5 < 6', note: '' },
      { title: 'Salt &amp; pepper' },
    ]);
  });
});

describe('XML', () => {
  const item = '<item><id>1</id><title>Pot</title></item>';
  const document = `<?xml version="1.0" encoding="UTF-8"?>\n<rss><channel>\n${item}\n</channel></rss>`;
  const rows = async (feed: string, step = 64 * 1024) => {
    const bytes = Buffer.from(feed);
    const chunks = [];
    for (let at = 0; at < bytes.length; at += step) chunks.push(bytes.subarray(at, at + step));
    const found: unknown[] = [];
    try {
      for await (const { line, error, value } of readFeed(Readable.from(chunks)))
        found.push([line, error ?? (value as { title: string }).title]);
    } catch (error) {
      found.push((error as Error).message);
    }
    return found;
  };

  it('may follow blank lines, byte order marks and messages of PHP', async () => {
    const php = 'Undefined array key "ean" in <b>/srv/feed.php</b> on line <b>12</b>';
    const beginnings: [string, number][] = [
      ['\n', 1],
      ['\ufeff\ufeff', 0],
      ['\ufeff\n \ufeff', 1],
      [`<br />\n<b>Warning</b>:  ${php}<br />\n`, 2],
      [`\n<br />\r\n<b>Notice</b>:  ${php}<br />\r\n\r\n<br />\n<b>Deprecated</b>: ${php}<br />\n`, 6],
      ['PHP Warning:  Undefined variable $x in /srv/feed.php on line 3\n', 1],
    ];
    for (const [beginning, lines] of beginnings)
      for (const step of [1, 64 * 1024])
        assert.deepEqual(await rows(beginning + document, step), [[3 + lines, 'Pot']], beginning);
    const json = `Notice: Undefined index in /srv/feed.php on line 3\n{"title":"Pan"}\n`;
    assert.deepEqual(await rows(json), [[2, 'Pan']]);
  });

  it('is refused behind other text, which would be read as CSV', async () => {
    for (const feed of [document, document.slice(document.indexOf('<rss'))])
      assert.match(
        String(await rows(`Connected to db1\nOK\n${feed}`)),
        /^The XML begins at line 3, after other text, .*: "Connected to db1\\nOK"/,
      );
  });

  it('reports line and column of a bare ampersand or an unknown entity', async () => {
    const titles = ['A &amp; B', 'é & B', '&nbsp;', '<![CDATA[A & B]]>', 'x&y & z', 'ok\n& more', '&Ouml;l'];
    const items = titles.map((title) => `<item><title>${title}</title></item>`).join('\n');
    const expected = [
      [2, 'A & B'],
      [3, 'record: is not well-formed XML (an & has to be written &amp;) at line 3, column 16'],
      [4, 'record: is not well-formed XML (undefined entity) at line 4, column 19'],
      [5, 'A & B'],
      [6, 'record: is not well-formed XML (an & has to be written &amp;) at line 6, column 15'],
      [7, 'record: is not well-formed XML (an & has to be written &amp;) at line 8, column 1'],
      [9, 'record: is not well-formed XML (undefined entity) at line 9, column 19'],
    ];
    for (const step of [1, 7, 64 * 1024])
      assert.deepEqual(await rows(`<rss>\n${items}\n</rss>\n`, step), expected);
  });

  it('ends with one error, with line and column, at an end tag that has no start tag', async () => {
    const pot = (id: number) => `<item><id>${id}</id><title>Pot</title></item>`;
    const wrong: [record: string, column: number, tag: string][] = [
      ['<item><id>2</id><title>Pan</titel></item>', 27, 'titel'],
      ['<item><id>2</id></title><price>5</price></item>', 17, 'title'],
      ['<item><id>2</id><title>Pan</title></itme>', 35, 'itme'],
      ['<item><g:price>5</price></item>', 17, 'price'],
      ['</item>', 1, 'item'],
    ];
    for (const [record, column, tag] of wrong)
      for (const step of [1, 7, 64 * 1024]) {
        const feed = ['<rss><channel>', pot(1), record, pot(3), pot(4), pot(5), '</channel></rss>'].join(
          '\n',
        );
        assert.deepEqual(
          await rows(feed, step),
          [
            [2, 'Pot'],
            `Line 3, column ${column}: the end tag </${tag}> has no start tag, so the XML cannot be read further.`,
          ],
          `${record} ${step}`,
        );
      }
  });

  it('rejects only the record in which an element, or the record itself, has no end tag', async () => {
    const pot = '<item><title>Pot</title></item>';
    const found = await rows(`<rss><channel>\n${pot}\n<item><title>Pan</item>\n${pot}\n</channel></rss>`);
    assert.match(
      String(found[1]),
      /^3,record: is not well-formed XML \(unexpected close tag\) at line 3, column/,
    );
    assert.deepEqual(
      [found[0], ...found.slice(2)],
      [
        [2, 'Pot'],
        [4, 'Pot'],
      ],
    );
    const last = [3, 'record: is not well-formed XML (it has no end)'];
    for (const end of ['</channel></rss>', '\n</rss>'])
      assert.deepEqual(await rows(`<rss><channel>\n${pot}\n<item><title>Pan</title>${end}`), [
        [2, 'Pot'],
        last,
      ]);
  });

  it('reports text and a second document behind the end, but no comment', async () => {
    const behind = 'record: is text behind the end of the XML document';
    assert.deepEqual(await rows(`${document}\n<!-- 0.2 s -->\n\n`), [[3, 'Pot']]);
    assert.deepEqual(await rows(`${document}\nWarning: slow\n`), [
      [3, 'Pot'],
      [6, behind],
    ]);
    const twice = await rows(`${document}\n<rss>${item}</rss>`);
    assert.match(String(twice[1]), /^5,.*only one root\) at line 5, column/);
  });
});

describe('CSV feeds that spreadsheets wrote', () => {
  const rows = async (feed: string, options?: FeedOptions) =>
    (await read(feed, options)).map(({ line, error, value }) => [line, error ?? value]);
  const kettle = { sku: '1', source: 's', name: 'A "tall"\nkettle' };

  for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', pipe: '|' })) {
    it(`${name}: may have a byte order mark, line breaks in quotes and any line ends`, async () => {
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = ['sku|source|name', '1|s|"A ""tall""\nkettle"', '2|s|Pot', ''];
        const feed = lines.join(end).replaceAll('|', delimiter);
        const pot = { sku: '2', source: 's', name: 'Pot' };
        const expected = [
          [2, kettle],
          [4, pot],
        ];
        assert.deepEqual(await rows(feed), expected);
        assert.deepEqual(await rows(`\ufeff${feed}`), expected);
      }
    });

    it(`${name}: may have a first line that tells Excel the delimiter`, async () => {
      // Without the first line, which names the delimiter, another delimiter would be detected.
      const other = delimiter === ',' ? ';' : ',';
      const long = ['a', 'b', 'c', 'd'].join(other);
      for (const [mark, end] of [
        ['sep=|', '\r\n'],
        ['\ufeffSEP=|', '\n'],
        ['"sep=|"', '\r'],
      ] as const) {
        const feed = [mark, `sku|${long}`, '1|x', ''].join(end).replaceAll('|', delimiter);
        assert.deepEqual(await rows(feed, { anyColumns: true }), [[3, { sku: '1', [long]: 'x' }]]);
      }
    });
  }

  it('a stray carriage return does not end a line', async () => {
    assert.deepEqual(await rows('sku,source,name\n1,s,A\rB\n'), [
      [2, { sku: '1', source: 's', name: 'A\rB' }],
    ]);
  });
});

describe('a feed that is read as NDJSON', () => {
  const failed = async (feed: string, options: FeedOptions) =>
    read(feed, options).then(
      (items) => items.map(({ error }) => error),
      (error: unknown) => (error as Error).message,
    );

  it('is rejected as a whole if it is CSV or XML', async () => {
    for (const options of [{ format: 'ndjson' }, { onlyJson: true }] as const) {
      assert.match(
        String(await failed('sku,source,name\n1,s,Kettle', options)),
        /^This looks like CSV and not like JSON: it begins "sku,source,name"\. A record is a JSON object such as/,
      );
      assert.match(String(await failed('"id"\t"title"\n1\tKettle\n', options)), /^This looks like CSV/);
      assert.match(String(await failed('<?xml version="1.0"?><rss/>', options)), /^This looks like XML/);
    }
    assert.deepEqual(await failed('oops, a line\n{"sku":"1"}\n', { onlyJson: true }), [
      'record: is not valid JSON',
      undefined,
    ]);
  });
});
