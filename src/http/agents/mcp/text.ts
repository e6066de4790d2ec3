/** The maximum number of characters in the text of a tool's result; a token is about four characters. */
export const MAX_CHARACTERS = 4_000;
/** The maximum number of characters in the structured content of a tool's result, as JSON. */
export const MAX_STRUCTURED_CHARACTERS = 16_000;
/** The characters of the text of a list that are kept for the lines before and after its items. */
const FRAME_CHARACTERS = 700;

/** Characters that could hide or forge text: control, format, private-use, unpaired surrogates, line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** Matches JSON that is not plain ASCII. Most JSON is, and this test takes a tenth of the time of the next one. */
const NOT_PLAIN = /[^ -~]|\\[bfnrtu]/;
/** Matches JSON that may contain an invisible character, as it is or as an escape sequence. */
const MAY_BE_INVISIBLE = /\\[bfnrtu]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u007f-\u009f]/u;

/** Replaces invisible characters and line breaks, so that no text of a listing can look like a line of the result. */
export const oneLine = (text: string): string => text.replace(INVISIBLE, ' ');

/** Parses JSON and applies `oneLine` to every text in it, including the names of members. */
export function parseVisible(json: string): unknown {
  if (!NOT_PLAIN.test(json) || !MAY_BE_INVISIBLE.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_name, value: unknown) => {
    if (typeof value === 'string') return oneLine(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [oneLine(name), inner]));
  });
}

const QUOTATION_MARKS = /["“”„‟＂]/g;
/** Matches the character with which markup and the control sequences of chat templates begin. */
const OPENS_MARKUP = /[<＜]/g;

/** A text of a listing in quotation marks, without others and without markup. A longer text than `max` keeps its beginning and end. */
export const quoted = (text: string, max: number): string =>
  `"${shortened(oneLine(text).replace(QUOTATION_MARKS, '″').replace(OPENS_MARKUP, '‹').replaceAll('\\', '/'), max)}"`;

/** Truncates a text with an ellipsis, without splitting a surrogate pair. */
export function truncated(text: string, max: number): string {
  if (max < 1) return '';
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Replaces the middle of a text with an ellipsis, so that two thirds of `max` characters are from its beginning. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const atEnd = Math.floor(max / 3);
  return `${truncated(text, max - atEnd)}${text.slice(text.length - atEnd).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** Joins lines within a character limit and states how many lines do not fit. No line is cut. */
export function fitLines(lines: readonly string[], max = MAX_CHARACTERS): string {
  const fitting: string[] = [];
  let left = max;
  for (const [at, line] of lines.entries()) {
    const more = `(${lines.length - at} more lines do not fit: ask for fewer)`;
    const isLast = at === lines.length - 1;
    if (line.length + (isLast ? 0 : more.length + 1) > left) return [...fitting, more].join('\n');
    fitting.push(line);
    left -= line.length + 1;
  }
  return fitting.join('\n');
}

/** Returns the first items that fit into a result, at least one, and their lines. @param reserved the characters of its other parts. */
export function fittingItems<Item>(
  items: readonly Item[],
  linesOf: (item: Item, at: number) => string[],
  reserved = { text: 0, structured: 0 },
): { shown: Item[]; lines: string[] } {
  const [shown, lines]: [Item[], string[]] = [[], []];
  let text = FRAME_CHARACTERS + reserved.text;
  let structured = FRAME_CHARACTERS + reserved.structured;
  for (const [at, item] of items.entries()) {
    const ofItem = linesOf(item, at);
    text += ofItem.reduce((sum, line) => sum + line.length + 1, 0);
    structured += JSON.stringify(item).length + 1;
    if (shown.length > 0 && (text > MAX_CHARACTERS || structured > MAX_STRUCTURED_CHARACTERS)) break;
    shown.push(item);
    lines.push(...ofItem);
  }
  return { shown, lines };
}

/** To shorten a value, texts are truncated and lists cut to these sizes, one pair after the other, until it fits. */
const CUTS = [
  { characters: 4_000, members: 200 },
  { characters: 1_000, members: 50 },
  { characters: 300, members: 20 },
  { characters: 100, members: 10 },
];

/** Truncates texts and lists in a value until its JSON has at most `max` characters. URLs are kept whole. */
export function bounded<Value>(value: Value, max = MAX_STRUCTURED_CHARACTERS): Value {
  let result: unknown = value;
  for (const cut of CUTS) {
    if (JSON.stringify(result).length <= max) break;
    result = cutValue(result, cut);
  }
  return result as Value;
}

function cutValue(value: unknown, cut: (typeof CUTS)[number]): unknown {
  if (typeof value === 'string')
    return /^https?:\/\/\S*$/.test(value) ? value : truncated(value, cut.characters);
  if (Array.isArray(value)) return value.slice(0, cut.members).map((one) => cutValue(one, cut));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, cut.members)
      .map(([name, inner]) => [truncated(name, cut.characters), cutValue(inner, cut)]),
  );
}
