import {
  readListings,
  type VersionedListing,
  type ListingWrite,
  storeListings,
} from '../../src/engine/listing-store.js';
import { formatInstant } from '../../src/listing/instant.js';
import { CommandError } from '../shared/exit.js';
import { contentOf } from './compare.js';
import type { LinkRecord } from './records.js';
import type { Work } from './work.js';

/** A listing that others keep changing is left to the next run after so many tries. */
const MAX_CONFLICTS = 20;

/**
 * Writes into each listing which group the run has put it into, and that it is linked, unless it says something else by
 * now. Over the very version that was read, so that nothing of a load is lost; and nothing else of the listing changes.
 * To do it twice is the same as once.
 * @returns how many listings changed.
 */
export async function writeGroups(work: Work, onProgress: (done: number) => void): Promise<number> {
  const { records, run, signal } = work;
  let written = 0;
  let done = 0;
  for await (const page of records.of(run.id, 'planned_by')) {
    signal.throwIfAborted();
    written += await writePage(work, page);
    done += page.length;
    onProgress(done);
  }
  return written;
}

async function writePage({ es, alias, backoff, run }: Work, page: readonly LinkRecord[]): Promise<number> {
  let written = 0;
  let open = page;
  for (let tries = 0; open.length > 0 && tries < MAX_CONFLICTS; tries += 1) {
    const found = await readListings(
      es,
      alias,
      open.map(({ id }) => id),
      backoff,
    );
    const writes = open.flatMap((record, at) => {
      const versioned = found[at] ?? null;
      const write = versioned === null ? null : writeOf(versioned, record, run.id);
      return write === null ? [] : [{ record, write }];
    });
    const results = await storeListings(
      es,
      alias,
      writes.map(({ write }) => write),
      backoff,
    );
    const again: LinkRecord[] = [];
    for (const [at, result] of results.entries()) {
      const record = writes[at]?.record;
      if (record === undefined) continue;
      if (result === 'written') written += 1;
      else if (result === 'conflict' || result === 'blocked') again.push(record);
      else throw new CommandError(`A listing does not take its group: ${result.rejected}`);
    }
    if (results.includes('blocked')) tries -= 1;
    open = again;
  }
  return written;
}

/** @returns null where there is nothing to change. */
function writeOf(
  { listing, ...over }: VersionedListing,
  record: LinkRecord,
  run: number,
): ListingWrite | null {
  const { internal } = listing;
  const linked =
    record.compared_by === run && record.content === contentOf(listing)
      ? formatInstant(run)
      : (internal.linked_at ?? null);
  const { group_id = internal.group_id } = record;
  if (group_id === internal.group_id && linked === internal.linked_at) return null;
  const changed = group_id === undefined ? {} : { group_id };
  return { listing: { ...listing, internal: { ...internal, ...changed, linked_at: linked } }, over };
}
