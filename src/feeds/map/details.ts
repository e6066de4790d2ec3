import { CsvError, parse } from 'csv-parse/sync';

/** An attribute of a product as Merchant Center's `product_detail` states it. */
interface Detail {
  section: string;
  name: string;
  value: string;
}

/** Half of what the metadata of a listing may be: too many details should cost no price. */
const MAX_BYTES = 16 * 1024;

/**
 * Attributes by name, of what Merchant Center calls `product_detail`: `SECTION:NAME:VALUE,…` with quotes around what has a
 * comma or colon in it, or elements (XML) and objects of `section_name`, `attribute_name` and `attribute_value`. A name
 * that stands in several sections has its section before it; what comes up again makes a list. What has no name or
 * no value is left out, and so is what is behind the first 16 kB.
 * @see https://support.google.com/merchants/answer/9218260
 */
export function readDetails(value: unknown): Record<string, string | string[]> {
  const details = firstOf([value].flat().flatMap(detailsIn));
  const sections = grouped(details.map(({ name, section }) => [name, section]));
  const named = details.map(({ section, name, value: one }): [string, string] => [
    (sections.get(name)?.length ?? 0) > 1 ? `${section} ${name}`.trim() : name,
    one,
  ]);
  return Object.fromEntries(
    [...grouped(named)].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function firstOf(details: readonly Detail[]): Detail[] {
  let bytes = 0;
  return details.filter((detail) => (bytes += Buffer.byteLength(JSON.stringify(detail))) <= MAX_BYTES);
}

/** The different values of each name. */
function grouped(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = found.get(name) ?? [];
    if (!values.includes(value)) found.set(name, [...values, value]);
  }
  return found;
}

function detailsIn(value: unknown): Detail[] {
  if (typeof value === 'string') return piecesOf(value).flatMap(detailOf);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const [section, name, one] = ['section_name', 'attribute_name', 'attribute_value'].map((field) => {
    const text = fields[field];
    return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
  });
  return detailOf([section ?? '', name ?? '', one ?? '']);
}

function detailOf([section = '', name = '', ...rest]: readonly string[]): Detail[] {
  // A colon in a value should be in quotes, and often is not.
  const detail = { section: section.trim(), name: name.trim(), value: rest.join(':').trim() };
  return detail.name === '' || detail.value === '' ? [] : [detail];
}

/** The parts of each detail in a cell; none where a quote in it is not closed. */
function piecesOf(text: string): string[][] {
  try {
    const pieces: string[][] = parse(text, {
      delimiter: ':', record_delimiter: ',', ltrim: true, relax_column_count: true, relax_quotes: true,
    });
    // A detail may also be in quotes as a whole.
    return pieces.map((parts) => (parts.length === 1 ? (parts[0] ?? '').split(':') : parts));
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}
