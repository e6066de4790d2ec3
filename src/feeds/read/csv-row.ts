const BOOLEANS = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/**
 * Columns of a CSV feed whose cells contain arrays or objects as JSON text. A single GTIN may also be plain
 * text.
 */
const JSON_FIELDS = new Set(['category_path', 'price_history', 'metadata']);

/** A cell that an export escaped with an apostrophe, because a spreadsheet would run it as a formula. */
const ESCAPED = /^'+[=+\-@\t\r]/;

/** Removes the apostrophe that an export inserted before a formula. */
function unescapeFormula(cell: string): string {
  return ESCAPED.test(cell) ? cell.slice(1) : cell;
}

/**
 * Converts the cells of a CSV row to a record: an empty cell becomes null, booleans and JSON are parsed.
 * All other cells remain text, which `validateRecord` checks.
 */
export function cellsToRecord(cells: Record<string, string>): { value: unknown; error?: string } {
  const entries: [string, unknown][] = [];
  let error: string | undefined;
  for (const [field, escaped] of Object.entries(cells)) {
    if (escaped === '') {
      entries.push([field, null]);
      continue;
    }
    const cell = unescapeFormula(escaped);
    if (field === 'is_available') {
      entries.push([field, BOOLEANS.get(cell.trim().toLowerCase()) ?? cell]);
    } else if (JSON_FIELDS.has(field) || (field === 'gtin' && cell.startsWith('['))) {
      const parsed = parseJson(cell);
      if (parsed === undefined) error ??= `${field}: is not JSON text`;
      entries.push([field, parsed]);
    } else {
      entries.push([field, cell]);
    }
  }
  const value = Object.fromEntries(entries);
  return error === undefined ? { value } : { value, error };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
