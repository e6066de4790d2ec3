import type { FeedItem } from '../feed/item.js';
import { validatePatch } from '../listing/patch.js';
import type { FeedRecord } from '../listing/record.js';
import { validateRecord } from '../listing/validate.js';

export interface CheckOptions {
  /** Rejects records with a column that is unknown. */
  strictColumns?: boolean | undefined;
  /** A record states only what changes of a listing that is there. */
  patch?: boolean | undefined;
  /** Fields that are left out where they are bad, instead of rejecting their record. */
  onBad?: ReadonlySet<string> | undefined;
}

/** A record that may enter the catalogue, with the fields that were left out of it; or every reason why it may not. */
export type Checked = { record: FeedRecord; dropped: readonly string[] } | { reasons: string[] };

/** Checks a record, and what was found before about it. @param unknown its columns that no listing has. */
export function checkItem(
  { value, error, reasons: before = [] }: FeedItem,
  unknown: readonly string[],
  { strictColumns = false, patch = false, onBad = NONE }: CheckOptions,
  now: Date,
): Checked {
  if (error !== undefined) return { reasons: [error] };
  const validate = patch ? validatePatch : validateRecord;
  const validated = validate(value, { now });
  const earlier = new Set(before.map(fieldOf));
  const found = 'reasons' in validated ? validated.reasons : [];
  const strays = strictColumns
    ? unknown.map((name) => `record: ${JSON.stringify(name)} is no column of a listing`)
    : [];
  const reasons = [...before, ...found.filter((reason) => !earlier.has(fieldOf(reason))), ...strays];
  if (reasons.length === 0 && 'record' in validated) return { ...validated, dropped: [] };
  const bad = [...new Set(reasons.map(fieldOf))];
  if (!bad.every((field) => onBad.has(field))) return { reasons };
  const good = Object.entries(value as object).filter(([field]) => !bad.includes(field));
  const rest = validate(Object.fromEntries(good), { now });
  return 'record' in rest ? { ...rest, dropped: bad } : { reasons };
}

const NONE: ReadonlySet<string> = new Set();

/** The field that a reason is about: `gtin` of `gtin[1]: …`. */
const fieldOf = (reason: string): string => /^[\w@]+/.exec(reason)?.[0] ?? '';
