/** No request needs half of it. V8 takes many times as long for deeper nesting, and recursive code overflows the stack. */
export const MOST_LEVELS = 32;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((one) => one.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((one) => one.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((one) => one.charCodeAt(0)));

/** Whether JSON is nested deeper than a request may be, found without parsing it. */
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

/** Parses JSON of a client. @throws SyntaxError if it is not JSON, or is nested too deep. */
export function parseClientJson(json: string): unknown {
  if (isNestedTooDeep(json)) throw new SyntaxError(`JSON is nested deeper than ${MOST_LEVELS} levels`);
  return JSON.parse(json);
}
