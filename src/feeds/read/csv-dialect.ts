/** By name, for the command line. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** How a CSV feed is written. */
export interface Dialect {
  delimiter: string;
  /** What ends a record. */
  lineEnds: string[];
  /** So many bytes before the line that names the fields are `sep=;`, by which Excel knows the delimiter. */
  skip: number;
}

/** @param head the beginning of a feed, with its first line as a whole. */
export function dialectOf(head: Buffer): Dialect {
  const text = head.toString('latin1');
  const [said = '', separator] = /^"?sep=([^\w\s"]|\t)"?(?:\r\n|\n|\r)/i.exec(text) ?? [];
  const lineEnds = endsInCarriageReturns(text) ? ['\r'] : ['\r\n', '\n'];
  return { delimiter: separator ?? delimiterOf(text), lineEnds, skip: said.length };
}

/** Names one of which every feed has. */
const COMMON_COLUMN = /^(?:sku|id|source|name|title|price)$/i;

/** Whether a line could be the first one of a CSV feed: names with a delimiter between them, and a usual one among them. */
export function namesColumns(line: string): boolean {
  const names = line.split(delimiterOf(line)).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return names.length > 1 && names.some((name) => COMMON_COLUMN.test(name));
}

/** The delimiter that the first line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = /^[^\r\n]+/.exec(text.trimStart()) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = Object.values(DELIMITERS).map((delimiter) => bare.split(delimiter).length);
  return Object.values(DELIMITERS)[counted.indexOf(Math.max(...counted))] ?? ',';
}

/** As old programs of the Mac write. A carriage return that stands in a line by mistake ends none. */
function endsInCarriageReturns(text: string): boolean {
  const bare = text.replace(/"[^"]*(?:"|$)/g, '');
  return bare.includes('\r') && !bare.includes('\n');
}
