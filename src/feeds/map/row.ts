/** Column names are found in any spelling: `g:image_link`, `Image Link` and `image-link` are one. */
export const foldName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^g:/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');

/** The values of a row, by the names of its columns; `a.b` leads into an object, and to the first of a list. */
export class Row {
  #folded: ReadonlyMap<string, string> | null;

  /**
   * @param names those of its columns by their folded form, where many rows share them.
   * @param variables what a template may name besides columns.
   */
  constructor(
    readonly cells: Readonly<Record<string, unknown>>,
    names: ReadonlyMap<string, string> | null = null,
    private readonly variables: Readonly<Record<string, string>> = {},
  ) {
    this.#folded = names;
  }

  /** @returns undefined where it is absent or blank. */
  get(name: string): unknown {
    const value = this.#find(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value.trim() === '' ? undefined : value;
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  }

  /** As text; of a list its first. */
  text(name: string): string | undefined {
    return textOf(this.get(name));
  }

  #find(name: string): unknown {
    if (Object.hasOwn(this.cells, name)) return this.cells[name];
    this.#folded ??= foldNames(Object.keys(this.cells));
    const column = this.#folded.get(foldName(name));
    if (column !== undefined) return this.cells[column];
    if (Object.hasOwn(this.variables, name)) return this.variables[name];
    const dot = name.indexOf('.');
    if (dot < 0) return undefined;
    const within = this.#find(name.slice(0, dot));
    const first: unknown = Array.isArray(within) ? within[0] : within;
    if (typeof first !== 'object' || first === null) return undefined;
    return new Row(first as Record<string, unknown>).#find(name.slice(dot + 1));
  }
}

/** Of two columns with one folded name the first counts. */
export function foldNames(names: readonly string[]): Map<string, string> {
  const folded = new Map<string, string>();
  for (const name of names) if (!folded.has(foldName(name))) folded.set(foldName(name), name);
  return folded;
}

/** A text, number or truth value as text; undefined for what is none. */
export function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number' || typeof first === 'boolean') return String(first);
  return typeof first === 'string' && first.trim() !== '' ? first.trim() : undefined;
}
