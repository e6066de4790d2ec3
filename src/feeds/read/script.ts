import { type FeedItem, MAX_RAW_TEXT } from './item.js';
import { repairDocument } from './script-repair.js';
import { type Place, ScriptError, type ScriptSource, scriptSource, type Token } from './script-tokens.js';
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
  if (script.length > MAX_REPAIRED) {
    const error = `record: is not valid JSON, and longer than the ${MAX_REPAIRED / 1024} kB that are repaired (line ${start.line}, column ${start.column})`;
    return [{ text: script, error }];
  }
  return orError(script, () => repairedDocuments(scriptSource(script, start)));
}

/** What a function reads, or the reason why the text cannot be read. */
function orError(text: string, read: () => ScriptDocument[]): ScriptDocument[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return [{ text, error: error.message }];
  }
}

/** Repairs before and after the documents are reported with the first document. @throws ScriptError if there is none. */
function repairedDocuments(source: ScriptSource): ScriptDocument[] {
  const repairs = new Map<string, { place: string; count: number }>();
  const onRepair = (what: string, at: number): void => {
    const known = repairs.get(what);
    if (known === undefined) repairs.set(what, { place: source.placeOf(at), count: 1 });
    else known.count += 1;
  };
  if (source.isEncoded) onRepair('HTML entities in place of quotation marks', 0);
  return splitScript(source, onRepair).flatMap((tokens) => {
    const text = tokens.map((token) => token.text).join('');
    const read = orError(text, () => {
      const value = parseJson(text) ?? repairDocument(source, tokens, onRepair);
      const found = [...repairs].map(
        ([what, { place, count }]) => `${what} ${place}${count > 1 ? `, ${count} times` : ''}`,
      );
      return [{ value, repairs: found }];
    });
    repairs.clear();
    return read;
  });
}

const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Matches an assignment or a call, which may stand before the JSON. */
const BEFORE = /^(?:(?:var|let|const) )?[\w$.]+ [=(]$/;
const BETWEEN = /^[;,]$/;
/** Matches what may follow the JSON. A surplus bracket in any other place could end a product too early. */
const BEHIND = /^[;,)}\]]$/;

/** Splits a script into the tokens of its documents. @throws ScriptError */
function splitScript(source: ScriptSource, onRepair: (what: string, at: number) => void): Token[][] {
  const documents: Token[][] = [];
  const open: Token[] = [];
  let around: Token[] = [];
  const checkBehind = (allowed: RegExp) => {
    for (const { text, at } of around) {
      if (!allowed.test(text)) throw source.error('there is text behind the JSON', at);
      onRepair(`a superfluous ${text}`, at);
    }
  };
  for (const token of source.tokens()) {
    const isBegin = Object.hasOwn(ENDS, token.text);
    if (open.length === 0) {
      if (!isBegin) {
        if (token.kind === 'comment') onRepair('a comment', token.at);
        else if (token.kind !== 'blank' && token.kind !== 'mark') around.push(token);
        continue;
      }
      if (documents.length > 0) checkBehind(BETWEEN);
      else if (around[0] !== undefined) {
        if (!BEFORE.test(around.map(({ text }) => text).join(' ')))
          throw source.error('there is text before the JSON', around[0].at);
        onRepair('JavaScript before the JSON', around[0].at);
      }
      if (documents.length === 1) onRepair('a further JSON document', token.at);
      around = [];
      documents.push([]);
    }
    documents.at(-1)?.push(token);
    if (isBegin) open.push(token);
    else if (/^[}\]]$/.test(token.text)) {
      const begin = open.pop();
      if (begin !== undefined && ENDS[begin.text] !== token.text)
        throw source.error(`there is a ${token.text} in place of a ${ENDS[begin.text]}`, token.at);
    }
    if (open.length > MAX_DEPTH) throw source.error(`it has more than ${MAX_DEPTH} levels`, token.at);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw source.error(`this ${unclosed.text} is not closed`, unclosed.at);
  if (documents.length === 0) throw source.error('there is no object or list', around[0]?.at ?? 0);
  checkBehind(BEHIND);
  return documents;
}
