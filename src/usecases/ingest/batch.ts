import type { Client } from '@elastic/elasticsearch';
import type { AffiliateTemplates } from '../../listing/affiliate.js';
import { listingId } from '../../listing/identify.js';
import { applyRecord } from '../../listing/merge.js';
import type { Outcome } from '../../listing/outcome.js';
import type { Backoff } from '../../engine/backoff.js';
import { schemaVersionOf } from '../../engine/schema-version.js';
import type { FeedRecord } from '../../listing/record.js';
import type { StoredListing } from '../../listing/listing.js';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import { readListings, type Versioned, writeListings, type WriteResult } from '../../engine/listing-store.js';
import { readTombstones } from './withdraw.js';

/** All records of one listing in a batch, in the order of the feed. */
export interface Group {
  source: string;
  sku: string;
  records: FeedRecord[];
}

/** What became of a group: an outcome for each of its records, or why none of them landed. */
export type Settled = { outcomes: Outcome[] } | { reason: string };

export interface BatchContext {
  es: Client;
  alias: string;
  /** Where the tombstones are. */
  withdrawn: string;
  backoff: Backoff;
  /** The time of observations that name none; later than that of every batch before. */
  now: Date;
  /** Write first and read what is there already: cheaper while most listings are new. */
  expectNew: boolean;
  /** Only work out what would happen. */
  dryRun: boolean;
  /** How many ids there are; see `listingId`. */
  ids: bigint | undefined;
  /** The operator's; see `applyRecord`. */
  affiliateTemplates: AffiliateTemplates | undefined;
  /** See `applyRecord`. */
  declaredHistory: boolean;
  /** Called for each listing that was written. @param before null for a new one. */
  onWritten: ((before: StoredListing | null, after: StoredListing) => void) | undefined;
}

/** A listing that others keep changing is given up after this many tries; a blocked index is waited for. */
const MAX_CONFLICTS = 20;

interface Entry {
  index: number;
  group: Group;
  attempt: number;
  id: number;
  /** undefined: not read yet. */
  found: Versioned | null | undefined;
  /** When it was taken down; null: it was not; undefined: not read yet. */
  withdrawnAt: string | null | undefined;
}

/**
 * Brings groups of records into the catalogue: one read and one write for all of them, and again for those that
 * somebody else changed in between.
 * @returns in the order of the groups.
 */
export async function settleBatch(groups: readonly Group[], context: BatchContext): Promise<Settled[]> {
  const settled: Settled[] = [];
  let open: Entry[] = groups.map((group, index) => ({
    index,
    group,
    attempt: 0,
    found: context.expectNew ? null : undefined,
    withdrawnAt: undefined,
    id: listingId(group.source, group.sku, 0, context.ids),
  }));
  let conflicts = 0;
  while (open.length > 0) {
    if (conflicts > MAX_CONFLICTS) {
      for (const { index } of open)
        settled[index] = { reason: 'record: its listing was changed by others all the time' };
      break;
    }
    await locate(open, context);
    // Asked for each batch: a reindex may put another index behind the alias while a load runs.
    const schema = await context.backoff.retry(() => schemaVersionOf(context.es, context.alias));
    const { standing, refused } = refuse(open, context);
    for (const { index, reason } of refused) settled[index] = { reason };
    const folded = standing.map((entry) => ({ entry, ...fold(entry, { ...context, schema }) }));
    const writes = folded.filter(({ outcomes }) => outcomes.some((outcome) => outcome !== 'unchanged'));
    const results = await write(writes, context);
    for (const { entry, outcomes } of folded) settled[entry.index] = { outcomes };
    open = [];
    for (const [position, result] of results.entries()) {
      const folded = writes[position];
      if (folded === undefined) continue;
      const { entry, listing } = folded;
      if (result === 'written') context.onWritten?.(entry.found?.listing ?? null, listing);
      else if (result === 'conflict' || result === 'blocked')
        open.push({ ...entry, found: undefined, withdrawnAt: undefined });
      else settled[entry.index] = { reason: `record: ${result.rejected}` };
    }
    if (!results.includes('blocked')) conflicts += 1;
  }
  return settled;
}

