import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { assert } from 'chai';
import {
  FeedError,
  type FeedFormat,
  type FeedItem,
  type FeedOptions,
  readFeed,
} from '../../../src/feeds/read/feed.js';
import { pluck } from '../../support/listings.js';

type Text = string | Buffer;

async function read(
  chunks: Text[],
  format?: FeedFormat,
  options: FeedOptions = {},
): Promise<{ items: FeedItem[]; error: string | null }> {
  const items: FeedItem[] = [];
  try {
    for await (const item of readFeed(Readable.from(chunks), { ...options, format })) items.push(item);
  } catch (error) {
    assert.instanceOf(error, FeedError);
    return { items, error: (error as Error).message };
  }
  return { items, error: null };
}

/** Returns the records of a feed as pairs of line and value, or of line and error. */
async function pairs(...chunks: Text[]): Promise<unknown[]> {
  const { items, error } = await read(chunks);
  assert.isNull(error);
  return items.map(({ line, value, error: reason }) => [line, reason ?? value]);
}

const bytes = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

describe('NDJSON feeds', () => {
  const text = '\ufeff\n{"a":"é\\n"}\r\n\n  \nnope\n{"b":2}';
  const expected = [
    [2, { a: 'é\n' }],
    [5, 'record: is not valid JSON'],
    [6, { b: 2 }],
  ];

  it('are read line by line', async () => {
    assert.deepEqual(await pairs(text), expected);
    assert.deepEqual(await pairs(...bytes(text)), expected);
    assert.deepEqual(await pairs(gzipSync(text)), expected);
    assert.deepEqual(await pairs(...[...gzipSync(text)].map((byte) => Buffer.from([byte]))), expected);
    assert.deepEqual(await pairs(Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"b":2}\n')])), [
      [1, { a: 1 }],
      [2, { b: 2 }],
    ]);
  });

  it('that are cut off yield the complete records', async () => {
    const { items, error } = await read(['{"a":1}\n{"b":']);
    assert.deepEqual(pluck(items, 'value'), [{ a: 1 }]);
    assert.match(error ?? '', /middle of line 2/);
  });

  it('reject a line that is too long without holding it in memory', async () => {
    const { items } = await read([
      '{"a":"',
      ...Array<Buffer>(40).fill(Buffer.alloc(1e6, 'x')),
      '"}\n{"b":2}\n',
    ]);
    assert.deepEqual(pluck(items, 'line', 'error'), [
      [1, 'record: is longer than 4 MB'],
      [2, undefined],
    ]);
    assert.isBelow(String(items[0]?.raw).length, 5_000);
  });

  it('reject only the lines that are not UTF-8', async () => {
    const lines = Buffer.from('{"a":"ü"}\n{"a":"Café"}\n{"a":"\ufffd"}\n');
    const spoiled = Buffer.concat([lines.subarray(0, 21), Buffer.from([0xe9]), lines.subarray(23)]);
    const expected = [
      [1, { a: 'ü' }],
      [2, 'record: is not UTF-8; name its encoding with --encoding'],
      [3, { a: '\ufffd' }],
    ];
    assert.deepEqual(await pairs(spoiled), expected);
    assert.deepEqual(await pairs(...[...spoiled].map((byte) => Buffer.from([byte]))), expected);
    const array = Buffer.concat([Buffer.from('['), Buffer.from([0x22, 0xff, 0x22]), Buffer.from(',1]')]);
    assert.deepEqual(await pairs(array), [
      [1, 'record: is not UTF-8; name its encoding with --encoding'],
      [1, 1],
    ]);
  });
});

