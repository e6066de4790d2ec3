import { formatCount } from '../../text/quantities.js';
import type { Client } from '@elastic/elasticsearch';
import { productsAlias } from '../../engine/indices.js';
import type { FeedItem } from '../../feeds/read/feed.js';
import { listingKey, normaliseIdentifier } from '../../listing/identify.js';
import type { StoredListing } from '../../listing/listing.js';
import { isDated, readKey } from '../../listing/validate.js';
import { cleanText } from '../../text/clean.js';
import { isKnownColumn, unknownColumns } from './check.js';

/** The guard that stopped a load: the limit of a source file that it exceeded, or the setting that would allow it. */
export type GuardRule =
  | 'allow_empty'
  | 'allow_missing'
  | 'allow_repeats'
  | 'max_cleared'
  | 'max_price_change'
  | 'max_rejected'
  | 'max_vanished'
  | 'strict_columns'
  /** This guard stops a load: its feed is complete, but the source or SKU of a rejected record cannot be read. */
  | 'unidentified';

/** A guard stopped a load before it could do harm. The message says what would have happened, and how to allow it. */
export class GuardError extends Error {
  override name = 'GuardError';

  constructor(
    readonly rule: GuardRule,
    message: string,
  ) {
    super(message);
  }
}

/** Formats a percentage for people, such as `3.1 %`. A small share is never rounded to zero. */
export function formatShare(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return percent > 0 && percent < 0.1 ? 'less than 0.1 %' : `${Number(percent.toFixed(1))} %`;
}

export const isAbove = (part: number, whole: number, percent: number): boolean =>
  100 * part > percent * whole;

/** Formats a name from a feed so that a terminal can display it. */
export const quoteName = (name: string): string => JSON.stringify(cleanText(name));

const HEAD_RECORDS = 1_000;
const HEAD_BYTES = 8 * 1024 * 1024;

/** Reads the first thousand records of a feed, or fewer if they are long. */
export async function readBeginning(feed: AsyncIterable<FeedItem>) {
  const rest = feed[Symbol.asyncIterator]();
  const head: FeedItem[] = [];
  let bytes = 0;
  let end: { error?: unknown } | null = null;
  while (end === null && head.length < HEAD_RECORDS && bytes < HEAD_BYTES) {
    try {
      const next = await rest.next();
      if (next.done === true) end = {};
      else {
        head.push(next.value);
        bytes += next.value.bytes;
      }
    } catch (error) {
      // An error while reading is kept here, because the records before it are loaded first.
      end = { error };
    }
  }
  const isBroken = end !== null && 'error' in end;
  async function* records(): AsyncGenerator<FeedItem> {
    yield* head;
    if (isBroken) throw end?.error;
    if (end === null) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return {
    head,
    whole: end !== null,
    /** Whether the feed cannot be read beyond these first records, because an error follows them. */
    isBroken,
    records: records(),
  };
}

export type FeedBeginning = Awaited<ReturnType<typeof readBeginning>>;

export interface GuardOptions {
  allowEmpty: boolean;
  /** Columns that the feed may lack although stored listings of its sources have them. */
  allowMissing: readonly string[];
  strictColumns: boolean;
  /** Whether a load may contain many records that have the source and SKU of an earlier record of the feed. */
  allowRepeats: boolean;
  patch: boolean;
}

/** Checks the beginning of a feed before anything is loaded. @throws GuardError if loading the feed would do harm. */
export async function guardFeed(
  { head, whole, isBroken }: FeedBeginning,
  { allowEmpty, allowMissing, strictColumns, allowRepeats, patch }: GuardOptions,
  catalogue: { es: Client; indexPrefix: string },
): Promise<void> {
  if (head.length === 0 && whole && !isBroken && !allowEmpty)
    throw new GuardError(
      'allow_empty',
      'The feed contains no record. If this is intended, use --allow-empty.',
    );
  if (strictColumns) guardUnknownColumns(head);
  if (patch) return;
  if (!allowRepeats) guardRepeats(head);
  const lost = await findLostColumns(head, catalogue);
  const unexpected = lost.filter(({ column }) => !allowMissing.includes(column));
  if (unexpected.length > 0) throw new GuardError('allow_missing', describeLost(unexpected));
}

/** The percentage of repeated records above which a load stops, from this number of them on. */
const MAX_REPEATED = 20;
const MIN_REPEATED = 20;

/** Whether the column of the SKU is probably a wrong one, because too many records repeat a key. */
export const repeatsTooOften = (repeated: number, records: number): boolean =>
  repeated >= MIN_REPEATED && isAbove(repeated, records, MAX_REPEATED);

/** Describes the key that occurs most often among many records with repeated keys. */
export function describeRepeats(repeated: number, records: number, example: string, loaded: boolean): string {
  return `${formatCount(repeated)} of the first ${formatCount(records)} records have the source and SKU of another record${example}. Only the last record of a listing counts, so the others would be lost: does every row have a SKU of its own? ${loaded ? '' : 'Nothing was loaded. '}If this is intended, use --allow-repeats.`;
}

/** Only records without an observation time are counted: several with times are observations of one listing at those times. */
function guardRepeats(head: readonly FeedItem[]): void {
  const counts = new Map<string, { sku: string; count: number }>();
  let repeated = 0;
  for (const { value, error } of head) {
    const key = error === undefined && !isDated(value) ? readKey(value) : null;
    if (key === null) continue;
    const name = listingKey(key);
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { sku: key.sku, count: 1 });
    else {
      known.count += 1;
      repeated += 1;
    }
  }
  if (!repeatsTooOften(repeated, head.length)) return;
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count);
  const example = most === undefined ? '' : ` (SKU ${quoteName(most.sku)} occurs ${most.count} times)`;
  throw new GuardError('allow_repeats', describeRepeats(repeated, head.length, example, false));
}

