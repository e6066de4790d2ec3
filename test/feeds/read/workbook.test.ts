// Chaos only (oracles, sampled): it reads workbooks that are as large as the limits allow.
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { FeedError, type FeedItem, type FeedOptions, readFeed } from '../../../src/feeds/read/feed.js';
import { pluck } from '../../support/listings.js';

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/**
 * Creates a workbook whose parts have the order in which Excel writes them: the shared texts follow the
 * sheets.
 */
function workbook(parts: Record<string, string | Uint8Array>): Buffer {
  const all = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': '<Relationships/>',
    'xl/workbook.xml':
      `<workbook ${MAIN} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr/><sheets>` +
      '<sheet name="Lists" sheetId="2" state="hidden" r:id="rId2"/><sheet name="Products" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
    'xl/styles.xml':
      `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="165" formatCode="[Red]&quot;SGD&quot;\\ #,##0.00"/></numFmts>` +
      '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet2.xml': sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>a list</t></is></c></row>'),
    ...parts,
  };
  return Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(all).map(([name, part]) => [
          name,
          typeof part === 'string' ? strToU8(DECLARED + part) : part,
        ]),
      ),
    ),
  );
}

const sheet = (rows: string): string =>
  `<worksheet ${MAIN}><dimension ref="A1"/><sheetData>${rows}</sheetData></worksheet>`;
const strings = (...items: string[]): string =>
  `<sst ${MAIN} count="9">${items.map((item) => `<si>${item}</si>`).join('')}</sst>`;

async function read(file: Buffer, options: FeedOptions = {}, steps = file.length): Promise<FeedItem[]> {
  const chunks = Array.from({ length: Math.ceil(file.length / steps) }, (_, i) =>
    file.subarray(i * steps, (i + 1) * steps),
  );
  const items = [];
  for await (const item of readFeed(Readable.from(chunks), options)) items.push(item);
  return items;
}

const said = async (file: Buffer, options?: FeedOptions): Promise<string> =>
  read(file, options).then(
    () => 'nothing',
    (error: unknown) => {
      assert.instanceOf(error, FeedError);
      return (error as Error).message;
    },
  );

