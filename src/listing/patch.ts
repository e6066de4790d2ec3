import { PRODUCT_FIELDS } from '../schemas/product.js';
import type { StoredListing } from './listing.js';
import type { FeedRecord } from './record.js';
import { type Validated, validateRecord } from './validate.js';

/** A record that states some fields of a listing that is there: null clears, what is absent stays. */
export function validatePatch(raw: unknown, context: { now: Date }): Validated {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return validateRecord(raw, context);
  const given = raw as Record<string, unknown>;
  const stated = Object.keys(given).filter((field) => given[field] !== undefined);
  const validated = validateRecord(stated.includes('name') ? raw : { ...given, name: '-' }, context);
  if ('reasons' in validated) return validated;
  const { sku, source, name, ...rest } = validated.record;
  const kept = Object.entries(rest).filter(([field]) => stated.includes(field));
  return { record: { sku, source, name, ...Object.fromEntries(kept), stated } };
}

/** The whole of what a listing says once a patch has changed it. `price_history` is what the patch brings. */
export function restated(existing: StoredListing, patch: FeedRecord): FeedRecord {
  const stated = new Set(patch.stated);
  const known = PRODUCT_FIELDS.filter(
    (field) => field !== 'id' && field !== 'updated_at' && !stated.has(field),
  );
  const { name, stated: _, ...changes } = patch;
  return {
    ...Object.fromEntries(known.map((field) => [field, existing[field]])),
    ...changes,
    name: stated.has('name') ? name : existing.name,
    last_checked: patch.last_checked ?? null,
    // It is the last level of the path, unless it is stated by itself.
    ...(stated.has('category_path') && !stated.has('category') ? { category: null } : {}),
  };
}
