import { jsonrepair, JSONRepairError } from 'jsonrepair';
import { type ScriptSource, type Token, tokensOf } from './script-tokens.js';

/** The members whose values must not be guessed: prices, currencies, identifiers, and types, which tell what is a product. */
const EXACT =
  /^(?:.*[:/#])?(?:\w*price|\w*currency|sku|gtin\w*|mpn|isbn\w*|productid|productgroupid|inproductgroupwithid|identifier|@id|@type)$/i;

/** Matches words that jsonrepair would turn into a text, but that mean in JavaScript that there is no value. */
const NO_VALUE = /^(?:NaN|[+-]?Infinity|undefined)$/;
const CONTROL = /[\0-\x1f]/;
/** Matches control characters that jsonrepair refuses. */
const UNREADABLE = /[\0-\x07\v\x0e-\x1f]/g;

/**
 * Repairs a JSON document with jsonrepair, and returns its value.
 *
 * jsonrepair guesses where a text ends and which brackets are missing. Therefore its output is compared with the document,
 * token by token: the structure has to be the same, up to commas, and each difference has to be one of those below.
 * @param onRepair called for each repair with a description.
 * @throws ScriptError with the place at which the document cannot be repaired.
 */
export function repairDocument(
  source: ScriptSource,
  tokens: readonly Token[],
  onRepair: (what: string, at: number) => void,
): unknown {
  for (const { kind, at } of tokens) if (kind === 'comment') onRepair('a comment', at);
  const stated = tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  // If a template leaves out an optional member, its comma may remain, so the second of two commas is removed.
  const prepared = stated.map((token, index) =>
    token.text === ',' && stated[index - 1]?.text === ',' ? '' : prepare(token),
  );
  /** The member to which the compared token belongs. */
  let member = '';
  const refused = (index: number): Error => {
    const { text, at } = stated[index] ?? stated.at(-1) ?? { text: '', at: 0 };
    const shown = text.slice(0, MAX_SHOWN).replace(/[\0-\x1f]/g, ' ');
    return source.error(`${shown}${text.length > MAX_SHOWN ? '…' : ''} is not expected here`, at);
  };
  const repairComma = (what: string, index: number): void => {
    // The comma of a number such as `1,299` would end the number, so a missing comma after a price is not repaired.
    if (what === 'a missing comma' && EXACT.test(member)) throw refused(index);
    onRepair(what, (stated[index] ?? stated.at(-1))?.at ?? 0);
  };
  const compare = (index: number, repaired: Token, isName: boolean): void => {
    const token = stated[index];
    if (token?.text === repaired.text) return;
    if (token === undefined || !isCertain({ ...token, text: prepared[index] ?? '' }, repaired))
      throw refused(index);
    const isSame = contentOf(token) === contentOf(repaired);
    if (token.text.startsWith("'")) onRepair('single quotes', token.at);
    if (token.kind === 'text' && isSame) return;
    if (isName && !isSame) throw source.error('a name would be a guess', token.at);
    if (!isName && EXACT.test(member))
      throw source.error(`the value of ${member} would be a guess`, token.at);
    onRepair(repairOf(token, isName), token.at);
  };
  const text = repairedText(prepared, refused);
  const repaired = tokensOf(text).filter(({ kind }) => kind !== 'blank');
  let next = 0;
  for (const [index, token] of repaired.entries()) {
    while (token.text !== ',' && stated[next]?.text === ',') repairComma('a superfluous comma', next++);
    const isName = repaired[index + 1]?.text === ':';
    if (isName) member = contentOf(token);
    if (token.text === ',' && stated[next]?.text !== ',') repairComma('a missing comma', next);
    else compare(next++, token, isName);
  }
  if (next < stated.length) throw refused(next);
  return JSON.parse(text) as unknown;
}

/** The output of jsonrepair. @param refused creates the error for the token, by its index, that jsonrepair does not accept. */
function repairedText(prepared: readonly string[], refused: (index: number) => Error): string {
  try {
    return jsonrepair(prepared.join(' '));
  } catch (error) {
    if (!(error instanceof JSONRepairError)) throw error;
    let end = 0;
    throw refused(prepared.findIndex((text) => (end += text.length + 1) > error.position));
  }
}

/** The number of characters of a document that the reason for a refusal quotes. */
const MAX_SHOWN = 20;

/** The characters of a text between its quotes, or those of a word. */
const contentOf = ({ kind, text }: Pick<Token, 'kind' | 'text'>): string =>
  kind === 'text' ? text.slice(1, -1) : text;

/** Replaces what jsonrepair cannot read, or reads as something else. */
function prepare({ kind, text }: Token): string {
  if (kind === 'word') return NO_VALUE.test(text) ? 'null' : text;
  if (kind !== 'text') return text;
  return text
    .replace(UNREADABLE, ' ')
    .replace(/\\(?:x([\da-f]{2})|[^])/gi, (all, hex?: string) => (hex === undefined ? all : `\\u00${hex}`));
}

/** Matches words that jsonrepair reads as a number or a constant: those of Python, and numbers in forms that JSON lacks. */
const CONSTANT = /^(?:True|False|None|[+-]?[\d.]+(?:e[+-]?\d*)?)$/i;

/** Whether a token and its repaired form surely mean the same. */
function isCertain(stated: Token, repaired: Token): boolean {
  if (stated.kind === 'text') return repaired.kind === 'text' && lettersOf(stated) === lettersOf(repaired);
  if (stated.kind !== 'word') return false;
  return stated.text === contentOf(repaired) || (repaired.kind === 'word' && CONSTANT.test(stated.text));
}

/** The content of a text without the characters that are escaped in JSON, and those that should be. */
const lettersOf = (token: Token): string =>
  contentOf(token)
    .replace(/\\(?:["'\\/bfnrt]|u[\da-f]{4}|([^]))/gi, '$1')
    .replace(/["'\0-\x1f]/g, '');

function repairOf({ kind, text }: Token, isName: boolean): string {
  if (kind === 'word') {
    if (NO_VALUE.test(text)) return `${text} in place of a value`;
    return isName ? 'a name without quotes' : 'a value that is not JSON';
  }
  return CONTROL.test(text) ? 'a line break or control character in a text' : 'an invalid escape in a text';
}
