import type { FeedItem } from '../../feeds/read/item.js';
import { validatePatch } from '../../listing/patch.js';
import type { FeedRecord } from '../../listing/record.js';
import { MAX_REASONS, quote, type Validated, validateRecord } from '../../listing/validate.js';

export interface CheckOptions {
  /** Rejects records with a column that is unknown. */
  strictColumns?: boolean | undefined;
  /** A record states only what changes of a listing that is there. */
  patch?: boolean | undefined;
  /** Fields that are left out where they are bad, instead of rejecting their record. */
  onBad?: ReadonlySet<string> | undefined;
}

/** A valid record, with the fields that were left out of it; or up to `MAX_REASONS` reasons why it is rejected. */
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
  const earlier = new Set(before.map(fieldOf));
  const strays = strictColumns ? unknown.slice(0, MAX_REASONS) : [];
  const reasonsOf = (validated: Validated): string[] => [
    ...before,
    ...('reasons' in validated ? validated.reasons.filter((reason) => !earlier.has(fieldOf(reason))) : []),
    ...strays.map((name) => `record: ${quote(name)} is no column of a listing`),
  ];
  let validated = validate(value, { now });
  const reasons = reasonsOf(validated).slice(0, MAX_REASONS);
  const dropped = new Set<string>();
  // Validation stops after some reasons, so that without the bad fields there may be others.
  for (;;) {
    const open = reasonsOf(validated)
      .map(fieldOf)
      .filter((field) => !dropped.has(field));
    if (open.length === 0 && 'record' in validated) return { ...validated, dropped: [...dropped] };
    if (open.length === 0 || !open.every((field) => onBad.has(field))) return { reasons };
    for (const field of open) dropped.add(field);
    const good = Object.entries(value as object).filter(([field]) => !dropped.has(field));
    validated = validate(Object.fromEntries(good), { now });
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The field that a reason is about: `gtin` of `gtin[1]: …`. */
const fieldOf = (reason: string): string => /^[\w@]+/.exec(reason)?.[0] ?? '';
