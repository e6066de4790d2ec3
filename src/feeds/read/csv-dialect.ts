import { type Static, Type } from 'typebox';

/** Delimiters by the names that the command line uses. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = keyof typeof DELIMITERS;

export const Column = Type.String({ minLength: 1, maxLength: 500 });

/** How a CSV feed is laid out, if it is not a table with the names of its columns in the first row. */
export const CsvLayoutSchema = Type.Object(
  {
    delimiter: Type.Optional(Type.Unsafe<Delimiter>({ type: 'string', enum: Object.keys(DELIMITERS) })),
    /** Whether quotes enclose cells; by default they do. */
    quotes: Type.Optional(Type.Literal(false)),
    /** The first row with one of these columns names the columns; the rows before it are not records. */
    header: Type.Optional(Type.Array(Column, { minItems: 1, maxItems: 50 })),
    /** The columns of a feed that does not name them; those at the end may be missing from the whole feed. */
    columns: Type.Optional(Type.Array(Column, { minItems: 1, maxItems: 500 })),
    /** A regular expression for lines that are not records. */
    ignore: Type.Optional(Column),
  },
  { additionalProperties: false },
);
export type CsvLayout = Static<typeof CsvLayoutSchema>;

/** Detects delimiter and line end of a CSV feed from its beginning, which contains at least its first line. */
export function detectDialect(head: Buffer): { delimiter: string; lineEnd: '\n' | '\r'; skip: number } {
  const text = head.toString('latin1');
  const [line = '', separator] = /^"?sep=([^\w\s"]|\t)"?(?:\r\n|\n|\r)/i.exec(text) ?? [];
  const lineEnd = endsInCarriageReturns(text) ? '\r' : '\n';
  // A line such as `sep=;` tells Excel the delimiter and is skipped.
  return { delimiter: separator ?? delimiterOf(text), lineEnd, skip: line.length };
}

/** Matches common names of columns. Every feed has at least one of them. */
const COMMON_COLUMN = /^(?:sku|id|source|name|title|price)$/i;

/** Whether a line looks like a header: it has several cells, at least one of which is a common name of a column. */
export function isHeaderLine(line: string): boolean {
  const names = line.split(delimiterOf(line)).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return names.length > 1 && names.some((name) => COMMON_COLUMN.test(name));
}

/** The delimiter that occurs most often in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = /^[^\r\n]+/.exec(text.trimStart()) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = Object.values(DELIMITERS).map((delimiter) => bare.split(delimiter).length);
  return Object.values(DELIMITERS)[counted.indexOf(Math.max(...counted))] ?? ',';
}

/** Whether lines end with a carriage return only, as in files of old Macintosh programs. */
function endsInCarriageReturns(text: string): boolean {
  const bare = text.replace(/"[^"]*(?:"|$)/g, '');
  return bare.includes('\r') && !bare.includes('\n');
}
