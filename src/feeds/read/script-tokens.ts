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

/** The text of a script, and the places of its parts in the page. */
export class ScriptSource {
  readonly text: string;
  /** Whether HTML entities were decoded, because they stood in place of the quotation marks of the JSON. */
  readonly isEncoded: boolean;
  /** For positions in the decoded text, by how many characters the script before them is longer than the text. */
  readonly #shifts: { from: number; by: number }[] = [];

  constructor(
    private readonly script: string,
    private readonly start: Place,
  ) {
    this.isEncoded = QUOTE_ENTITY.test(script) && !PLAIN_QUOTE.test(script);
    this.text = this.isEncoded ? this.#decoded() : script;
  }

  /** Describes where an offset of the text is in the page. */
  placeOf(at: number): string {
    const by = this.#shifts.findLast(({ from }) => from <= at)?.by ?? 0;
    const { line, column } = placeAfter(this.script.slice(0, at + by), this.start);
    return `(line ${line}, column ${column})`;
  }

  /** @throws ScriptError at the first character that belongs to neither JSON nor JavaScript. */
  tokens(): Token[] {
    const tokens = tokensOf(this.text);
    this.#checkQuotes(tokens);
    const { at, text } = tokens.at(-1) ?? { at: 0, text: '' };
    const end = at + text.length;
    if (end < this.text.length) throw this.error(this.#problemAt(end), end);
    return tokens;
  }

  /** An unescaped quotation mark in a text changes the meaning of everything after it, so the error names the first one. */
  #checkQuotes(tokens: readonly Token[]): void {
    const significant = tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
    for (const [index, { kind, at }] of significant.entries()) {
      const isValue = kind === 'word' || (kind === 'text' && significant[index + 1]?.text !== ':');
      if (isValue && significant[index - 1]?.kind === 'text')
        throw this.error('a text ends too early, at a quotation mark that is not escaped', at);
    }
  }

  error(problem: string, at: number): ScriptError {
    return new ScriptError(`record: is not valid JSON: ${problem} ${this.placeOf(at)}`);
  }

  #problemAt(at: number): string {
    const character = String.fromCodePoint(this.text.codePointAt(at) ?? 0);
    if (character === '"' || character === "'") return 'a text does not end';
    return this.text.startsWith('/*', at) ? 'a comment does not end' : `there is a stray ${character}`;
  }

  #decoded(): string {
    let by = 0;
    return this.script.replace(ENTITY, (entity, at: number) => {
      const decoded = decodeHTMLStrict(entity);
      const from = at - by + decoded.length;
      by += entity.length - decoded.length;
      this.#shifts.push({ from, by });
      return decoded;
    });
  }
}
