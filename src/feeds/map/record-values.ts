import { BOOLEANS } from '../read/csv.js';
import { decodeEntities, plainName } from '../read/html.js';
import type { RecordField } from './feed-map.js';
import { readHistory } from './history.js';
import { isSpreadsheetError, readSku } from './identifiers.js';
import { quoteAmount as quote } from './money.js';
import { textOf, UnreadableValue } from './row.js';
import type { RuleContext } from './rule.js';
import { readStockWord } from './stock-words.js';

/** Fields whose value may be a list. For other fields, the first of several values is used. */
const LISTS = new Set<RecordField>(['category_path', 'gtin']);
/** Fields that are not converted to text, because the validation of records accepts other types for them. */
const RAW = new Set<RecordField>(['price', 'list_price', 'rating', 'is_available', 'category_path', 'gtin']);
/** Fields that may contain words such as "price on request", which mean that there is no price. */
const PRICES = new Set<RecordField>(['price', 'list_price']);
/** Fields with plain text, in which many feeds leave HTML. */
const NAMING = new Set<RecordField>(['name', 'brand', 'category', 'category_path']);
const URLS = new Set<RecordField>(['buy_url', 'affiliate_url', 'image_url']);

/** Converts what a rule found to the form that the validation of records accepts. @throws UnreadableValue */
export function recordValue(target: RecordField, found: unknown, context: RuleContext): unknown {
  if (found === undefined) return undefined;
  if (!Array.isArray(found) && isSpreadsheetError(found) && !PRICES.has(target))
    throw new UnreadableValue(`${quote(textOf(found) ?? '')} is an error of a spreadsheet`);
  const value = target === 'sku' ? readSku(found) : found;
  if (target === 'price_history') return readHistory(value, context);
  if (target === 'is_available' && typeof value === 'string')
    return BOOLEANS.get(value.trim().toLowerCase()) ?? readStockWord(value) ?? value;
  const one: unknown = Array.isArray(value) && !LISTS.has(target) ? value[0] : value;
  const plain = RAW.has(target) ? one : (textOf(one) ?? one);
  if (NAMING.has(target)) return inTexts(plain, plainName);
  if (typeof plain !== 'string') return plain;
  // A rating has no separator of thousands.
  if (target === 'rating') return plain.replace(/^(\s*\d+),(?=\d+\s*$)/, '$1.');
  if (!URLS.has(target)) return plain;
  const url = plain.replace(/&(?:amp;)+/g, '&').replace(/^\s*\/\/(?=[^\s/]+\.)/, 'https://');
  return target === 'image_url' ? url.replace(FURTHER_URLS, '').trimEnd() : url;
}

/** Matches the further addresses in a list of pictures. Addresses within another one do not follow a comma. */
const FURTHER_URLS = /[,;|]\s*https?:\/\/.*$/is;

/** Decodes the HTML entities in a text, or in the texts of a list. */
export const decoded = (value: unknown): unknown => inTexts(value, decodeEntities);

function inTexts(value: unknown, convert: (text: string) => string): unknown {
  if (typeof value === 'string') return convert(value);
  return Array.isArray(value) ? value.map((one) => inTexts(one, convert)) : value;
}
