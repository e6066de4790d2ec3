import {
  readListings,
  type ListingWrite,
  type VersionedListing,
  storeListings,
} from '../../engine/listing-store.js';
import { formatInstant } from '../../listing/instant.js';
import { isLinked, productKeyOf } from '../../listing/listing.js';
import { OperationError } from '../../platform/operation-errors.js';
import { contentOf } from './compare.js';
import type { LinkRecord } from './records.js';
import type { LinkRun } from './run.js';

const MAX_CONFLICTS = 20;

/**
 * Writes the decided group into each listing, and marks it as linked if its content has not changed since the comparison. A write
 * applies only to the version that was read, so that no load is lost. @returns the number of changed listings.
 */
export async function writeGroups(linkRun: LinkRun, onProgress: (done: number) => void): Promise<number> {
  const { records, run, signal } = linkRun;
  let written = 0;
  let done = 0;
  for await (const page of records.of(run.id, 'planned_by')) {
    signal.throwIfAborted();
    written += await writePage(linkRun, page);
    done += page.length;
    onProgress(done);
  }
  return written;
}

async function writePage({ es, alias, backoff, run }: LinkRun, page: readonly LinkRecord[]): Promise<number> {
  let written = 0;
  let open = page;
  for (let tries = 0; open.length > 0 && tries < MAX_CONFLICTS; tries += 1) {
    const ids = open.map(({ id }) => id);
    const found = await readListings(es, alias, ids, backoff);
    const changed = open.flatMap((record, at) => {
      const versioned = found[at] ?? null;
      const write = versioned === null ? null : writeOf(versioned, record, run.id);
      return write === null ? [] : [{ record, write }];
    });
    const writes = changed.map(({ write }) => write);
    const results = await storeListings(es, alias, writes, backoff);
    const again: LinkRecord[] = [];
    for (const [at, { record }] of changed.entries()) {
      const result = results[at];
      if (result === undefined) continue;
      if (result === 'written') written += 1;
      else if (result === 'conflict' || result === 'blocked') again.push(record);
      else throw new OperationError(`A listing rejects its group: ${result.rejected}`);
    }
    if (results.includes('blocked')) tries -= 1;
    open = again;
  }
  return written;
}

function writeOf(over: VersionedListing, record: LinkRecord, run: number): ListingWrite | null {
  const { listing } = over;
  const { internal } = listing;
  const isCompared = record.compared_by === run && record.content === contentOf(listing);
  const linked = isCompared ? formatInstant(run) : (internal.linked_at ?? null);
  const { group_id = internal.group_id } = record;
  if (group_id === internal.group_id && linked === internal.linked_at) return null;
  const changed = group_id === undefined ? {} : { group_id };
  const grouped = { ...listing, internal: { ...internal, ...changed, linked_at: linked } };
  // An index of an earlier schema version has no field for the product key.
  if (internal.product_key !== undefined) grouped.internal.product_key = productKeyOf(grouped);
  // A listing that was loaded again after its withdrawal kept its group id, but was shown as a product of its own until now.
  const joins = record.is_shared === true && isLinked(grouped) && !isLinked(listing);
  return { listing: grouped, over, joins };
}
