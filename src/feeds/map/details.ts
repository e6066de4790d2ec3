import { CsvError, parse } from 'csv-parse/sync';
import { parseJson } from '../../platform/parse-json.js';
import { FeedRow, textOf } from './row.js';

interface ProductDetail {
  section: string;
  name: string;
  value: string;
}

/** The names of the members that product details have in a format. */
interface DetailNames {
  name: string;
  value: string;
  unit?: string | undefined;
}

/** The maximum size of the product details of one record: half of what a listing's metadata may have. */
const MAX_BYTES = 16 * 1024;

/**
 * Parses the `product_detail` of Google Merchant Center: `SECTION:NAME:VALUE,…` with quotes around parts that contain a
 * comma or colon, or objects with `section_name`, `attribute_name` and `attribute_value`; and other objects, whose members
 * are details (OpenAI's `variant_dict`), also as JSON text. If a name occurs in several sections, it is prefixed with its
 * section; repeated names become a list. Details beyond the first 16 kB are left out.
 * @param names the names of the members that product details have, if they are objects of another form.
 * @see https://support.google.com/merchants/answer/9218260
 */
export function readDetails(value: unknown, names?: DetailNames): Record<string, string | string[]> {
  const details = firstOf(
    [value].flat().flatMap((one) => (names === undefined ? detailsIn(one) : namedDetail(one, names))),
  );
  const sections = grouped(details.map(({ name, section }) => [name, section]));
  const named = details.map(({ section, name, value: one }): [string, string] => [
    (sections.get(name)?.length ?? 0) > 1 ? `${section} ${name}`.trim() : name,
    one,
  ]);
  return Object.fromEntries(
    [...grouped(named)].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function firstOf(details: readonly ProductDetail[]): ProductDetail[] {
  let bytes = 0;
  return details.filter((detail) => (bytes += Buffer.byteLength(JSON.stringify(detail))) <= MAX_BYTES);
}

function grouped(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = found.get(name) ?? [];
    if (!values.includes(value)) found.set(name, [...values, value]);
  }
  return found;
}

function detailsIn(value: unknown): ProductDetail[] {
  if (typeof value === 'string') {
    const object = value.trimStart().startsWith('{') ? parseJson(value) : undefined;
    return object === undefined ? piecesOf(value).flatMap(detailOf) : detailsIn(object);
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  if (!Object.hasOwn(fields, 'attribute_name')) {
    return Object.entries(fields).flatMap(([name, one]) => {
      const text = textOf(one);
      return text === undefined ? [] : detailOf(['', name, text]);
    });
  }
  const [section, name, one] = ['section_name', 'attribute_name', 'attribute_value'].map((field) => {
    const text = fields[field];
    return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
  });
  return detailOf([section ?? '', name ?? '', one ?? '']);
}

function namedDetail(value: unknown, { name, value: column, unit }: DetailNames): ProductDetail[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = new FeedRow(value as Record<string, unknown>);
  const text = fields.text(column) ?? '';
  const unitText = unit === undefined ? undefined : fields.text(unit);
  return detailOf(['', fields.text(name) ?? '', unitText === undefined ? text : `${text} ${unitText}`]);
}

function detailOf([section = '', name = '', ...rest]: readonly string[]): ProductDetail[] {
  // A colon in the value of a product detail should be quoted, but often is not.
  const detail = { section: section.trim(), name: name.trim(), value: rest.join(':').trim() };
  return detail.name === '' || detail.value === '' ? [] : [detail];
}

/** Splits a cell into product details and their parts; none if a quote is not closed. */
function piecesOf(text: string): string[][] {
  try {
    const pieces: string[][] = parse(text, {
      delimiter: ':',
      record_delimiter: ',',
      ltrim: true,
      relax_column_count: true,
      relax_quotes: true,
    });
    // If quotes enclosed all of a product detail (`"section:name:value"`), its colons have not separated anything yet.
    return pieces.map((parts) => (parts.length === 1 ? (parts[0] ?? '').split(':') : parts));
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}