describe('JSON array feeds', () => {
  const text = ' [\n{"a":"]},\\"{"},\n{"b":tru},[1],\n 3 , {"c":\n{"d":[{}]}}\n]\n';
  const expected = [
    [2, { a: ']},"{' }],
    [3, 'record: is not valid JSON'],
    [3, [1]],
    [4, 3],
    [4, { c: { d: [{}] } }],
  ];

  it('are read element by element, and an invalid one does not affect the others', async () => {
    assert.deepEqual(await pairs(text), expected);
    assert.deepEqual(await pairs(...bytes(text)), expected);
    assert.deepEqual(await pairs(gzipSync(text)), expected);
    assert.deepEqual(await pairs('[]'), []);
    assert.deepEqual(await pairs('[{"a":1},,{"b":2},]'), [
      [1, { a: 1 }],
      [1, 'record: is not valid JSON'],
      [1, { b: 2 }],
    ]);
  });

  it('that are cut off give what was complete', async () => {
    for (const [cut, count] of [
      ['[{"a":1},{"b":2}', 2],
      ['[{"a":1},{"b":"', 1],
      ['[{"a":1},', 1],
      ['[', 0],
      ['[{"a":1}]]', 1],
    ] as const) {
      const { items, error } = await read([cut]);
      assert.lengthOf(items, count, cut);
      assert.isString(error, cut);
    }
  });

  it('reject an element that is too long', async () => {
    const { items } = await read([
      '[{"a":"',
      ...Array<Buffer>(10).fill(Buffer.alloc(1e6, 'x')),
      '"},\n{"b":2}]',
    ]);
    assert.deepEqual(pluck(items, 'line', 'error'), [
      [1, 'record: is longer than 4 MB'],
      [2, undefined],
    ]);
  });
});

