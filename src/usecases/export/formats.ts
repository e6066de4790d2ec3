import { Parser } from '@json2csv/plainjs';
import { string as quoted } from '@json2csv/formatters';
import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import {
  google,
  GOOGLE_COLUMNS,
  openai,
  type PartnerFormat,
  type PartnerListing,
  type PartnerRow,
} from './partner-feeds.js';
import { joinProducts, type ListingBytes, productBytes } from '../../engine/passthrough.js';
import { type Links, toProduct } from '../../listing/to-product.js';
import type { StoredListing } from '../../listing/listing.js';

/** How one export format writes rows. */
export interface ExportFormat {
  contentType: string;
  open: string;
  /** @param first whether these rows are the first. */
  rows(listings: readonly ListingBytes[], links: Links, first: boolean): Buffer | string;
  close: string;
}

/**
 * Text that a spreadsheet would run as a formula gets a `'` in front, and so does text that begins as if it had
 * one already: so taking one `'` off again is exact.
 */
const FORMULA = /^'*[=+\-@\t\r]/;

/** Escapes a cell's text. The loader's counterpart is `unescapeFormula` of the feed readers. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const quote = quoted();

const csvOf = (fields: readonly string[]) =>
  new Parser<Record<string, unknown>, Record<string, unknown>>({
    fields: [...fields],
    header: false,
    eol: '\r\n',
    formatters: { string: (text: string) => quote(text) },
  });

/** Arrays and metadata as JSON text, which a spreadsheet never runs; null is empty; numbers stay numbers. */
function csvRow(product: object): Record<string, unknown> {
  const cells = Object.entries(product).map(([field, value]: [string, unknown]) => {
    if (value === null) return [field, null];
    if (field === 'metadata' || Array.isArray(value)) return [field, JSON.stringify(value)];
    return [field, typeof value === 'string' ? escapeFormula(value) : value];
  });
  return Object.fromEntries(cells) as Record<string, unknown>;
}

const COMMA = Buffer.from(',');
const NEWLINE = Buffer.from('\n');

const parsed = (listing: ListingBytes, links: Links): Product =>
  JSON.parse(productBytes(listing, links).toString()) as Product;

const withInternals = (listing: ListingBytes): PartnerListing =>
  JSON.parse(listing.toString()) as PartnerListing;

/** Of listings that a partner takes: one line each; those that it would refuse are left out. */
function partnerExport(
  { rowOf }: PartnerFormat,
  given: Pick<ExportFormat, 'contentType' | 'open'> & { line: (row: Record<string, unknown>) => string },
): ExportFormat {
  const lineOf = (row: PartnerRow) => ('row' in row ? `${given.line(row.row)}\n` : '');
  return {
    contentType: given.contentType,
    open: given.open,
    close: '',
    rows: (listings) => listings.map((listing) => lineOf(rowOf(withInternals(listing)))).join(''),
  };
}

/** Tells, instead of the feed, which listings the partner would refuse, and why. */
function partnerReport({ rowOf }: PartnerFormat): ExportFormat {
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    open: '',
    close: '',
    rows: (listings) =>
      listings
        .map((bytes) => {
          const listing = withInternals(bytes);
          const row = rowOf(listing);
          if ('row' in row) return '';
          const { id, source, sku } = listing;
          return `${JSON.stringify({ id, source, sku, reasons: row.reasons })}\n`;
        })
        .join(''),
  };
}

/**
 * A cell of a file of tabs. One that begins with a quotation mark would be taken for a quoted one, so it is made one.
 * A blank keeps spreadsheets from running it; feed readers drop that.
 */
function tabCell(value: unknown): string {
  const text = value === null ? '' : String(value).replace(/[\t\r\n]+/g, ' ');
  if (FORMULA.test(text)) return ` ${text}`;
  return text.startsWith('"') ? quote(text) : text;
}

const withoutNulls = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

function csvExport(
  fields: readonly string[],
  rowOf: (listing: ListingBytes, links: Links) => object,
): ExportFormat {
  const csv = csvOf(fields);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    open: `${fields.map((field) => `"${field}"`).join(',')}\r\n`,
    rows: (listings, links) => `${csv.parse(listings.map((listing) => csvRow(rowOf(listing, links))))}\r\n`,
    close: '',
  };
}

/** What each partner would refuse. */
export const EXPORT_REPORTS = { google: partnerReport(google), openai: partnerReport(openai) };

/** File name endings, where they are not the format's name. */
export const EXTENSIONS: Partial<Record<ExportName, string>> = { google: 'tsv', openai: 'jsonl' };

export type ExportName = 'json' | 'csv' | 'ndjson' | 'google' | 'openai';

export const EXPORT_FORMATS: Record<ExportName, ExportFormat> = {
  google: partnerExport(google, {
    contentType: 'text/tab-separated-values; charset=utf-8',
    open: `${GOOGLE_COLUMNS.join('\t')}\n`,
    line: (row) => GOOGLE_COLUMNS.map((column) => tabCell(row[column])).join('\t'),
  }),
  openai: partnerExport(openai, {
    contentType: 'application/x-ndjson; charset=utf-8',
    open: '',
    line: (row) => JSON.stringify(withoutNulls(row)),
  }),
  json: {
    contentType: 'application/json; charset=utf-8',
    open: '[',
    rows: (listings, links, first) =>
      Buffer.concat([...(first ? [] : [COMMA]), ...joinProducts(listings, links, COMMA)]),
    close: ']',
  },
  csv: csvExport(PRODUCT_FIELDS, parsed),
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    open: '',
    rows: (listings, links) => Buffer.concat([...joinProducts(listings, links, NEWLINE), NEWLINE]),
    close: '',
  },
};

/** A listing as a feed would state it: with the GTINs and the "was" price that no answer shows. */
function statedProduct(listing: ListingBytes, links: Links): object {
  const stored = JSON.parse(listing.toString()) as StoredListing;
  return { ...toProduct(stored, links), ...statedOf(stored) };
}

/** The fields of what is internal that a feed states. */
export const STATED_FIELDS = ['internal.declared_gtins', 'internal.list_price'];

/** What feeds state of a listing beside a Product's fields. */
export function statedOf({ internal }: Pick<StoredListing, 'internal'>) {
  const { declared_gtins: gtins, list_price } = internal;
  return { gtin: gtins.length > 1 ? gtins : (gtins[0] ?? null), list_price };
}

/** The formats that load again, with what feeds state beside a Product's fields. */
export const STATED_FORMATS: Record<'json' | 'csv' | 'ndjson', ExportFormat> = {
  json: {
    ...EXPORT_FORMATS.json,
    rows: (listings, links, first) =>
      `${first ? '' : ','}${listings.map((one) => JSON.stringify(statedProduct(one, links))).join(',')}`,
  },
  ndjson: {
    ...EXPORT_FORMATS.ndjson,
    rows: (listings, links) =>
      listings.map((one) => `${JSON.stringify(statedProduct(one, links))}\n`).join(''),
  },
  csv: csvExport([...PRODUCT_FIELDS, 'gtin', 'list_price'], statedProduct),
};
