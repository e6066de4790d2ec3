import { isJsonObject } from '../schemas/json-object.js';
import { LIMITS } from '../schemas/product.js';
import { cleanText, isBlank, isLongerThan } from '../text/clean.js';
import { FieldReader, quote } from './field-reader.js';
import { DAY_MS, formatInstant } from './instant.js';
import type { FeedRecord } from './listing.js';

export type ValidationResult = { record: FeedRecord } | { reasons: string[] };

/**
 * Validates one record of a feed and converts it to canonical form. Nothing is truncated or guessed; a value that does
 * not fit is an error. Spaces around `sku` and `source` are removed, blank optional text counts as unknown, and unknown
 * fields are ignored, as are `id` and, except in a dump, `updated_at`. No time may be more than a day after `now`.
 * @param context.mayBeDumped whether the record may state the times that only dumps contain.
 * @returns reasons have the form `price: "$5" is not …`.
 */
export function validateRecord(
  raw: unknown,
  { now, mayBeDumped = false }: { now: Date; mayBeDumped?: boolean },
): ValidationResult {
  if (!isJsonObject(raw)) return { reasons: [`record: ${quote(raw)} is not a JSON object`] };
  const isDump = mayBeDumped && Object.hasOwn(raw, 'times');
  const fields = new FieldReader(raw, formatInstant(now.getTime() + DAY_MS));
  const record: FeedRecord = {
    sku: fields.requiredText('sku', LIMITS.sku).trim(),
    source: fields.requiredText('source', LIMITS.source).trim(),
    name: fields.requiredText('name', LIMITS.name),
    merchant_id: fields.text('merchant_id', LIMITS.merchant_id),
    description: fields.text('description', LIMITS.description),
    price: fields.price('price'),
    currency: fields.currency(),
    buy_url: fields.url('buy_url'),
    affiliate_url: fields.url('affiliate_url'),
    image_url: fields.url('image_url'),
    brand: fields.text('brand', LIMITS.brand),
    category: fields.text('category', LIMITS.category),
    category_path: fields.categoryPath(),
    rating: fields.rating(),
    is_available: fields.boolean('is_available'),
    last_checked: fields.instant('last_checked'),
    metadata: fields.metadata(),
    // Exports contain neither, so a record without one of these fields keeps the stored value; null removes it.
    ...(Object.hasOwn(raw, 'list_price') ? { list_price: fields.price('list_price') } : {}),
    ...(Object.hasOwn(raw, 'gtin') ? { gtin: fields.gtins() } : {}),
    price_history: fields.history(isDump),
    delivery: fields.delivery(),
    condition: fields.condition(),
    ...(Object.hasOwn(raw, 'price_from') ? { price_from: fields.boolean('price_from') ?? false } : {}),
    ...(isDump ? { times: fields.times() } : {}),
  };
  return fields.reasons.length > 0 ? { reasons: fields.reasons } : { record };
}

/** Validates a record that states only some fields: null removes a value, an absent field is kept. */
export function validatePatch(raw: unknown, { now }: { now: Date }): ValidationResult {
  const context = { now };
  if (!isJsonObject(raw)) return validateRecord(raw, context);
  const stated = Object.keys(raw).filter((field) => raw[field] !== undefined);
  const validated = validateRecord(stated.includes('name') ? raw : { ...raw, name: '-' }, context);
  if ('reasons' in validated) return validated;
  const { sku, source, name, ...rest } = validated.record;
  const kept = Object.entries(rest).filter(([field]) => stated.includes(field));
  return { record: { sku, source, name, ...Object.fromEntries(kept), stated } };
}

/** The source and SKU of a record whose other fields may be invalid. */
export function readKey(raw: unknown): { source: string; sku: string } | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const source = keyPart((raw as Record<string, unknown>)['source'], LIMITS.source);
  const sku = keyPart((raw as Record<string, unknown>)['sku'], LIMITS.sku);
  return source === null || sku === null ? null : { source, sku };
}

function keyPart(value: unknown, limit: number): string | null {
  if (typeof value !== 'string') return null;
  const text = cleanText(value);
  return isBlank(text) || isLongerThan(text, limit) ? null : text.trim();
}

/** Whether a record states when it was observed. */
export function isDated(raw: unknown): boolean {
  const { last_checked } = (raw ?? {}) as Record<string, unknown>;
  return typeof last_checked === 'string' && !isBlank(last_checked);
}

/** Removes the quoted value and the place from a reason for rejection, so that equal errors can be counted. */
export function reasonKind(reason: string): string {
  return reason
    .replace(/ "(?:[^"\\]|\\.)*"…?/, '')
    .replace(/ (?:\(|at )line \d+, column \d+.*/, '')
    .replace(/\[\d+\]/g, '[]');
}