describe('CSV feeds', () => {
  const header = 'sku,source,name,metadata,is_available,category_path,gtin,price';

  it('have their column names in the first line', async () => {
    const rows = [
      '1,s,"x\r\ny ""q""","{""a"":[1]}",yes,"[""A"",""B""]",4006381333931,1.50',
      '',
      '2,s,plain,,0,,"[""x""]",',
      '3,s,z,,maybe,,,',
    ];
    const empty = { metadata: null, category_path: null, price: null };
    const expected = [
      [
        2,
        {
          sku: '1',
          source: 's',
          name: 'x\r\ny "q"',
          metadata: { a: [1] },
          is_available: true,
          category_path: ['A', 'B'],
          gtin: '4006381333931',
          price: '1.50',
        },
      ],
      [5, { ...empty, sku: '2', source: 's', name: 'plain', is_available: false, gtin: ['x'] }],
      [6, { ...empty, sku: '3', source: 's', name: 'z', is_available: 'maybe', gtin: null }],
    ];
    const text = `\ufeff${header}\r\n${rows.join('\r\n')}`;
    assert.deepEqual(await pairs(text), expected);
    assert.deepEqual(await pairs(...bytes(text)), expected);
    assert.deepEqual(await pairs(gzipSync(`${text}\r\n`)), expected);
    const { items } = await read([text]);
    const headers = items.map((item) => item.header);
    assert.deepEqual(headers, Array(3).fill(header.split(',')));
    const inLines = await pairs(`${header}\n${rows.join('\n')}\n`);
    assert.deepEqual(inLines, expected);
  });

  it('lose one apostrophe that an export added before formulas', async () => {
    const cells = ["'=1+1", "'+6", "'-5", "'@x", "'\tx", "'＝1", "'＠x", "''=1", "'plain", "it's"];
    const rows = cells.map((cell, i) => `${i},s,"${cell}"`);
    const { items } = await read([`sku,source,name\n${rows.join('\n')}`]);
    const names = items.map(({ value }) => (value as { name: string }).name);
    assert.deepEqual(names, ['=1+1', '+6', '-5', '@x', '\tx', '＝1', '＠x', "'=1", "'plain", "it's"]);
  });

  it('reject only the rows that are malformed', async () => {
    const rows = ['1,s,n', '2,s,"a"b"', '3,s', '4,s,15" screen', '5,s,n,x', '6,s,"""q"" w"', '7,s,n'];
    assert.deepEqual(await pairs(`sku,source,name\n${rows.join('\n')}\n`), [
      [2, { sku: '1', source: 's', name: 'n' }],
      [3, 'record: has a quote that is not doubled'],
      [4, 'record: has 2 columns instead of 3'],
      [5, { sku: '4', source: 's', name: '15" screen' }],
      [6, 'record: has 4 columns instead of 3'],
      [7, { sku: '6', source: 's', name: '"q" w' }],
      [8, { sku: '7', source: 's', name: 'n' }],
    ]);
    const { items } = await read(['sku,source,name,metadata\n1,s,n,{a}\n']);
    assert.deepEqual(
      items.map(({ error, value }) => [error, (value as { sku: string }).sku]),
      [['metadata: is not JSON text', '1']],
    );
  });

  it('that are broken as a whole are rejected with a reason', async () => {
    const broken: [string, RegExp][] = [
      ['a,b\n1,2\n', /name the fields.*sku, source, name/],
      ['sku:source:name\n', /separated by commas/],
      ['sku,source,name,sku\n', /two columns "sku"/],
      ['sku,source,name\n1,s,n\n2,s,"n\nn and so on\n', /line 3 does not end/],
      ['sku,source,name\n1,s,n\n2,s,"n', /line 3 does not end/],
      ['sku,source,name\n1,s,n\n2,s', /middle of line 3/],
    ];
    for (const [text, reason] of broken) assert.match((await read([text])).error ?? '', reason, text);
  });

  // Without the limit of columns, a row of 60,000 columns with one name took 74 s.
  it('have at most 2,000 columns, which are numbered if they share a name', async () => {
    const columns = (count: number) => `${Array<string>(count).fill('c').join(',')}\n`;
    const foreign = (...text: string[]) => read(text, undefined, { anyColumns: true });
    assert.match((await foreign(columns(2_001))).error ?? '', /has 2,001 columns; 2,000 is the maximum/);
    const own = `sku,source,name,${columns(60_000)}`;
    assert.match((await read([own])).error ?? '', /has 60,003 columns/);
    const { items } = await foreign(columns(2_000), columns(2_000));
    const names = Object.keys(items[0]?.value as object);
    assert.deepEqual([names.length, names[0], names[1], names[1_999]], [2_000, 'c', 'c 2', 'c 2000']);
  });

  it('may have the same quoted cell several times in a row', async () => {
    const { items } = await read(['sku,source,name,brand\n1,s,"""a"" b","""a"" b"\n2,s,"""a"" b","a" b\n']);
    const rows = items.map(({ error, value }) => error ?? value);
    assert.deepEqual(rows, [
      { sku: '1', source: 's', name: '"a" b', brand: '"a" b' },
      'record: has a quote that is not doubled',
    ]);
  });
});

