/** The maximum number of characters in the text of a tool's result; a token is about four characters. */
export const MAX_CHARACTERS = 4_000;
const MAX_LINE_CHARACTERS = 1_000;

/**
 * Matches characters that could disturb the text of a result: control, format and private-use characters,
 * unpaired surrogates, and line and paragraph separators.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** Matches JSON that may contain an invisible character, as it is or as an escape sequence. */
const MAY_BE_INVISIBLE = /\\[bfnrtu]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u007f-\u009f]/u;

/** Replaces invisible characters and line breaks, so that no text of a listing can look like a line of the result. */
export const oneLine = (text: string): string => text.replace(INVISIBLE, ' ');

/** Parses JSON and applies `oneLine` to every text in it, including the names of members. */
export function parseVisible(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return MAY_BE_INVISIBLE.test(json) ? visible(value) : value;
}

function visible(value: unknown): unknown {
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [oneLine(name), visible(inner)]));
}

/** A text of a listing in quotation marks that the text cannot close, truncated to `max` characters. */
export const quoted = (text: string, max: number): string => JSON.stringify(truncated(text, max));

/** Truncates a text with an ellipsis, without splitting a surrogate pair. */
export function truncated(text: string, max: number): string {
  if (max < 1) return '';
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Joins lines within a character limit and states how many lines do not fit. */
export function fitLines(lines: readonly string[], max = MAX_CHARACTERS): string {
  const fitting: string[] = [];
  let left = max;
  for (const [at, line] of lines.entries()) {
    const text = truncated(line, MAX_LINE_CHARACTERS);
    const more = `(${lines.length - at} more lines do not fit: ask for fewer)`;
    const isLast = at === lines.length - 1;
    if (text.length + (isLast ? 0 : more.length + 1) > left) return [...fitting, more].join('\n');
    fitting.push(text);
    left -= text.length + 1;
  }
  return fitting.join('\n');
}
