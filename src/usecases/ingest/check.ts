import type { FeedItem } from '../../feeds/read/item.js';
import type { FeedRecord } from '../../listing/listing.js';
import { MAX_REASONS, quote } from '../../listing/field-reader.js';
import { type ValidationResult, validatePatch, validateRecord } from '../../listing/validate.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';

/** The fields that a record may state: those of a Product, and those that only feeds have. */
const KNOWN_COLUMNS = new Set<string>([
  ...PRODUCT_FIELDS,
  ...'list_price gtin price_history delivery condition price_from times'.split(' '),
]);

export const isKnownColumn = (name: string): boolean => KNOWN_COLUMNS.has(name);

export function unknownColumns({ value, leftover }: FeedItem): readonly string[] {
  if (leftover !== undefined) return leftover;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).filter((name) => !isKnownColumn(name) && name.trim() !== '');
}

export interface FeedCheckOptions {
  strictColumns?: boolean | undefined;
  /** Whether records are patches, which state only the fields of an existing listing that change. */
  patch?: boolean | undefined;
  /** Whether records may be those of a dump, which also state when their listings changed and were observed. */
  mayBeDumped?: boolean | undefined;
  /** Fields that are dropped from a record if they are invalid, instead of rejecting the record. */
  onBad?: ReadonlySet<string> | undefined;
}

/** A valid record and its dropped invalid fields, or at most `MAX_REASONS` reasons for its rejection. */
type CheckedItem = { record: FeedRecord; dropped: readonly string[] } | { reasons: string[] };

/** Validates a record of a feed. @param unknown the columns of the record that no listing has. */
export function checkItem(
  { value, error, reasons: before = [] }: FeedItem,
  unknown: readonly string[],
  { strictColumns = false, patch = false, mayBeDumped = false, onBad = new Set() }: FeedCheckOptions,
  now: Date,
): CheckedItem {
  if (error !== undefined) return { reasons: [error] };
  const validate = patch ? validatePatch : validateRecord;
  const reported = new Set(before.map(fieldOf));
  const strays = strictColumns ? unknown.slice(0, MAX_REASONS) : [];
  const reasonsOf = (result: ValidationResult): string[] => [
    ...before,
    ...('reasons' in result ? result.reasons.filter((reason) => !reported.has(fieldOf(reason))) : []),
    ...strays.map((name) => `record: ${quote(name)} is not a column of a listing`),
  ];
  let result = validate(value, { now, mayBeDumped });
  const reasons = reasonsOf(result).slice(0, MAX_REASONS);
  const dropped = new Set<string>();
  // Validation stops after a number of errors, so dropping the invalid fields may reveal further errors.
  for (;;) {
    const invalid = reasonsOf(result)
      .map(fieldOf)
      .filter((field) => !dropped.has(field));
    if (invalid.length === 0 && 'record' in result) return { ...result, dropped: [...dropped] };
    if (invalid.length === 0 || !invalid.every((field) => onBad.has(field))) return { reasons };
    for (const field of invalid) dropped.add(field);
    const valid = Object.entries(value as object).filter(([field]) => !dropped.has(field));
    result = validate(Object.fromEntries(valid), { now, mayBeDumped });
  }
}

const fieldOf = (reason: string): string => /^[\w@]+/.exec(reason)?.[0] ?? '';
