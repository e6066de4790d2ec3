import { type Product, STATED_FIELDS } from '../schemas/product.js';
import { isSame } from './changes.js';
import type { LineageEntry, ListingInternals, StoredListing } from './listing.js';

/** Where a record that is applied to a listing comes from. */
export interface RecordPlace {
  run: string;
  /** The line of the record in its feed; undefined: the run changed the listing because its complete feed lacks it. */
  line?: number | undefined;
  /** The file of the record, if the feed is an archive of several files. */
  file?: string | undefined;
}

/** The number of runs that a listing keeps, besides those that set a field that no later run has set. */
const KEPT_RUNS = 10;

/** Stands for all fields of a listing that no later run has set. */
const ALL_FIELDS = '*';

/** Adds a run; keeps the last ten and those that set a field as the last one. @param before null: no lineage was recorded yet. */
export function extendLineage(
  before: readonly LineageEntry[] | null | undefined,
  { run, line, file }: RecordPlace,
  set: readonly string[],
  at: string,
): LineageEntry[] {
  const known = before ?? [];
  const last = known.at(-1);
  // Several records of one run are one entry, with the line of the last record.
  const isSameRun = last?.run === run;
  const earlier = isSameRun ? known.slice(0, -1) : known;
  const entry: LineageEntry = {
    run,
    at,
    ...(line === undefined ? {} : { line }),
    ...(file === undefined ? {} : { file }),
    set: isSameRun ? [...new Set([...last.set, ...set])] : [...set],
  };
  const kept = earlier
    .map((one) => ({ ...one, set: one.set.filter((field) => !set.includes(field)) }))
    .filter((one, place) => one.set.length > 0 || earlier.length - place < KEPT_RUNS);
  return [...kept, entry];
}

/** Returns the entry of the run that set each field of a listing. A field is left out if no such run is recorded. */
export function settersOf(lineage: readonly LineageEntry[], fields: readonly string[]) {
  const setters = new Map<string, LineageEntry>();
  for (const field of fields) {
    const entry =
      lineage.findLast(({ set }) => set.includes(field)) ??
      lineage.findLast(({ set }) => set.includes(ALL_FIELDS));
    if (entry !== undefined) setters.set(field, entry);
  }
  return setters;
}

/** The fields whose lineage is recorded besides those of a Product: internal fields that a feed states. */
const INTERNAL_FIELDS = { list_price: 'list_price', gtin: 'declared_gtins' } as const;

export const TRACED_FIELDS: readonly string[] = [...STATED_FIELDS, ...Object.keys(INTERNAL_FIELDS)];

export function changedFields(before: StoredListing | null, product: Product, internal: ListingInternals) {
  if (before === null) return [ALL_FIELDS];
  return [
    ...STATED_FIELDS.filter((field) => !isSame(before[field], product[field])),
    ...Object.entries(INTERNAL_FIELDS)
      .filter(([, field]) => !isSame(before.internal[field], internal[field]))
      .map(([name]) => name),
  ];
}
