/** The maximum nesting depth of JSON in a request, because V8 parses deeper JSON many times slower. */
export const MAX_DEPTH = 32;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((one) => one.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((one) => one.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((one) => one.charCodeAt(0)));

/** Whether a JSON text is nested deeper than the service allows. The text is not parsed. */
export function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return false;
}

/** Parses the JSON of a client. @throws SyntaxError if it is invalid or nested too deep. */
export function parseClientJson(json: string): unknown {
  if (isNestedTooDeep(json)) throw new SyntaxError(`JSON is nested deeper than ${MAX_DEPTH} levels`);
  return JSON.parse(json);
}
