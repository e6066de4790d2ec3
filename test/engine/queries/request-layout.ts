/** Values that a layout states by name, for example a list of fields that is in every clause. */
export type Names = Readonly<Record<string, unknown>>;

const WIDTH = 120;

/**
 * Formats a request as text for reviewers. Nothing of it is left out: `bool/filter: [{term/id: 7}]` is
 * `{"bool":{"filter":[{"term":{"id":7}}]}}`. A value that fits on one line is one line; the items of a longer list
 * begin with a dash.
 * @param names values that are stated by their names.
 */
export function layOut(request: unknown, names: Names = {}): string {
  const known = new Map(Object.entries(names).map(([name, value]) => [JSON.stringify(value), name]));
  return block(JSON.parse(JSON.stringify(request)), known).join('\n');
}

/** The names of values, by the values as JSON. */
type Known = ReadonlyMap<string, string>;

/** Returns the lines of a value that is too long for one line. */
function block(value: unknown, known: Known): string[] {
  const line = inline(value, known);
  if (typeof value !== 'object' || value === null || line === '{}' || line === '[]') return [line];
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const one = inline(item, known);
      const [first, ...others] = one.length <= WIDTH ? [one] : block(item, known);
      return [`- ${first}`, ...others.map((other) => `  ${other}`)];
    });
  return Object.entries(value).flatMap(([key, member]) => {
    const [path, end] = chain(key, member, known);
    const one = `${path}: ${inline(end, known)}`;
    return one.length <= WIDTH ? [one] : [`${path}:`, ...block(end, known).map((other) => `  ${other}`)];
  });
}

function inline(value: unknown, known: Known): string {
  const json = JSON.stringify(value);
  const name = known.get(json);
  if (name !== undefined) return name;
  if (typeof value !== 'object' || value === null) return json;
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, known)).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => {
    const [path, end] = chain(key, member, known);
    return `${path}: ${inline(end, known)}`;
  });
  return `{${members.join(', ')}}`;
}

/** Follows objects with a single member: returns the keys that lead to the first other value, and that value. */
function chain(key: string, value: unknown, known: Known): [path: string, end: unknown] {
  let [path, end] = [key, value];
  while (typeof end === 'object' && end !== null && !Array.isArray(end) && !known.has(JSON.stringify(end))) {
    const [[next, member] = [], ...others] = Object.entries(end);
    if (next === undefined || others.length > 0) break;
    [path, end] = [`${path}/${next}`, member];
  }
  return [path, end];
}
