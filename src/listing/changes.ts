import type { ListingChanges, ListingInternals, RecordedKind, StoredListing } from './listing.js';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';

/** The version of a listing that a write replaces, by its index and its sequence number there. */
interface ReplacedVersion {
  index: string;
  seqNo: number;
  listing: StoredListing;
}

/** The public fields of which a change is not reported, or is reported as another kind than `content`. */
const NOT_CONTENT = new Set<keyof Product>([
  'id',
  'price',
  'currency',
  'is_available',
  'last_checked',
  'updated_at',
]);
const CONTENT_FIELDS = PRODUCT_FIELDS.filter((field) => !NOT_CONTENT.has(field));
const CATEGORY_FIELDS = ['category', 'category_path'] as const;
const PRICE_FACTS = ['list_price', 'price_moved_at', 'delivery', 'price_from'] as const;
const CONTENT_FACTS = ['gtins', 'first_observed_at', 'condition'] as const;

/** The kinds of change between two versions of a listing, except times of checks and what follows from other listings. */
function changedKinds(before: StoredListing, after: StoredListing, joins: boolean): RecordedKind[] {
  const differs = (fields: readonly (keyof Product)[]) =>
    fields.some((field) => !isSame(before[field], after[field]));
  const factsDiffer = (facts: readonly (keyof ListingInternals)[]) =>
    facts.some((fact) => !isSame(before.internal[fact] ?? null, after.internal[fact] ?? null));
  const kinds: RecordedKind[] = [];
  if (differs(['price', 'currency']) || factsDiffer(PRICE_FACTS)) kinds.push('price');
  if (differs(['is_available'])) kinds.push('stock');
  if (differs(CONTENT_FIELDS) || factsDiffer(CONTENT_FACTS)) kinds.push('content');
  if (differs(CATEGORY_FIELDS)) kinds.push('category');
  if (joins || after.internal.group_id !== before.internal.group_id) kinds.push('group');
  return kinds;
}

/** Whether two values of a field of a listing are the same. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

/**
 * Records what a write changes in a listing. The sequence number of the write itself is unknown before it is stored, so
 * the record has the kinds of the last write without one. The next write knows the number, because it replaces that version.
 * @param over the version that the write replaces; null if the write creates the listing.
 * @param at the time of the write, ISO 8601 in UTC.
 * @param joins whether the write links the listing with others.
 * @returns null if no change of the listing was ever recorded.
 */
export function recordChanges(
  over: ReplacedVersion | null,
  after: StoredListing,
  at: string,
  joins = false,
): ListingChanges | null {
  if (over === null) return { at, last: ['new'] };
  const before = over.listing.internal.changes ?? null;
  const last = changedKinds(over.listing, after, joins);
  if (before === null && last.length === 0) return null;
  const moved = before?.moved === true || last.includes('category');
  return {
    at: last.length === 0 && before !== null ? before.at : at,
    last,
    ...(moved && { moved }),
    ...earlierChanges(before, over),
  };
}

/** The record of changes after a write that changes nothing that the change feed reports; null if there was no record. */
export const settledChanges = (
  { changes }: Pick<ListingInternals, 'changes'>,
  over: Pick<ReplacedVersion, 'index' | 'seqNo'>,
): ListingChanges | null => (changes ? { ...changes, last: [], ...earlierChanges(changes, over) } : null);

/** The changes before a write, with the sequence number of the version that it replaces, which is known now. */
function earlierChanges(
  before: ListingChanges | null,
  { index, seqNo }: Pick<ReplacedVersion, 'index' | 'seqNo'>,
): Pick<ListingChanges, 'index' | 'over' | 'seq' | 'earlier'> {
  const earlier: NonNullable<ListingChanges['earlier']> = {};
  for (const [kind, change] of Object.entries(before?.earlier ?? {}))
    // If a reindex has copied the listing here, its former changes are as old as the copy, which is the replaced version.
    earlier[kind as RecordedKind] = before?.index === index ? change : { ...change, seq: seqNo };
  for (const kind of before?.last ?? []) earlier[kind] = { seq: seqNo, at: before?.at ?? '' };
  const numbers = Object.values(earlier).map(({ seq }) => seq);
  return { index, over: seqNo, ...(numbers.length > 0 && { seq: Math.max(...numbers), earlier }) };
}

/** The kinds of change of a listing after a sequence number of an index. */
export function kindsAfter(
  changes: ListingChanges | null | undefined,
  { index, seq }: { index: string; seq: number },
): RecordedKind[] {
  if (!changes) return [];
  // The sequence numbers of another index say nothing here, so all recorded changes count.
  const isComparable = changes.index === index;
  return allKinds(changes, (change) => !isComparable || change.seq > seq);
}

/** The kinds of change of a listing since a time, in milliseconds since 1970. */
export const kindsSince = (changes: ListingChanges | null | undefined, since: number): RecordedKind[] =>
  changes ? allKinds(changes, ({ at }) => Date.parse(at) >= since) : [];

function allKinds(
  { last, earlier = {} }: ListingChanges,
  counts: (change: { seq: number; at: string }) => boolean,
): RecordedKind[] {
  const former = Object.entries(earlier).flatMap(([kind, change]) =>
    counts(change) ? [kind as RecordedKind] : [],
  );
  return [...new Set([...former, ...last])];
}
