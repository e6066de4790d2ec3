import { type CsvOptions, readCsv } from './csv.js';
import { isHeaderLine } from './csv-dialect.js';
import { readHtmlPage } from './html-page.js';
import { FeedError, type FeedItem } from './item.js';
import { JsonArraySplitter } from './json-arrays.js';
import { NdjsonSplitter, readJson, readJsonDocument } from './json.js';
import { type FeedText, withoutComments } from './text.js';
import { readXml } from './xml.js';

/** The options of the feed readers. */
export interface FormatOptions extends CsvOptions {
  /** Where the records are: the path of a JSON array, such as `data.products`, the name of the XML elements, or of the sheet. */
  records?: string | undefined;
  /** Whether a JSON object that spans several lines is one record. */
  document?: boolean | undefined;
  /** The maximum size of a JSON record in bytes. Longer records are rejected without being parsed. */
  maxRecordBytes?: number | undefined;
}

interface FormatReader {
  /** Matches the beginning of a feed in this format. Comments before it have been removed. */
  detect: RegExp;
  /** How `POST /v1/listings`, which takes only JSON, names the format; null if it does not accept it. */
  upload: { name: string; mediaType: string } | null;
  read(text: FeedText, options: FormatOptions): AsyncIterable<FeedItem>;
}

/** The feed formats. Detection and the `--format` option follow from this table. */
const READERS = {
  html: {
    // Browsers can save a part of a page, which begins with one of these elements.
    detect: /^<(?:!doctype\s+html|html|head|body|script|style|meta|link|title|div)(?=[\s/>])/i,
    upload: null,
    read: ({ chunks, line }) => readHtmlPage(chunks, line),
  },
  ndjson: {
    detect: /^\{/,
    upload: { name: 'NDJSON', mediaType: 'application/x-ndjson' },
    read({ chunks, head, line }, options) {
      rejectOtherFormats(head);
      const { records, document, maxRecordBytes } = options;
      if (records !== undefined)
        return readJson(chunks, new JsonArraySplitter(records, line), maxRecordBytes);
      if (!spansLines(head)) return readJson(chunks, new NdjsonSplitter(line), maxRecordBytes);
      if (document === true) return readJsonDocument(chunks, line);
      throw new FeedError(
        'The feed is one JSON document and no list of records; say where they stand in it, as in --records products.',
      );
    },
  },
  json: {
    detect: /^\[/,
    upload: { name: 'a JSON array', mediaType: 'application/json' },
    read: ({ chunks, line }, { records, maxRecordBytes }) =>
      readJson(chunks, new JsonArraySplitter(records, line), maxRecordBytes),
  },
  csv: {
    detect: /^[^[{<]/,
    upload: null,
    read({ chunks, head, line }, options) {
      rejectLateXml(head, line);
      return readCsv(chunks, { ...options, line });
    },
  },
  xml: {
    detect: /^(?:<|$)/,
    upload: null,
    read: ({ chunks, line }, { records }) => readXml(chunks, { records, line }),
  },
} satisfies Record<string, FormatReader>;

export type FeedFormat = keyof typeof READERS;
export const FEED_FORMATS = Object.keys(READERS) as FeedFormat[];

/** The formats that `POST /v1/listings` accepts. */
export const UPLOAD_FORMATS = Object.values(READERS).flatMap(({ upload }) => upload ?? []);

/** Reads a feed in a format, or in the format that its first character indicates. */
export function readFormat(
  text: FeedText,
  {
    format,
    onlyJson = false,
    ...options
  }: FormatOptions & { format?: FeedFormat | undefined; onlyJson?: boolean | undefined },
): AsyncIterable<FeedItem> {
  const start = withoutComments(text.head);
  const detected =
    FEED_FORMATS.find(
      (name) => READERS[name].detect.test(start) && (READERS[name].upload !== null || !onlyJson),
    ) ?? 'ndjson';
  // A document is JSON-LD, which is found in pages and not in XML.
  const found = detected === 'xml' && options.document === true ? 'html' : detected;
  return READERS[format ?? found].read(text, options);
}

/** Refuses XML and CSV, because otherwise every line would be rejected as JSON. @throws FeedError */
function rejectOtherFormats(head: Buffer): void {
  const [line = ''] = /^[^\r\n]*/.exec(head.toString().trimStart()) ?? [];
  if (/^[{[]/.test(line)) return;
  const other = line.startsWith('<') ? 'XML' : isHeaderLine(line) ? 'CSV' : null;
  if (other === null) return;
  const beginning = JSON.stringify(line.slice(0, 60).toWellFormed());
  throw new FeedError(
    `This looks like ${other} and not like JSON: it begins ${beginning}. A record is a JSON object such as {"sku": "A1", "source": "shop", "name": "Kettle"}, one a line or in an array.`,
  );
}

/** Refuses XML that follows other text, such as a message of a program. @throws FeedError */
function rejectLateXml(head: Buffer, line: number): void {
  const text = head.toString();
  const at = text.search(/^[ \t]{0,9}<(?:\?xml|rss|feed)[\s>]/m);
  if (at < 0) return;
  const before = text.slice(0, at);
  const beginning = JSON.stringify(before.trim().slice(0, 60).toWellFormed());
  throw new FeedError(
    `The XML begins at line ${line + before.split('\n').length - 1}, after other text, which has to be removed (or use --skip-lines): ${beginning}.`,
  );
}

function spansLines(head: Buffer): boolean {
  const end = head.indexOf('\n');
  return end >= 0 && /[{[,:]\s*$/.test(head.subarray(0, end).toString());
}
