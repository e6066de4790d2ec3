import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readRecords } from '../../../src/feeds/map/records.js';
import { loadText, now, recordsOf } from './fixtures.js';

const BROKEN = '\nTall \r\n\t kettle,  1.7 l\u2028steel\n';
const JOINED = 'Tall kettle,  1.7 l steel';

describe('line breaks in the fields that are shown on one line', () => {
  const fields = ['sku', 'source', 'name', 'brand', 'category', 'merchant_id'];
  const read = async (text: string): Promise<Record<string, unknown>[]> => {
    const items = [];
    for await (const item of readRecords(Readable.from([Buffer.from(text)]), { map: null, feed: {} }, now))
      items.push(item);
    return recordsOf(items);
  };

  it('become blanks in CSV feeds, except in the description', async () => {
    const header = [...fields, 'description'];
    const csv = `${header.join(',')}\n${header.map(() => `"${BROKEN}"`).join(',')}\n`;
    const [record] = await read(csv);
    for (const field of fields) assert.strictEqual(record?.[field], JOINED, field);
    assert.strictEqual(record?.['description'], BROKEN);
  });

  it('become blanks in mapped feeds', async () => {
    const map = { fields: { sku: 'id', name: 'title', brand: 'maker' } };
    const { items } = await loadText(JSON.stringify({ id: 'K-1', title: BROKEN, maker: BROKEN }), map);
    const [record] = recordsOf(items);
    assert.deepEqual([record?.['name'], record?.['brand']], [JOINED, JOINED]);
  });

  it("are kept in records of the service's own JSON form", async () => {
    const [record] = await read(JSON.stringify({ sku: 'K-1', source: 'shop', name: BROKEN }));
    assert.strictEqual(record?.['name'], BROKEN);
  });
});
