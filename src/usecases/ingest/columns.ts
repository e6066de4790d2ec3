import type { Client } from '@elastic/elasticsearch';
import type { FeedItem } from '../../feeds/read/feed.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { productsAlias } from '../../engine/indices.js';
import type { StoredListing } from '../../listing/listing.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { readKey } from '../../listing/validate.js';

/** What a feed may state of a listing, or an export states of it. */
const COLUMNS = new Set<string>([...PRODUCT_FIELDS, 'list_price', 'gtin', 'price_history']);

/** What becomes unknown when a feed does not state it. */
const WIPED = [
  ...(['merchant_id', 'description', 'price', 'currency', 'buy_url', 'affiliate_url', 'image_url'] as const),
  ...(['brand', 'category', 'category_path', 'rating', 'is_available', 'metadata'] as const),
] satisfies (keyof StoredListing)[];
type Wiped = (typeof WIPED)[number];

/** The names in a record that are none of a listing's. */
export function unknownColumns({ value, leftover }: FeedItem): readonly string[] {
  if (leftover !== undefined) return leftover;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).filter((name) => !COLUMNS.has(name) && name.trim() !== '');
}

/** A column that a source's listings have and a feed of it has not. */
export interface LostColumn {
  source: string;
  column: Wiped;
  /** So many of the source's listings that changed last have it, */
  had: number;
  /** of so many. */
  of: number;
  /** An unknown column that is probably meant. */
  renamed: string | undefined;
}

/** How many of a source's listings tell what its last load had. */
const SAMPLE = 200;
/** Where records name their fields themselves, absence tells something only where so many should have had the field. */
const EXPECTED = 20;
/** Each is asked for by itself. */
const MAX_SOURCES = 50;

/**
 * Compares the beginning of a feed with what the catalogue has of the same sources. A record states the whole listing,
 * so a column that is absent or has another name would wipe what is there.
 * @param head the first records of the feed.
 */
export async function findLostColumns(
  head: readonly FeedItem[],
  { es, indexPrefix }: { es: Client; indexPrefix: string },
): Promise<LostColumn[]> {
  const lost: LostColumn[] = [];
  for (const [source, { records, columns, header }] of [...bySource(head)].slice(0, MAX_SOURCES)) {
    const absent = WIPED.filter((column) => !columns.has(column) && !isImplied(column, columns));
    if (absent.length === 0) continue;
    const listings = await lastChanged(es, productsAlias(indexPrefix), source, absent);
    for (const column of absent) {
      const had = listings.filter((listing) => isStated(listing[column])).length;
      const renamed = [...columns].find((name) => !COLUMNS.has(name) && isLike(name, column));
      const certain = header || renamed !== undefined || (records * had) / listings.length >= EXPECTED;
      if (had > 0 && certain) lost.push({ source, column, had, of: listings.length, renamed });
    }
  }
  return lost;
}

interface Beginning {
  records: number;
  columns: Set<string>;
  header: boolean;
}

function bySource(head: readonly FeedItem[]): Map<string, Beginning> {
  const sources = new Map<string, Beginning>();
  for (const { value, header } of head) {
    const source = readKey(value)?.source;
    if (source === undefined) continue;
    const known = sources.get(source) ?? {
      records: 0,
      columns: new Set(header),
      header: header !== undefined,
    };
    sources.set(source, known);
    known.records += 1;
    if (header === undefined) for (const name of Object.keys(value as object)) known.columns.add(name);
  }
  return sources;
}

/** A category is the last level of its path. */
const isImplied = (column: Wiped, columns: Set<string>): boolean =>
  column === 'category' && columns.has('category_path');

const isLike = (name: string, column: string): boolean =>
  normaliseIdentifier(name) === normaliseIdentifier(column);

/** A listing is also unavailable where the service marked it so, because a complete feed no longer had it. */
const isStated = (value: unknown): boolean =>
  value !== false && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

async function lastChanged(
  es: Client,
  index: string,
  source: string,
  fields: readonly Wiped[],
): Promise<Pick<StoredListing, Wiped>[]> {
  const { hits } = await es.search<StoredListing>({
    index,
    ignore_unavailable: true,
    size: SAMPLE,
    track_total_hits: false,
    query: { term: { source } },
    sort: [{ updated_at: 'desc' }],
    _source: [...fields],
  });
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
}
