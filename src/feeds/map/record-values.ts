import { decodeEntities } from '../read/html.js';
import type { RecordField } from './feed-map.js';
import { textOf } from './row.js';

/** Fields whose value may be a list. For other fields, the first of several values is used. */
const LISTS: ReadonlySet<string> = new Set<RecordField>(['category_path', 'gtin', 'price_history']);
/**
 * Fields of a record that the mapper does not convert to text, because the validation of records accepts
 * values of other types for them.
 */
const RAW: ReadonlySet<string> = new Set<RecordField>([
  'price',
  'list_price',
  'rating',
  'is_available',
  'category_path',
  'gtin',
  'price_history',
]);

/** Fields with plain text, in which many feeds leave HTML entities. */
const NAMING: ReadonlySet<string> = new Set<RecordField>(['name', 'brand', 'category', 'category_path']);
const URLS: ReadonlySet<string> = new Set<RecordField>(['buy_url', 'affiliate_url', 'image_url']);

/** The value of a field in the form that the validation of records accepts. */
export function recordValue(target: string, value: unknown): unknown {
  const one: unknown = Array.isArray(value) && !LISTS.has(target) ? value[0] : value;
  const plain = RAW.has(target) ? one : (textOf(one) ?? one);
  if (NAMING.has(target)) return decoded(plain);
  return URLS.has(target) && typeof plain === 'string' ? plain.replace(/&(?:amp;)+/g, '&') : plain;
}

/** Decodes the HTML entities in a text, or in the texts of a list. */
export function decoded(value: unknown): unknown {
  if (typeof value === 'string') return decodeEntities(value);
  return Array.isArray(value) ? value.map(decoded) : value;
}