const NAMED_COLUMNS = 12;

/** Formats the first dozen of several names from a feed, and the number of the others. */
export function quoteNames(names: readonly string[]): string {
  const more = names.length > NAMED_COLUMNS ? ` and ${names.length - NAMED_COLUMNS} more` : '';
  return `${names.slice(0, NAMED_COLUMNS).map(quoteName).join(', ')}${more}`;
}

function guardUnknownColumns(head: readonly FeedItem[]): void {
  const names = [...new Set(head.flatMap(unknownColumns))];
  if (names.length === 0) return;
  throw new GuardError(
    'strict_columns',
    `No listing has the columns ${quoteNames(names)}, and --strict-columns refuses them. Nothing was loaded.`,
  );
}

function describeLost(lost: readonly LostColumn[]): string {
  const lines = lost.map(({ source, column, had, of, renamed }) => {
    const whose = `${formatCount(had)} of the ${formatCount(of)} listings of ${source} that changed last`;
    const hint = renamed === undefined ? '' : `; is it ${quoteName(renamed)}?`;
    return `  ${column}, which ${whose} have${hint}`;
  });
  const columns = [...new Set(lost.map(({ column }) => column))].join(',');
  return `The feed lacks columns that its source had, and would clear them:\n${lines.join('\n')}\nNothing was loaded. If this is intended, use --allow-missing ${columns}`;
}

/** The fields of a stored listing that become unknown if a feed does not state them. */
const ERASABLE = [
  ...(['merchant_id', 'description', 'price', 'currency', 'buy_url', 'affiliate_url', 'image_url'] as const),
  ...(['brand', 'category', 'category_path', 'rating', 'is_available', 'metadata', 'delivery'] as const),
] as const satisfies readonly (keyof StoredListing | 'delivery')[];
type ErasableField = (typeof ERASABLE)[number];

/** A column that stored listings of a source have and its feed lacks. */
interface LostColumn {
  source: string;
  column: ErasableField;
  had: number;
  of: number;
  /** The name of an unknown column of the feed that is probably the missing one. */
  renamed: string | undefined;
}

const COMPARED_LISTINGS = 200;

/** In a feed without a header, a column is lost only if so many records should have it, judging by the stored listings. */
const EXPECTED_RECORDS = 20;

const MAX_SOURCES = 50;

/** Compares the beginning of a feed with stored listings: a missing or misspelled column would clear their values. */
async function findLostColumns(
  head: readonly FeedItem[],
  { es, indexPrefix }: { es: Client; indexPrefix: string },
): Promise<LostColumn[]> {
  const lost: LostColumn[] = [];
  for (const [source, { records, columns, hasHeader }] of [...bySource(head)].slice(0, MAX_SOURCES)) {
    // A category path implies the category, which is its last level.
    const absent = ERASABLE.filter(
      (column) => !columns.has(column) && !(column === 'category' && columns.has('category_path')),
    );
    const renamedTo = (column: ErasableField) =>
      [...columns].find(
        (name) => !isKnownColumn(name) && normaliseIdentifier(name) === normaliseIdentifier(column),
      );
    const isEvident = (column: ErasableField) => hasHeader || renamedTo(column) !== undefined;
    const doubtful = absent.filter((column) => records >= EXPECTED_RECORDS || isEvident(column));
    if (doubtful.length === 0) continue;
    const listings = await lastChanged(es, productsAlias(indexPrefix), source, doubtful);
    for (const column of doubtful) {
      const valueIn = (one: StoredListing) => (column === 'delivery' ? one.internal?.delivery : one[column]);
      const had = listings.filter((listing) => isStated(valueIn(listing))).length;
      const isCertain = isEvident(column) || (records * had) / listings.length >= EXPECTED_RECORDS;
      if (had > 0 && isCertain)
        lost.push({ source, column, had, of: listings.length, renamed: renamedTo(column) });
    }
  }
  return lost;
}

function bySource(head: readonly FeedItem[]) {
  const sources = new Map<string, { records: number; columns: Set<string>; hasHeader: boolean }>();
  for (const { value, header } of head) {
    const source = readKey(value)?.source;
    if (source === undefined) continue;
    const first = { records: 0, columns: new Set<string>(), hasHeader: header !== undefined };
    const known = sources.get(source) ?? first;
    sources.set(source, known);
    known.records += 1;
    // The column for the load's default currency appears in a record only if the record has a price.
    for (const name of header ?? Object.keys(value as object)) known.columns.add(name);
  }
  return sources;
}

/** Whether a value is stated. `false` is not, because the service itself stores it for listings that a complete feed lacks. */
const isStated = (value: unknown): boolean =>
  value !== false && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

async function lastChanged(es: Client, index: string, source: string, fields: readonly ErasableField[]) {
  const { hits } = await es.search<StoredListing>({
    index,
    ignore_unavailable: true,
    size: COMPARED_LISTINGS,
    track_total_hits: false,
    query: { term: { source } },
    sort: [{ updated_at: 'desc' }],
    _source: fields.map((field) => (field === 'delivery' ? 'internal.delivery' : field)),
  });
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
}
