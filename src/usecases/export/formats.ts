import { Parser } from '@json2csv/plainjs';
import { string as quoted } from '@json2csv/formatters';
import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import {
  GOOGLE_COLUMNS,
  googleRow,
  openaiRow,
  type PartnerListing,
  type PartnerRow,
} from './partner-feeds.js';
import { joinProducts, type ListingBytes, productBytes } from '../../engine/listing-bytes.js';
import { includedFields, includedIn, type IncludeSettings } from '../../products/included.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import { type Include, includedNames } from '../../schemas/include.js';
import type { StoredListing } from '../../listing/listing.js';

/** An export format. A file consists of `open`, the rows of each chunk of listings, and `close`. */
export interface ExportFormat {
  contentType: string;
  open: string;
  /** Writes the rows of one chunk of listings; `isFirst` for the first chunk of the file. */
  rows(listings: readonly ListingBytes[], links: LinkSettings, isFirst: boolean): Buffer | string;
  close: string;
}

/** Matches text that a spreadsheet would run as a formula. Some read the full-width forms of the characters as well. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Prefixes a formula, and text that looks escaped, with an apostrophe, which `unescapeFormula` (feeds/read/csv.ts) removes. */
const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const quote = quoted();

/** Returns the cells of a listing in a CSV export. Arrays, objects and metadata are JSON, which no spreadsheet runs. */
function csvRow(product: object): Record<string, unknown> {
  const cells = Object.entries(product).map(([field, value]: [string, unknown]) => {
    if (value === null) return [field, null];
    if (field === 'metadata' || typeof value === 'object') return [field, JSON.stringify(value)];
    return [field, typeof value === 'string' ? escapeFormula(value) : value];
  });
  return Object.fromEntries(cells) as Record<string, unknown>;
}

const COMMA = Buffer.from(',');
const NEWLINE = Buffer.from('\n');

const TAB_SEPARATED = {
  contentType: 'text/tab-separated-values; charset=utf-8',
  open: `${GOOGLE_COLUMNS.join('\t')}\n`,
  close: '',
};
const NDJSON = { contentType: 'application/x-ndjson; charset=utf-8', open: '', close: '' };

const partnerFormat = (
  frame: Omit<ExportFormat, 'rows'>,
  rowOf: (listing: PartnerListing) => PartnerRow,
  lineOf: (row: PartnerRow, listing: PartnerListing) => string | null,
): ExportFormat => ({
  ...frame,
  rows: (listings) =>
    listings
      .map((bytes) => {
        const listing = JSON.parse(bytes.toString()) as PartnerListing;
        const line = lineOf(rowOf(listing), listing);
        return line === null ? '' : `${line}\n`;
      })
      .join(''),
});

const refusalOf = (row: PartnerRow, { id, source, sku }: PartnerListing): string | null =>
  'row' in row ? null : JSON.stringify({ id, source, sku, reasons: row.reasons });

/** Quotes a cell that begins with a quotation mark, and defuses a formula with a blank before it, which feed readers ignore. */
function tabCell(value: unknown): string {
  const text = value === null ? '' : String(value).replace(/[\t\r\n]+/g, ' ');
  if (FORMULA.test(text)) return ` ${text}`;
  return text.startsWith('"') ? quote(text) : text;
}

const googleLine = (row: PartnerRow): string | null =>
  'row' in row ? GOOGLE_COLUMNS.map((column) => tabCell(row.row[column])).join('\t') : null;

const openaiLine = (row: PartnerRow): string | null =>
  'row' in row
    ? JSON.stringify(Object.fromEntries(Object.entries(row.row).filter(([, value]) => value !== null)))
    : null;

function csvExport(
  fields: readonly string[],
  rowOf: (listing: ListingBytes, links: LinkSettings) => object,
): ExportFormat {
  const csv = new Parser<Record<string, unknown>, Record<string, unknown>>({
    fields: [...fields],
    header: false,
    eol: '\r\n',
    formatters: { string: (text: string) => quote(text) },
  });
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    open: `${fields.map((field) => `"${field}"`).join(',')}\r\n`,
    rows: (listings, links) => `${csv.parse(listings.map((listing) => csvRow(rowOf(listing, links))))}\r\n`,
    close: '',
  };
}

export const EXPORT_REPORTS = {
  google: partnerFormat(NDJSON, googleRow, refusalOf),
  openai: partnerFormat(NDJSON, openaiRow, refusalOf),
};

/** The extensions of file names, for formats whose extension is not the format's name. */
export const EXTENSIONS: Partial<Record<ExportName, string>> = { google: 'tsv', openai: 'jsonl' };

export type ExportName = 'json' | 'csv' | 'ndjson' | 'google' | 'openai';

export const EXPORT_FORMATS: Record<ExportName, ExportFormat> = {
  google: partnerFormat(TAB_SEPARATED, googleRow, googleLine),
  openai: partnerFormat(NDJSON, openaiRow, openaiLine),
  json: {
    contentType: 'application/json; charset=utf-8',
    open: '[',
    rows: (listings, links, isFirst) =>
      Buffer.concat([...(isFirst ? [] : [COMMA]), ...joinProducts(listings, links, COMMA)]),
    close: ']',
  },
  csv: csvExport(
    PRODUCT_FIELDS,
    (listing, links) => JSON.parse(productBytes(listing, links).toString()) as Product,
  ),
  ndjson: {
    ...NDJSON,
    rows: (listings, links) => Buffer.concat([...joinProducts(listings, links, NEWLINE), NEWLINE]),
  },
};

const STATED_FIELDS = ['internal.declared_gtins', 'internal.list_price'];

function statedIn({ internal }: StoredListing) {
  const { declared_gtins: gtins, list_price } = internal;
  return { gtin: gtins.length > 1 ? gtins : (gtins[0] ?? null), list_price };
}

/** The export formats with the members that `include` adds, and the stored fields that they need. */
export function formatsWith(include: Include, settings: IncludeSettings) {
  const isStated = include.includes('stated');
  const productOf = (bytes: ListingBytes, links: LinkSettings): object => {
    const listing = JSON.parse(bytes.toString()) as StoredListing;
    return {
      ...toProduct(listing, links),
      ...(isStated ? statedIn(listing) : {}),
      ...includedIn(listing, include, settings),
    };
  };
  const jsonOf = (listings: readonly ListingBytes[], links: LinkSettings, separator: string) =>
    listings.map((listing) => JSON.stringify(productOf(listing, links))).join(separator);
  const columns = [...PRODUCT_FIELDS, ...(isStated ? ['gtin', 'list_price'] : []), ...includedNames(include)];
  const formats: Pick<typeof EXPORT_FORMATS, 'json' | 'csv' | 'ndjson'> = {
    json: {
      ...EXPORT_FORMATS.json,
      rows: (listings, links, isFirst) => `${isFirst ? '' : ','}${jsonOf(listings, links, ',')}`,
    },
    ndjson: { ...EXPORT_FORMATS.ndjson, rows: (listings, links) => `${jsonOf(listings, links, '\n')}\n` },
    csv: csvExport(columns, productOf),
  };
  const source = [...PRODUCT_FIELDS, ...(isStated ? STATED_FIELDS : []), ...includedFields(include)];
  return { formats, source };
}
