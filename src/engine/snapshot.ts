import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import { stepBytes } from '../platform/slices.js';
import type { ListingBytes } from './listing-bytes.js';
import { exportSelection, nextExportRequest, PUBLIC_SOURCE, type Slice } from './queries/selection.js';
import { searchBytes, searchListingBytes } from './search-listings.js';

/** The listings on a page: 1,000 are 1.4 times as fast as 100, but each export keeps a page in memory, so long listings are fewer. */
const PAGE = { first: 100, max: 1_000 };

/** The deadlines for later pages. They are long, because a pause is better than a file that is cut off. */
const PAGE_DEADLINES = { requestTimeout: 30_000, maxRetries: 3 };

/** The deadline for opening an export. It allows for many at once, because scheduled ones start on the hour. */
const OPENING_DEADLINES = { requestTimeout: 2_500 };

/** How long a point in time stays open between two pages, which is the time a slow client has for a page. */
const KEEP_ALIVE = '5m';

/** How long a point in time stays open until its first page is read. It is short: if the id is lost, nobody can close it. */
const FIRST_KEEP_ALIVE = '10s';

/** The pauses in ms before each attempt to close a point in time. */
const CLOSE_AFTER_MS = [0, 1_000, 5_000, 30_000];

/**
 * Opens a consistent view of the listings that match a query, which the caller must close, with its first page, so that most
 * failures happen before the response begins. @param source the fields to read; by default the public shape.
 */
export async function openSnapshot(
  es: Client,
  index: string,
  query: estypes.QueryDslQueryContainer,
  { limit, offset }: Slice,
  source: estypes.SearchSourceConfig = PUBLIC_SOURCE,
) {
  const pit = {
    id: (await es.openPointInTime({ index, keep_alive: FIRST_KEEP_ALIVE }, OPENING_DEADLINES)).id,
    keep_alive: KEEP_ALIVE,
  };
  const close = () => closePointInTime(es, pit);
  try {
    const slice = { limit: Math.min(limit, PAGE.first), offset };
    const options = { ...OPENING_DEADLINES, request: { _source: source } };
    const first = await searchListingBytes(es, { pit }, exportSelection(query), slice, options);
    const wanted = Math.min(limit, Math.max(0, first.total - offset));
    return {
      total: first.total,
      pages: pagesFrom(es, { pit, query, source, wanted }, first.listings),
      close,
    };
  } catch (error) {
    void close();
    throw error;
  }
}

interface SnapshotPages {
  pit: estypes.SearchPointInTimeReference;
  query: estypes.QueryDslQueryContainer;
  source: estypes.SearchSourceConfig;
  /** The number of listings that the snapshot returns, including those of the first page. */
  wanted: number;
}

/** The pages of the snapshot: at most `limit` listings from `offset` on, sorted by id. */
async function* pagesFrom(
  es: Client,
  { pit, query, source, wanted }: SnapshotPages,
  first: ListingBytes[],
): AsyncGenerator<ListingBytes[]> {
  let listings = first;
  let left = wanted;
  while (listings.length > 0) {
    const { id: after } = JSON.parse(listings.at(-1)?.toString() ?? 'null') as Product;
    const size = Math.min(left - listings.length, listingsPerPage(listings));
    left -= listings.length;
    yield listings;
    if (left <= 0) return;
    const search = { pit, ...nextExportRequest(query, { after, size, source }) };
    const answer = await searchBytes(es, search, () => size, PAGE_DEADLINES);
    // Elasticsearch may give the point in time a new id with each answer.
    pit.id = answer.pitId ?? pit.id;
    ({ listings } = answer);
  }
}

/** Closes a point in time, with retries, and does not keep the process alive. */
async function closePointInTime(es: Client, pit: { id: string }): Promise<void> {
  for (const pause of CLOSE_AFTER_MS) {
    if (pause > 0) await sleep(pause, undefined, { ref: false });
    try {
      await es.closePointInTime({ id: pit.id }, { ignore: [404] });
      return;
    } catch {
      // The next attempt follows after a pause.
    }
  }
}

/** The number of listings of the next page, so that it has about the bytes of a step if they are as long as these. */
function listingsPerPage(listings: readonly ListingBytes[]): number {
  const bytes = listings.reduce((sum, { length }) => sum + length, 0);
  const count = Math.floor((stepBytes() * listings.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(PAGE.max, count));
}
