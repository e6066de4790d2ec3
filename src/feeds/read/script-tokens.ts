import { decodeHTMLStrict } from 'entities';

/** Where a script begins in its page. Lines and columns are counted from 1. */
export interface Place {
  line: number;
  column: number;
}

/** The line and column behind the last character of a text that begins at the given line and column. */
export function placeAfter(text: string, { line, column }: Place): Place {
  const lines = text.split('\n');
  const rest = lines.at(-1)?.length ?? 0;
  return lines.length === 1
    ? { line, column: column + rest }
    : { line: line + lines.length - 1, column: rest + 1 };
}

/** Thrown if a script cannot be read. The message is the reason with its place. */
export class ScriptError extends Error {
  override name = 'ScriptError';
}

/**
 * The parts of a script, which is JSON, or JavaScript in its place. Marks are what pages put around a script so that old
 * browsers or XML parsers ignore it. They come before comments, because JSON may follow in the same line.
 */
const PARTS = {
  blank: String.raw`[\s\ufeff]+`,
  mark: String.raw`(?:\/\/|\/\*)?[ \t]{0,9}(?:<!\[CDATA\[|(?:<!)?\]\]>|<!--(?![^<{[]{0,1000}-->)|-->)(?:[ \t]{0,9}\*\/)?`,
  comment: String.raw`\/\/[^\n]*|\/\*[^]*?\*\/|<!--[^<{[]{0,1000}?-->`,
  text: String.raw`"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'`,
  word: String.raw`[\w$@.+-]+`,
  sign: String.raw`[{}[\],:;=()]`,
} as const;

export interface Token {
  kind: keyof typeof PARTS;
  text: string;
  /** The offset in the script, after its HTML entities were decoded. */
  at: number;
}

const KINDS = Object.keys(PARTS) as Token['kind'][];
const TOKEN = new RegExp(
  Object.values(PARTS)
    .map((part) => `(${part})`)
    .join('|'),
  'gy',
);

/** The tokens of a text, up to the first character that belongs to none. */
export const tokensOf = (text: string): Token[] =>
  Array.from(text.matchAll(TOKEN), (match) => ({
    kind: KINDS[match.indexOf(match[0], 1) - 1] ?? 'sign',
    text: match[0],
    at: match.index,
  }));

const QUOTE_ENTITY = /[{[]\s*&(?:quot|apos|#0{0,9}3[49]|#x0{0,9}2[27]);/i;
const PLAIN_QUOTE = /[{[]\s*["']/;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi;

/** A script, and the places of its parts in the page. @param start that of its first character. */
export function scriptSource(script: string, start: Place) {
  /** Whether HTML entities are decoded, because they stand in place of the quotation marks of the JSON. */
  const isEncoded = QUOTE_ENTITY.test(script) && !PLAIN_QUOTE.test(script);
  /** For positions in the decoded text, by how many characters the script before them is longer than the text. */
  const shifts: { from: number; by: number }[] = [];
  let longer = 0;
  const decode = (entity: string, at: number): string => {
    const decoded = decodeHTMLStrict(entity);
    const from = at - longer + decoded.length;
    longer += entity.length - decoded.length;
    shifts.push({ from, by: longer });
    return decoded;
  };
  const text = isEncoded ? script.replace(ENTITY, decode) : script;

  /** Describes where an offset of the text is in the page. */
  const placeOf = (at: number): string => {
    const by = shifts.findLast(({ from }) => from <= at)?.by ?? 0;
    const { line, column } = placeAfter(script.slice(0, at + by), start);
    return `(line ${line}, column ${column})`;
  };
  const error = (problem: string, at: number): ScriptError =>
    new ScriptError(`record: is not valid JSON: ${problem} ${placeOf(at)}`);

  /** @throws ScriptError at the first character that belongs to neither JSON nor JavaScript. */
  const tokens = (): Token[] => {
    const found = tokensOf(text);
    const significant = found.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
    // An unescaped quotation mark in a text changes the meaning of everything after it, so the error names the first one.
    for (const [index, { kind, at }] of significant.entries()) {
      const isValue = kind === 'word' || (kind === 'text' && significant[index + 1]?.text !== ':');
      if (isValue && significant[index - 1]?.kind === 'text')
        throw error('a text ends too early, at a quotation mark that is not escaped', at);
    }
    const last = found.at(-1);
    const end = last === undefined ? 0 : last.at + last.text.length;
    if (end < text.length) throw error(problemAt(text, end), end);
    return found;
  };
  return { isEncoded, placeOf, error, tokens };
}

export type ScriptSource = ReturnType<typeof scriptSource>;

function problemAt(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") return 'a text does not end';
  return text.startsWith('/*', at) ? 'a comment does not end' : `there is a stray ${character}`;
}
