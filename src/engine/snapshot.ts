import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import { exportSelection, nextExportRequest, PUBLIC_SOURCE } from './queries/pages.js';
import { page } from './pages.js';
import type { Slice } from './queries/selection.js';
import { searchBytes } from './bytes.js';
import type { ListingBytes } from './passthrough.js';

/** A consistent view of the listings that match, read page by page. Must be closed. */
export interface Snapshot {
  /** Exact number of all that match. */
  total: number;
  /** At most `limit` listings from `offset` on, by id. A page is its reader's to empty. */
  pages: AsyncGenerator<ListingBytes[]>;
  /** Forgets the point in time; never fails, since the engine forgets it by itself in the end. */
  close(): Promise<void>;
}

/**
 * Rows a request while a snapshot is read. A thousand are 1.4 times as fast as a hundred, but every export holds a
 * page of them: where rows are long, a page has fewer.
 */
const SNAPSHOT_PAGE = { first: 100, most: 1_000, bytes: 512 * 1024 };

/** Nobody waits for an answer any more once an export has begun: better a pause than a file cut short. */
const SNAPSHOT_DEADLINES = { requestTimeout: 30_000, maxRetries: 3 };

/** Many exports begin at once, when a clock strikes: they may wait a little longer than a search. */
const OPENING_DEADLINES = { requestTimeout: 2_500 };

/** A slow client may take this long for one page before the engine forgets the snapshot. */
const KEEP_ALIVE = '5m';

/** Until its first page is read. If the answer with its name is lost, nobody can close it. */
const KEEP_ALIVE_AT_FIRST = '10s';

/** Before each attempt to close it: the engine may be away just then. */
const CLOSE_AFTER_MS = [0, 1_000, 5_000, 30_000];

/**
 * Opens a snapshot and reads its first page, so that what can fail has failed before anything is sent.
 * @param source what of the listings is read; else their public shape.
 */
export async function openSnapshot(
  es: Client,
  index: string,
  query: estypes.QueryDslQueryContainer,
  { limit, offset }: Slice,
  source: estypes.SearchSourceConfig = PUBLIC_SOURCE,
): Promise<Snapshot> {
  const pit = {
    id: (await es.openPointInTime({ index, keep_alive: KEEP_ALIVE_AT_FIRST }, OPENING_DEADLINES)).id,
    keep_alive: KEEP_ALIVE,
  };
  const close = () => forget(es, pit);
  try {
    const slice = { limit: Math.min(limit, SNAPSHOT_PAGE.first), offset };
    const options = { ...OPENING_DEADLINES, request: { _source: source } };
    const first = await page(es, { pit }, exportSelection(query), slice, options);
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

interface Reading {
  pit: estypes.SearchPointInTimeReference;
  query: estypes.QueryDslQueryContainer;
  source: estypes.SearchSourceConfig;
  /** How many rows there are to read, the first page's included. */
  wanted: number;
}

async function* pagesFrom(
  es: Client,
  { pit, query, source, wanted }: Reading,
  first: ListingBytes[],
): AsyncGenerator<ListingBytes[]> {
  let listings = first;
  let left = wanted;
  while (listings.length > 0) {
    const after = idOf(listings.at(-1));
    const size = Math.min(left - listings.length, rowsAPage(listings));
    left -= listings.length;
    yield listings;
    if (left <= 0) return;
    const search = { pit, ...nextExportRequest(query, { after, size, source }) };
    const answer = await searchBytes(es, search, () => size, SNAPSHOT_DEADLINES);
    // The engine may name the same point in time anew; the newest name is the one to use and to close.
    pit.id = answer.pitId ?? pit.id;
    ({ listings } = answer);
  }
}

/** Never fails, and keeps no process from ending. */
async function forget(es: Client, pit: { id: string }): Promise<void> {
  for (const pause of CLOSE_AFTER_MS) {
    if (pause > 0) await sleep(pause, undefined, { ref: false });
    try {
      await es.closePointInTime({ id: pit.id }, { ignore: [404] });
      return;
    } catch {
      // Again, or the engine forgets it by itself.
    }
  }
}

/** As many as will weigh about `SNAPSHOT_PAGE.bytes`, if they are like these. */
function rowsAPage(listings: readonly ListingBytes[]): number {
  const bytes = listings.reduce((sum, { length }) => sum + length, 0);
  const rows = Math.floor((SNAPSHOT_PAGE.bytes * listings.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(SNAPSHOT_PAGE.most, rows));
}

const idOf = (listing: ListingBytes | undefined): number =>
  (JSON.parse(listing?.toString() ?? 'null') as Product).id;
