/** What a model reads as text at most; a token is about four characters. */
export const MOST_CHARACTERS = 4_000;
const LONGEST_LINE = 1_000;

/** Control, format and private characters, unpaired surrogates, line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** The same in JSON, where some are written as escapes. */
const MAY_BE_UNSEEN = /\\[bfnrtu]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u007f-\u009f]/u;

/** A text on one line, of what can be seen alone: nothing else of a listing can pass for a line of an answer. */
export const plain = (text: string): string => text.replace(UNSEEN, ' ');

/** JSON as a value whose texts, names of members included, are all plain. */
export function parsePlain(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return MAY_BE_UNSEEN.test(json) ? allPlain(value) : value;
}

function allPlain(value: unknown): unknown {
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map(allPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [plain(name), allPlain(inner)]));
}

/** A text of a listing in quotation marks, which it cannot close; with an ellipsis where it is longer than so many characters. */
export const quoted = (text: string, most: number): string => JSON.stringify(shortened(text, most));

/** The beginning of a text, not through the middle of a character. */
export function shortened(text: string, most: number): string {
  if (most < 1) return '';
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Lines as one text within the budget; says how many it leaves out. */
export function fitted(lines: readonly string[], most = MOST_CHARACTERS): string {
  const kept: string[] = [];
  let left = most;
  for (const [at, line] of lines.entries()) {
    const text = shortened(line, LONGEST_LINE);
    const more = `(${lines.length - at} more lines do not fit: ask for fewer)`;
    const isLast = at === lines.length - 1;
    if (text.length + (isLast ? 0 : more.length + 1) > left) return [...kept, more].join('\n');
    kept.push(text);
    left -= text.length + 1;
  }
  return kept.join('\n');
}