type Folded = ReturnType<typeof fold> & { entry: Entry };

async function write(writes: Folded[], { es, alias, backoff, dryRun }: BatchContext): Promise<WriteResult[]> {
  if (dryRun || writes.length === 0) return [];
  return writeListings(
    es,
    alias,
    writes.map(({ entry, listing }) => ({ listing, over: entry.found ?? null })),
    backoff,
  );
}

/** Reads what is not known yet. A place that holds another listing is passed over, to the next attempt. */
async function locate(entries: Entry[], context: BatchContext): Promise<void> {
  do await locateListings(entries, context);
  while (await locateTombstones(entries, context));
}

function passOver(entry: Entry, ids: bigint | undefined): void {
  const { source, sku } = entry.group;
  entry.attempt += 1;
  entry.id = listingId(source, sku, entry.attempt, ids);
}

/** @returns whether one of the places that seemed free is that of another listing, which was taken down. */
async function locateTombstones(entries: Entry[], context: BatchContext): Promise<boolean> {
  const { es, withdrawn, backoff, ids } = context;
  const open = entries.filter(({ found, withdrawnAt }) => found === null && withdrawnAt === undefined);
  const stones = await readTombstones(
    es,
    withdrawn,
    open.map(({ id }) => id),
    backoff,
  );
  let passed = false;
  for (const entry of open) {
    const stone = stones.get(entry.id);
    const { source, sku } = entry.group;
    if (stone === undefined || (stone.source === source && stone.sku === sku)) {
      entry.withdrawnAt = stone?.withdrawn_at ?? null;
      continue;
    }
    passOver(entry, ids);
    entry.found = undefined;
    passed = true;
  }
  return passed;
}

/** Leaves out what is older than its listing's withdrawal, and patches of what is not there. */
function refuse(entries: readonly Entry[], { now }: BatchContext) {
  const standing: Entry[] = [];
  const refused: { index: number; reason: string }[] = [];
  for (const entry of entries) {
    const { withdrawnAt, index, group, found } = entry;
    if (found === null && group.records.some(({ stated }) => stated !== undefined)) {
      refused.push({ index, reason: 'record: there is no such listing, and a patch makes none' });
      continue;
    }
    const time = formatInstant(now.getTime());
    const isLater = ({ last_checked }: FeedRecord) =>
      withdrawnAt === null ||
      withdrawnAt === undefined ||
      compareInstants(withdrawnAt, last_checked ?? time) < 0;
    if (group.records.some(isLater)) standing.push(entry);
    else refused.push({ index, reason: 'record: its listing was withdrawn after this was observed' });
  }
  return { standing, refused };
}

async function locateListings(entries: Entry[], { es, alias, backoff, ids }: BatchContext): Promise<void> {
  let open = entries.filter(({ found }) => found === undefined);
  while (open.length > 0) {
    const found = await readListings(
      es,
      alias,
      open.map(({ id }) => id),
      backoff,
    );
    for (const [position, entry] of open.entries()) {
      const versioned = found[position] ?? null;
      const { source, sku } = entry.group;
      if (versioned === null || (versioned.listing.source === source && versioned.listing.sku === sku)) {
        entry.found = versioned;
      } else passOver(entry, ids);
    }
    open = open.filter(({ found }) => found === undefined);
  }
}

function fold(
  { group, id, found }: Entry,
  { now, affiliateTemplates, declaredHistory, schema }: BatchContext & { schema: number },
) {
  let listing = found?.listing ?? null;
  const outcomes: Outcome[] = [];
  for (const record of group.records) {
    const applied = applyRecord(listing, record, { id, now, affiliateTemplates, declaredHistory, schema });
    listing = applied.listing;
    outcomes.push(applied.outcome);
  }
  if (listing === null) throw new Error('a group without records');
  return { listing, outcomes };
}