describe('Workbooks', () => {
  const products = workbook({
    'xl/worksheets/sheet1.xml': sheet(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="inlineStr"><is><t>seen</t></is></c><c r="E1" t="inlineStr"><is><t>stock</t></is></c></row>' +
        '<row r="2"><c r="A2"><v>4006381333931</v></c><c r="B2" t="s"><v>3</v></c><c r="C2" s="3"><v>19.989999999999998</v></c><c r="D2" s="1"><v>46000</v></c><c r="E2" t="b"><v>1</v></c></row>' +
        '<row r="5" spans="1:5"><c r="A5" t="str"><f>"A"&amp;1</f><v>A1</v></c><c r="B5" t="s"><v>4</v></c><c r="D5" s="2"><v>46000.75</v></c></row>' +
        '<row r="6"><c r="C6" t="e"><v>#N/A</v></c><c r="F6"><v>1E-3</v></c></row>',
    ),
    'xl/sharedStrings.xml': strings(
      '<t>sku</t>',
      '<t>name</t>',
      '<t>price</t>',
      '<r><t xml:space="preserve">Kettle </t></r><r><rPr><b/></rPr><t>&quot;R&amp;B&quot;</t></r><rPh><t>aside</t></rPh>',
      '<t>two_x000D_\nlines</t>',
    ),
  });

  it('are read from the first visible sheet, with texts, numbers as displayed, dates and blank rows', async () => {
    for (const steps of [products.length, 7]) {
      const items = await read(products, { anyColumns: true }, steps);
      const rows = items.map(({ line, value, error }) => [line, error ?? value]);
      assert.deepEqual(rows, [
        [
          2,
          { sku: '4006381333931', name: 'Kettle "R&B"', price: '19.99', seen: '2025-12-09', stock: 'true' },
        ],
        [5, { sku: 'A1', name: 'two\r\nlines', price: '', seen: '2025-12-09T18:00:00', stock: '' }],
        [7, 'record: has 6 columns instead of 5'],
      ]);
    }
  });

  it('are read from the given row and sheet', async () => {
    assert.deepEqual(pluck(await read(products, { anyColumns: true, skipLines: 1 }), 'line'), [5, 7]);
    assert.isEmpty(await read(products, { anyColumns: true, records: 'Lists' }));
    assert.match(
      await said(products, { records: 'Prices' }),
      /no sheet "Prices"; there are "Lists", "Products"/,
    );
  });

  it('are rejected if they are damaged, in an old format, or zip bombs', async () => {
    assert.match(await said(products.subarray(0, products.length - 400)), /zip archive is cut off/);
    assert.match(
      await said(Buffer.from('d0cf11e0a1b11ae1'.padEnd(200, '0'), 'hex')),
      /old kind, or with a password/,
    );
    const long = (part: string, text: string) =>
      said(workbook({ 'xl/worksheets/sheet1.xml': sheet(''), [part]: strToU8(text) }));
    assert.match(await long('xl/worksheets/sheet1.xml', sheet('<row r="1"><c')), /damaged/);
    const endless = `<sst><si><t>${'a'.repeat(8 * 1024 * 1024)}</t></si></sst>`;
    assert.match(await long('xl/sharedStrings.xml', endless), /a cell is longer than 4 MB/);
    const many = `<sst>${`<si><t>${'a'.repeat(1024 * 1024)}</t></si>`.repeat(65)}</sst>`;
    assert.match(await long('xl/sharedStrings.xml', many), /more than 64 MB of text/);
    assert.match(await long('xl/workbook.xml', '<a>'.repeat(100)), /nested too deeply/);
    assert.match(await long('xl/worksheets/sheet1.xml', sheet('<row r="9"/><row r="2"/>')), /no order/);
  });

  // Without these limits, a workbook of 504 bytes took 1 GB and 40 s.
  it('have limits for columns, characters and blank cells, which a few bytes could exceed', async () => {
    const of = (rows: string, shared = '') =>
      workbook({ 'xl/worksheets/sheet1.xml': sheet(rows), 'xl/sharedStrings.xml': strings(shared) });
    const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
    const cell = (at: string) => `<c r="${at}"><v>1</v></c>`;
    assert.match(await said(of(row(cell('XFD1')))), /Row 1 of the workbook has more than 2,000 columns/);
    const wide = row(cell('BXX1')) + row('<c><v>1</v></c>').repeat(5_000);
    assert.match(await said(of(wide), { anyColumns: true }), /Nearly all cells of the sheet are blank/);
    const shared = (count: number) => row('<c t="s"><v>0</v></c>'.repeat(count));
    const long = (length: number) => `<t>${'a'.repeat(length)}</t>`;
    assert.match(await said(of(shared(1), long(65_537))), /a cell of more than 65,536 characters/);
    assert.match(await said(of(shared(100), long(60_000))), /Row 1 of the workbook is longer than 4 MB/);
    const styles = `<styleSheet><cellXfs>${'<xf/>'.repeat(4_000_000)}</cellXfs></styleSheet>`;
    const bomb = workbook({ 'xl/worksheets/sheet1.xml': sheet(''), 'xl/styles.xml': strToU8(styles) });
    assert.match(await said(bomb), /a part of it is longer than 16 MB/);
  });

  it('may have formatted blank cells far to the right, and cells without a reference', async () => {
    const rows =
      '<row><c t="str"><v>sku</v></c><c/><c t="str"><v>name</v></c><c r="XFD1" s="1"/></row>' +
      '<row><c><v>7</v></c><c/><c t="str"><v>Kettle</v></c></row>';
    const [item] = await read(workbook({ 'xl/worksheets/sheet1.xml': sheet(rows) }), { anyColumns: true });
    assert.deepEqual(item?.value, { sku: '7', '': '', name: 'Kettle' });
  });
});
