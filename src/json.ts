/** No request needs half of it. What is nested deeper takes V8 many times as long to parse, and recursion its stack. */
export const MOST_LEVELS = 32;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((one) => one.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((one) => one.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((one) => one.charCodeAt(0)));

/** Whether JSON is nested deeper than any request is to be; found out without parsing it. */
export function isNestedTooDeep(json: string): boolean {
  let level = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (OPENING.has(code)) {
      level += 1;
      if (level > MOST_LEVELS) return true;
    } else if (CLOSING.has(code)) level -= 1;
  }
  return false;
}

/** Parses JSON of a client. @throws SyntaxError for what is no JSON, or is nested too deep. */
export function parseClientJson(json: string): unknown {
  if (isNestedTooDeep(json)) throw new SyntaxError(`JSON is nested deeper than ${MOST_LEVELS} levels`);
  return JSON.parse(json);
}
