const BOOLEANS = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/** Cells with arrays or objects as JSON text. A lone GTIN needs no JSON. */
const JSON_FIELDS = new Set(['category_path', 'price_history', 'metadata']);

/** What an export puts before text that a spreadsheet would run as a formula, or that begins as if it had it already. */
const ESCAPED = /^'+[=+\-@\t\r]/;

/**
 * Takes the formula escape off again. The other side is the export's `escapeFormula`.
 */
export function unescapeFormula(cell: string): string {
  return ESCAPED.test(cell) ? cell.slice(1) : cell;
}

/**
 * Makes a record of a CSV row: an empty cell is null, booleans and JSON are read. Everything else stays text for
 * `validateRecord` to judge.
 */
export function rowToRecord(cells: Record<string, string>): { value: unknown; error?: string } {
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
