/** Delimiters by the names that the command line uses. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** The dialect of a CSV feed: its delimiter, line ends and first line. */
interface CsvDialect {
  delimiter: string;
  /** The line ends that separate the records of a CSV feed. */
  lineEnds: string[];
  /**
   * The number of bytes to skip before the header: the length of a line such as `sep=;`, which tells Excel
   * the delimiter.
   */
  skip: number;
}

/** Detects the dialect of a CSV feed. @param head its beginning, with at least the whole first line. */
export function detectDialect(head: Buffer): CsvDialect {
  const text = head.toString('latin1');
  const [line = '', separator] = /^"?sep=([^\w\s"]|\t)"?(?:\r\n|\n|\r)/i.exec(text) ?? [];
  const lineEnds = endsInCarriageReturns(text) ? ['\r'] : ['\r\n', '\n'];
  return { delimiter: separator ?? delimiterOf(text), lineEnds, skip: line.length };
}

/** Column names of which every feed has at least one. */
const COMMON_COLUMN = /^(?:sku|id|source|name|title|price)$/i;

/** Whether a line looks like the header of a CSV feed: several names, at least one of them a common one. */
export function isHeaderLine(line: string): boolean {
  const names = line.split(delimiterOf(line)).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return names.length > 1 && names.some((name) => COMMON_COLUMN.test(name));
}

/** The delimiter of a CSV feed: the one that occurs most often in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = /^[^\r\n]+/.exec(text.trimStart()) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = Object.values(DELIMITERS).map((delimiter) => bare.split(delimiter).length);
  return Object.values(DELIMITERS)[counted.indexOf(Math.max(...counted))] ?? ',';
}

/**
 * Whether the lines of a CSV feed end with a carriage return only, as in files of old Macintosh programs. A
 * single carriage return within a line does not count.
 */
function endsInCarriageReturns(text: string): boolean {
  const bare = text.replace(/"[^"]*(?:"|$)/g, '');
  return bare.includes('\r') && !bare.includes('\n');
}