describe('any feed', () => {
  // If a few kB of gzip were decompressed at once, signals would have to wait.
  it('is decompressed in pieces between which other work is done', async () => {
    const text = `${JSON.stringify({ a: 'x'.repeat(1_000) })}\n`.repeat(4_000);
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    const read = new Map<number, number>();
    for await (const { bytes } of readFeed(Readable.from([gzipSync(text)])))
      read.set(turn, (read.get(turn) ?? 0) + bytes);
    clearImmediate(next);
    assert.isBelow(Math.max(...read.values()), 64 * 1024);
  });

  // Serializing such a record would overflow the stack, and the record behind it would be lost.
  it('of XML is read on behind a record that is nested too deeply', async () => {
    const deep = `<item><sku>${'<b>'.repeat(20_000)}x${'</b>'.repeat(20_000)}</sku></item>`;
    const { items, error } = await read([`<items>${deep}<item><sku>1</sku></item></items>`]);
    assert.isNull(error);
    const rows = items.map((item) => item.error ?? item.value);
    assert.deepEqual(rows, ['record: is nested deeper than 20 levels', { sku: '1' }]);
  });

  it('may be empty', async () => {
    for (const text of ['', '\ufeff', ' \n\n']) assert.deepEqual(await pairs(text), []);
  });

  // If each chunk were appended to all blanks before it, reading this feed would take minutes.
  it('may begin with megabytes of blank lines, which count for line numbers', async () => {
    const blank = Array.from({ length: 250 }, () => Buffer.alloc(16 * 1024, '\n'));
    assert.deepEqual(await pairs('\ufeff', ...blank, '  \n{"a":1}\n'), [[250 * 16 * 1024 + 2, { a: 1 }]]);
    assert.deepEqual(await pairs('\n\n', '\tsku\tsource\tname\n', 'x\tA\tb\tc\n'), [
      [4, { '': 'x', sku: 'A', source: 'b', name: 'c' }],
    ]);
  });

  it('is read in the given format if the detected one is wrong', async () => {
    const { items } = await read(['[1]\n[2]\n'], 'ndjson');
    assert.deepEqual(pluck(items, 'value'), [[1], [2]]);
  });

  it('may be in another encoding, from its byte order mark or an option', async () => {
    const csv = 'sku,source,name\r\n1,s,"Café\n漢字"\r\n2,s,\u{1f600}\r\n';
    const expected = [
      [2, { sku: '1', source: 's', name: 'Café\n漢字' }],
      [4, { sku: '2', source: 's', name: '\u{1f600}' }],
    ];
    const values = async (chunks: Buffer[], encoding?: string) => {
      const items: FeedItem[] = [];
      for await (const item of readFeed(Readable.from(chunks), { encoding })) items.push(item);
      return items.map(({ line, value, error }) => [line, error ?? value]);
    };
    const little = Buffer.from(csv, 'utf16le');
    const marked = Buffer.from(`\ufeff${csv}`, 'utf16le');
    const each = (buffer: Buffer) => [...buffer].map((byte) => Buffer.from([byte]));
    assert.deepEqual(await values([little], 'utf-16'), expected);
    assert.deepEqual(await values(each(marked)), expected);
    assert.deepEqual(await values([marked], 'utf-16'), expected);
    assert.deepEqual(await values([Buffer.from(marked).swap16()]), expected);
    assert.deepEqual(await values([gzipSync(marked)]), expected);
    const latin1 = Buffer.from('sku,source,name\n1,s,Café\n', 'latin1');
    assert.deepEqual(await values([latin1], 'latin1'), [[2, { sku: '1', source: 's', name: 'Café' }]]);
    assert.deepEqual(await values([latin1]), [
      [2, 'record: is not UTF-8; name its encoding with --encoding'],
    ]);
    const ndjson = Buffer.from('{"name":"Café"}\n', 'latin1');
    assert.deepEqual(await values([ndjson], 'latin1'), [[1, { name: 'Café' }]]);
  });

  it('is rejected at the line that is not in the expected encoding', async () => {
    const header = Buffer.from('sku,source,name,größe\n', 'latin1');
    assert.match((await read([header])).error ?? '', /Line 1 is not UTF-8/);
    const halved = Buffer.from('\ufeffsku,source,name\n1,s,n\n', 'utf16le');
    const cut = await read([halved, Buffer.from([0x00, 0xd8, 0x41])]);
    assert.match(cut.error ?? '', /Line 3 is not utf-16le; state the right encoding/);
  });

  it('yields all readable records of damaged gzip data', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => JSON.stringify({ i, x: Math.sin(i) }));
    const gzip = gzipSync(lines.join('\n'));
    const cut = await read([gzip.subarray(0, gzip.length - 500)]);
    assert.match(cut.error ?? '', /cut off or damaged/);
    assert.isAbove(cut.items.length, 19_900);
    const complete = lines.slice(0, cut.items.length).map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(pluck(cut.items, 'value'), complete);
    const damaged = Buffer.from(gzip);
    damaged.fill(0, gzip.length / 2, gzip.length / 2 + 100);
    const { items, error } = await read([damaged]);
    assert.match(error ?? '', /cut off or damaged/);
    assert.isAbove(items.length, 5_000);
  });
});
