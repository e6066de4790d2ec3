import { isJsonObject } from '../../schemas/json-object.js';
import { PARENT } from '../read/nested-records.js';

/** Thrown if a value of a row cannot be read. The message is the reason; the caller puts the field before it. */
export class UnreadableValue extends Error {}

/** The names of the parts of a column's values, which Google's feeds may state: `shipping(country:price)`. */
const PART_NAMES = /\(([a-z_]+(?::[a-z_]+)+)\)$/;

/** Folds a column name without the names of parts: `g:image_link`, `Image Link` and `image-link` are the same. */
export const foldName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^g:/, '')
    .replace(PART_NAMES, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');

/**
 * A row of a feed. The column name `a.b` refers to the member `b` of the object `a`, or of the first object of the list
 * `a`; `a[].b` refers to those of all objects of the list.
 */
export class FeedRow {
  #folded: ReadonlyMap<string, string> | null;

  /** @param names the column names by their folded form, if rows share them. @param variables further values for templates. */
  constructor(
    readonly cells: Readonly<Record<string, unknown>>,
    names: ReadonlyMap<string, string> | null = null,
    private readonly variables: Readonly<Record<string, string>> = {},
  ) {
    this.#folded = names;
  }

  /** The value in a column of the row; undefined if it is absent or blank. */
  get(name: string): unknown {
    const value = this.#find(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value.trim() === '' ? undefined : value;
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  }

  /** The value in a column of the row as text; of a list, the first element. */
  text(name: string): string | undefined {
    return textOf(this.get(name));
  }

  /** The names of the parts of a column's values, if the name of the column states them. */
  partNames(name: string): string[] | undefined {
    return PART_NAMES.exec(this.#columnLike(name)?.toLowerCase() ?? '')?.[1]?.split(':');
  }

  #find(name: string): unknown {
    if (Object.hasOwn(this.cells, name)) return this.cells[name];
    const column = this.#columnLike(name);
    if (column !== undefined) return this.cells[column];
    if (Object.hasOwn(this.variables, name)) return this.variables[name];
    const dot = name.indexOf('.');
    if (dot < 0) return undefined;
    const [holder, member] = [name.slice(0, dot), name.slice(dot + 1)];
    if (holder.endsWith('[]')) {
      const values = [this.#find(holder.slice(0, -2))].flat().flatMap((one) => memberOf(one, member) ?? []);
      return values.length === 0 ? undefined : values;
    }
    const within = this.#find(holder);
    return memberOf(Array.isArray(within) ? within[0] : within, member);
  }

  /** The column whose name has the same folded form. */
  #columnLike(name: string): string | undefined {
    this.#folded ??= foldNames(Object.keys(this.cells));
    return this.#folded.get(foldName(name));
  }
}

/** The elements of a list in a row, each with the other members of the row in `@parent`. Without the list, the row itself. */
export function elementsOf(row: Readonly<Record<string, unknown>>, member: string) {
  const elements = row[member];
  if (!Array.isArray(elements)) return [row];
  const { [member]: _, ...parent } = row;
  return elements.filter(isJsonObject).map((one) => ({ ...one, [PARENT]: parent }));
}

/** The names of the columns of a row. The members of objects, and of objects in lists, have names such as `price.amount`. */
export function memberNames(row: Readonly<Record<string, unknown>>, depth = 3): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const inner: unknown = Array.isArray(value) ? value[0] : value;
    if (!isJsonObject(inner) || depth <= 1) return [name];
    return memberNames(inner, depth - 1).map((member) => `${name}.${member}`);
  });
}

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? new FeedRow(value).get(name) : undefined;

/** Maps the folded form of each column name to the first name that has it. */
export function foldNames(names: readonly string[]): Map<string, string> {
  const folded = new Map<string, string>();
  for (const name of names) if (!folded.has(foldName(name))) folded.set(foldName(name), name);
  return folded;
}

/** Converts a string, number or boolean to text; undefined for other values and blank text. */
export function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number' || typeof first === 'boolean') return String(first);
  return typeof first === 'string' && first.trim() !== '' ? first.trim() : undefined;
}

type TemplatePart = string | { column: string } | { optional: TemplatePart[] };

/** Fills a template such as `{Title}[ - {Option1 Value}]`. A part in brackets is left out if its column is blank. */
export function fillTemplate(template: string, row: FeedRow): string | undefined {
  return fill(partsOf(template), row)?.trim();
}

export function templateColumns(template: string): string[] {
  const columns = (parts: readonly TemplatePart[]): string[] =>
    parts.flatMap((part) => {
      if (typeof part === 'string') return [];
      return 'column' in part ? [part.column] : columns(part.optional);
    });
  return columns(partsOf(template));
}

function fill(parts: readonly TemplatePart[], row: FeedRow): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('optional' in part) text += fill(part.optional, row) ?? '';
    else {
      const value = row.text(part.column);
      if (value === undefined) return undefined;
      text += value;
    }
  }
  return text;
}

/** Parsed templates. The cache needs no limit, because all templates are in one map file. */
const parsed = new Map<string, TemplatePart[]>();

function partsOf(template: string): TemplatePart[] {
  const known = parsed.get(template);
  if (known !== undefined) return known;
  const parts = parse(template);
  parsed.set(template, parts);
  return parts;
}

function parse(template: string): TemplatePart[] {
  return [...template.matchAll(/\[([^\][]*)\]|\{([^{}]*)\}|[^[{]+|[[{]/g)].map(([all, optional, column]) => {
    if (optional !== undefined) return { optional: parse(optional) };
    return column === undefined ? all : { column };
  });
}
