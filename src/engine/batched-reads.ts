import type { Client } from '@elastic/elasticsearch';
import DataLoader from 'dataloader';
import { getListings } from './documents.js';
import type { ListingBytes } from './passthrough.js';

/** Reads one listing in its public shape; null: nobody has this id. */
export type ReadListing = (id: number) => Promise<ListingBytes | null>;

/** So many listings in one request at most. */
const MOST_AT_ONCE = 100;

/**
 * Reads listings by id. What is asked for in one turn of the event loop is asked of the engine in one request: when there
 * is much to do, a request costs both sides more than its listings.
 */
export function listingReader(es: Client, index: string): ReadListing {
  const reads = new DataLoader<number, ListingBytes | null>((ids) => getListings(es, index, ids), {
    // Each read shows what is there now.
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
    batchScheduleFn: setImmediate,
  });
  return (id) => reads.load(id);
}
