import { Parser } from '@json2csv/plainjs';
import { string as quoted } from '@json2csv/formatters';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import { joinProducts, type ListingBytes, productBytes } from './passthrough.js';
import type { Links } from './product.js';

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

const csv = new Parser<Record<string, unknown>, Record<string, unknown>>({
  fields: [...PRODUCT_FIELDS],
  header: false,
  eol: '\r\n',
  formatters: { string: (text: string) => quote(text) },
});

const HEADER = PRODUCT_FIELDS.map((field) => `"${field}"`).join(',');

/** Arrays and metadata as JSON text, which a spreadsheet never runs; null is empty; numbers stay numbers. */
function csvRow(product: Product): Record<string, unknown> {
  const cells = Object.entries(product).map(([field, value]: [string, unknown]) => {
    if (value === null) return [field, null];
    if (field === 'metadata' || Array.isArray(value)) return [field, JSON.stringify(value)];
    return [field, typeof value === 'string' ? escapeFormula(value) : value];
  });
  return Object.fromEntries(cells) as Record<string, unknown>;
}

const COMMA = Buffer.from(',');
const NEWLINE = Buffer.from('\n');

export const EXPORT_FORMATS: Record<'json' | 'csv' | 'ndjson', ExportFormat> = {
  json: {
    contentType: 'application/json; charset=utf-8',
    open: '[',
    rows: (listings, links, first) =>
      Buffer.concat([...(first ? [] : [COMMA]), ...joinProducts(listings, links, COMMA)]),
    close: ']',
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    open: `${HEADER}\r\n`,
    rows: (listings, links) => {
      const products = listings.map(
        (listing) => JSON.parse(productBytes(listing, links).toString()) as Product,
      );
      return `${csv.parse(products.map(csvRow))}\r\n`;
    },
    close: '',
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    open: '',
    rows: (listings, links) => Buffer.concat([...joinProducts(listings, links, NEWLINE), NEWLINE]),
    close: '',
  },
};
