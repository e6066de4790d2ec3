import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { FeedError } from './item.js';
import { type SheetContext, sheetToCsv } from './workbook-sheet.js';
import { MAX_STREAMED_BYTES, readXmlPart, textVisitor } from './workbook-xml.js';
import { isZip, readZip } from './zip.js';

/** The maximum size of a workbook, which is held in memory with all the texts that its cells share. */
const MAX_WORKBOOK_BYTES = 64 * 1024 * 1024;
const MAX_SHARED_CHARACTERS = 64 * 1024 * 1024;

/** The files with which the archive of a workbook begins. */
const FIRST_PART = /^(?:\[Content_Types\]\.xml|xl\/|_rels\/|docProps\/|customXml\/)/;

/** Whether a feed is a workbook (.xlsx): a zip archive whose first file is part of a workbook. */
export const isWorkbook = (head: Buffer): boolean =>
  isZip(head) && FIRST_PART.test(head.toString('latin1', 30, 60));

/** Whether a feed is a workbook in the old binary format (.xls), or with a password. */
export const isOldWorkbook = (head: Buffer): boolean => head.toString('hex', 0, 4) === 'd0cf11e0';

/**
 * Converts a sheet of a workbook (Office Open XML) to CSV, with one line per row. Numbers have the digits
 * that Excel displays, dates are ISO 8601. Libraries hold all cells in memory, blank ones included, so that a
 * file of 1 kB can exhaust it.
 * @param options.sheet the name of the sheet; by default, the first one that is not hidden.
 * @param options.skipLines the number of rows to skip.
 */
export async function* readWorkbook(
  source: AsyncIterable<Buffer>,
  options: { sheet?: string | undefined; skipLines?: number | undefined },
): AsyncGenerator<Buffer> {
  const archive = await readAll(source);
  const parts = await readParts(archive);
  const name = parts.targets.get(selectSheet(parts.sheets, options.sheet).id) ?? 'xl/worksheets/sheet1.xml';
  for await (const file of readZip(Readable.from([archive]))) {
    if (file.name !== name) continue;
    return yield* sheetToCsv(file.chunks, { ...parts, skipLines: options.skipLines ?? 0 });
  }
  throw new FeedError('The workbook lacks its sheet: it is damaged.');
}

async function readAll(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_WORKBOOK_BYTES)
      throw new FeedError('The workbook is larger than 64 MB: save its sheet as CSV.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface WorkbookParts extends Omit<SheetContext, 'skipLines'> {
  sheets: { name: string; id: string; isHidden: boolean }[];
  /** The names of a workbook's parts by their relationship id. */
  targets: Map<string, string>;
}

async function readParts(archive: Buffer): Promise<WorkbookParts> {
  const parts: WorkbookParts = {
    sheets: [],
    targets: new Map(),
    epoch: Date.UTC(1899, 11, 30),
    dateStyles: [],
    sharedTexts: [],
  };
  const readers = new Map([
    ['xl/workbook.xml', readSheetNames],
    ['xl/_rels/workbook.xml.rels', readTargets],
    ['xl/styles.xml', readDateStyles],
    ['xl/sharedStrings.xml', readSharedTexts],
  ]);
  for await (const { name, chunks } of readZip(Readable.from([archive]))) {
    await readers.get(name)?.(chunks, parts);
  }
  return parts;
}

type Chunks = AsyncIterable<Buffer>;

const readSheetNames = (part: Chunks, parts: WorkbookParts): Promise<void> =>
  readXmlPart(part, {
    open(element, { name = '', 'r:id': id = '', state = 'visible', date1904 }) {
      if (element === 'sheet') parts.sheets.push({ name, id, isHidden: state !== 'visible' });
      if (element === 'workbookPr' && (date1904 === '1' || date1904 === 'true'))
        parts.epoch = Date.UTC(1904, 0, 1);
    },
  });

const readTargets = (part: Chunks, { targets }: WorkbookParts): Promise<void> =>
  readXmlPart(part, {
    open(_element, { Id, Target }) {
      if (Id !== undefined && Target !== undefined) targets.set(Id, posix.resolve('/xl', Target).slice(1));
    },
  });

/** Returns the wanted sheet, by default the first one that is not hidden. @throws FeedError if there is none. */
function selectSheet(sheets: WorkbookParts['sheets'], wanted?: string): WorkbookParts['sheets'][number] {
  const sheet =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ name }) => name === wanted);
  if (sheet !== undefined) return sheet;
  const names = sheets.map(({ name }) => JSON.stringify(name)).join(', ');
  throw new FeedError(
    `The workbook has no sheet ${JSON.stringify(wanted ?? '')}; there are ${names || 'none'}.`,
  );
}

const DATE_FORMATS = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47];

async function readDateStyles(part: Chunks, { dateStyles }: WorkbookParts): Promise<void> {
  const formats = new Set(DATE_FORMATS);
  let inCellStyles = false;
  await readXmlPart(part, {
    open(element, { numFmtId = '', formatCode = '' }) {
      // A date format contains one of these letters outside of quoted or escaped text and conditions.
      if (element === 'numFmt' && /[dmyhs]/i.test(formatCode.replace(/"[^"]*"|\\.|\[[^[\]]*\]|General/g, '')))
        formats.add(Number(numFmtId));
      if (element === 'cellXfs') inCellStyles = true;
      if (element === 'xf' && inCellStyles) dateStyles.push(formats.has(Number(numFmtId)));
    },
    close(element) {
      if (element === 'cellXfs') inCellStyles = false;
    },
  });
}

async function readSharedTexts(part: Chunks, { sharedTexts }: WorkbookParts): Promise<void> {
  let characters = 0;
  const visitor = textVisitor('si', (text) => {
    characters += text.length + 16;
    if (characters > MAX_SHARED_CHARACTERS)
      throw new FeedError('The workbook has more than 64 MB of text: save its sheet as CSV.');
    sharedTexts.push(text);
  });
  await readXmlPart(part, visitor, MAX_STREAMED_BYTES);
}
