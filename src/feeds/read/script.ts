import { type FeedItem, MAX_RAW_TEXT } from './item.js';
import { repairDocument } from './script-repair.js';
import { type Place, ScriptError, ScriptSource, type Token } from './script-tokens.js';
import { parseJson } from '../../platform/parse-json.js';

/** The maximum length of a script that is repaired, which limits the memory and the time that a page can take. */
const MAX_REPAIRED = 512 * 1024;
const MAX_DEPTH = 100;

/**
 * Reads the JSON documents of a script; each is an item. Invalid JSON is repaired if that is certain and leaves prices,
 * currencies and identifiers as stated; otherwise it is rejected with the place of the problem. @param start that of the script.
 */
export function readScript(script: string, start: Place): FeedItem[] {
  const bytes = Buffer.byteLength(script);
  const documents = documentsOf(script, start);
  const base = { line: start.line, bytes: Math.ceil(bytes / documents.length) };
  return documents.map((document) =>
    'error' in document
      ? { ...base, raw: document.text.trim().slice(0, MAX_RAW_TEXT), error: document.error }
      : {
          ...base,
          raw: document.value,
          value: document.value,
          ...(document.repairs.length > 0 && { repairs: document.repairs }),
        },
  );
}

/** The value of a JSON document with its repairs, or its text with the reason why it cannot be read. */
type ScriptDocument = { value: unknown; repairs: string[] } | { text: string; error: string };

function documentsOf(script: string, start: Place): ScriptDocument[] {
  const value = parseJson(script);
  if (value !== undefined) return [{ value, repairs: [] }];
  if (script.length > MAX_REPAIRED)
    return [
      {
        text: script,
        error: `record: is not valid JSON, and longer than the ${MAX_REPAIRED / 1024} kB that are repaired (line ${start.line}, column ${start.column})`,
      },
    ];
  try {
    return new ScriptReader(new ScriptSource(script, start)).documents();
  } catch (error) {
    return [rejected(error, script)];
  }
}

function rejected(error: unknown, text: string): ScriptDocument {
  if (!(error instanceof ScriptError)) throw error;
  return { text, error: error.message };
}

const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Matches an assignment or a call, which may stand before the JSON. */
const BEFORE = /^(?:(?:var|let|const) )?[\w$.]+ [=(]$/;
const BETWEEN = /^[;,]$/;
/** Matches what may follow the JSON. A surplus bracket in any other place could end a product too early. */
const BEHIND = /^[;,)}\]]$/;

class ScriptReader {
  readonly #repairs = new Map<string, { place: string; count: number }>();

  constructor(private readonly source: ScriptSource) {}

  documents(): ScriptDocument[] {
    if (this.source.isEncoded) this.#repaired('HTML entities in place of quotation marks', 0);
    return this.#split().map((tokens) => this.#read(tokens));
  }

  #read(tokens: readonly Token[]): ScriptDocument {
    const text = tokens.map((token) => token.text).join('');
    try {
      const value = parseJson(text) ?? repairDocument(this.source, tokens, this.#repaired);
      return { value, repairs: this.#takeRepairs() };
    } catch (error) {
      this.#takeRepairs();
      return rejected(error, text);
    }
  }

  readonly #repaired = (what: string, at: number): void => {
    const known = this.#repairs.get(what);
    if (known === undefined) this.#repairs.set(what, { place: this.source.placeOf(at), count: 1 });
    else known.count += 1;
  };

  /** Returns the repairs since the last call. Repairs before and after the documents are reported with the first document. */
  #takeRepairs(): string[] {
    const found = [...this.#repairs].map(
      ([what, { place, count }]) => `${what} ${place}${count > 1 ? `, ${count} times` : ''}`,
    );
    this.#repairs.clear();
    return found;
  }

  /** Splits a script into the tokens of its documents. @throws ScriptError */
  #split(): Token[][] {
    const { source } = this;
    const documents: Token[][] = [];
    const open: Token[] = [];
    let around: Token[] = [];
    for (const token of source.tokens()) {
      const isBegin = Object.hasOwn(ENDS, token.text);
      if (open.length === 0) {
        if (!isBegin) {
          if (token.kind === 'comment') this.#repaired('a comment', token.at);
          else if (token.kind !== 'blank' && token.kind !== 'mark') around.push(token);
          continue;
        }
        if (documents.length === 0) this.#checkBefore(around);
        else this.#checkBehind(around, BETWEEN);
        if (documents.length === 1) this.#repaired('a further JSON document', token.at);
        around = [];
        documents.push([]);
      }
      documents.at(-1)?.push(token);
      if (isBegin) open.push(token);
      else if (/^[}\]]$/.test(token.text)) this.#close(open.pop(), token);
      if (open.length > MAX_DEPTH) throw source.error(`it has more than ${MAX_DEPTH} levels`, token.at);
    }
    const unclosed = open.at(-1);
    if (unclosed !== undefined) throw source.error(`this ${unclosed.text} is not closed`, unclosed.at);
    if (documents.length === 0) throw source.error('there is no object or list', around[0]?.at ?? 0);
    this.#checkBehind(around, BEHIND);
    return documents;
  }

  #close(begin: Token | undefined, end: Token): void {
    if (begin !== undefined && ENDS[begin.text] !== end.text)
      throw this.source.error(`there is a ${end.text} in place of a ${ENDS[begin.text]}`, end.at);
  }

  #checkBefore(tokens: readonly Token[]): void {
    const [first] = tokens;
    if (first === undefined) return;
    if (!BEFORE.test(tokens.map(({ text }) => text).join(' ')))
      throw this.source.error('there is text before the JSON', first.at);
    this.#repaired('JavaScript before the JSON', first.at);
  }

  #checkBehind(tokens: readonly Token[], allowed: RegExp): void {
    for (const { text, at } of tokens) {
      if (!allowed.test(text)) throw this.source.error('there is text behind the JSON', at);
      this.#repaired(`a superfluous ${text}`, at);
    }
  }
}
