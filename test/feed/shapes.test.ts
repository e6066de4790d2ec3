import { Readable } from 'node:stream';
import { assert } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { type FeedItem, type FeedOptions, readFeed } from '../../src/feed/feed.js';

async function read(feed: string | Uint8Array, options: FeedOptions = {}): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for await (const item of readFeed(Readable.from([Buffer.from(feed)]), options)) items.push(item);
  return items;
}

const zipped = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe('an archive of several files', () => {
  it('is read file by file, each with its own first line', async () => {
    const items = await read(
      zipped({
        'a.csv': 'sku,source,name\n1,s,One\n',
        '__MACOSX/._a.csv': 'nothing',
        'b/b.ndjson': '{"sku":"2"}\nnope\n',
        'c.csv': `name;sku;source\n${'Three;3;s\n'.repeat(20_000)}`,
      }),
    );
    assert.lengthOf(items, 20_003);
    assert.deepEqual(
      items.slice(0, 4).map(({ file, line, error, value }) => [file, line, error ?? value]),
      [
        ['a.csv', 2, { sku: '1', source: 's', name: 'One' }],
        ['b/b.ndjson', 1, { sku: '2' }],
        ['b/b.ndjson', 2, 'record: is not valid JSON'],
        ['c.csv', 2, { name: 'Three', sku: '3', source: 's' }],
      ],
    );
  });

  it('says which of them cannot be read, and ends where it is cut off', async () => {
    const failed = async (feed: Uint8Array, options?: FeedOptions) =>
      read(feed, options).then(
        () => 'nothing',
        (error: unknown) => (error as Error).message,
      );
    const two = { 'a.csv': 'sku,source,name\n1,s,One\n', 'README.txt': 'Hello, you\n' };
    assert.match(await failed(zipped(two)), /^README\.txt in the archive: The first line of a CSV feed/);
    const long = zipped({
      a: '{"sku":"1"}\n',
      b: Array.from({ length: 999 }, (_, i) => `{"a":${i}}`).join('\n'),
    });
    assert.strictEqual(await failed(long.subarray(0, 400)), 'The zip archive is cut off.');
    assert.match(await failed(long, { maxBytes: 1_000 }), /longer than/);
  });
});

describe('rows of a CSV feed without anything in them', () => {
  it('are none, whatever their width', async () => {
    const items = await read(',,\nsku,source,name\n,,\n1,s,One\n"", ,\t\n,,,,,\n2,s,Two\n');
    assert.deepEqual(
      items.map(({ line, error, value }) => [line, error ?? value]),
      [
        [4, { sku: '1', source: 's', name: 'One' }],
        [7, { sku: '2', source: 's', name: 'Two' }],
      ],
    );
  });
});

describe('attributes of XML', () => {
  it('are fields of their record, unless an element says it; those of a field are named after it', async () => {
    const xml = `<shop xmlns:p="urn:p"><offer id="7" available="true" p:group="G" name="short" xml:lang="de">
      <name type="html">Kettle</name><price currency="EUR">3.50</price><vendor code="B &amp; Co"/><note lang="x"></note>
      <param name="Colour">Red</param><param name="Size">M</param></offer></shop>`;
    const [item] = await read(xml, { records: 'offer' });
    assert.deepEqual(item?.value, {
      ...{ id: '7', available: 'true', group: 'G', name: 'Kettle', price: '3.50', 'price@currency': 'EUR' },
      ...{
        vendor: { code: 'B & Co' },
        note: { lang: 'x' },
        param: ['Red', 'M'],
        'param@name': ['Colour', 'Size'],
      },
    });
  });
});
