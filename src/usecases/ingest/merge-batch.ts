import type { Client } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { readListings, storeListings, type VersionedListing } from '../../engine/listing-store.js';
import { schemaVersionOf } from '../../engine/index-versions.js';
import type { FeedItem } from '../../feeds/read/feed.js';
import { MAKERS_SCHEMA } from '../../listing/schema-versions.js';
import { listingId, listingKey } from '../../listing/identify.js';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import type { FeedRecord, InferredBrand, StoredListing } from '../../listing/listing.js';
import { applyRecord, type MergeOutcome } from '../../listing/merge.js';
import type { AffiliateTemplates } from '../../listing/product.js';
import type { LoadPace } from './pace.js';
import { readTombstones } from './withdraw.js';

interface RecordGroup {
  source: string;
  sku: string;
  entries: { record: FeedRecord; item: FeedItem }[];
}

export class RecordBatch {
  readonly groups = new Map<string, RecordGroup>();
  records = 0;
  bytes = 0;

  /** Adds a record. @returns the item of a record that it replaces, because neither states a time; otherwise null. */
  add(record: FeedRecord, item: FeedItem): FeedItem | null {
    const { source, sku } = record;
    const key = listingKey(record);
    const group = this.groups.get(key) ?? { source, sku, entries: [] };
    this.groups.set(key, group);
    const at = isReplaceable(record) ? group.entries.findIndex((one) => isReplaceable(one.record)) : -1;
    const [replaced] = at >= 0 ? group.entries.splice(at, 1) : [];
    if (replaced === undefined) this.records += 1;
    group.entries.push({ record, item });
    this.bytes += item.bytes;
    return replaced?.item ?? null;
  }

  isFull({ records, bytes }: LoadPace): boolean {
    return this.records >= records || this.bytes >= bytes;
  }
}

/** Whether a later record of the listing replaces it. A patch never is, because each may state other fields. */
export const isReplaceable = ({ last_checked, stated }: FeedRecord): boolean =>
  typeof last_checked !== 'string' && stated === undefined;

/** An outcome for each record of a listing, or the reason why none of them was loaded. */
export type GroupResult = { outcomes: MergeOutcome[] } | { reason: string };

export interface BatchOptions {
  /** The Elasticsearch client for the load. It needs a long request timeout; see `createElasticsearch`. */
  es: Client;
  /** Whether nothing is written. A new listing that occurs in two batches is then counted as new twice. */
  dryRun?: boolean;
  affiliateTemplates?: AffiliateTemplates;
  declaredHistory?: boolean;
  /** The id of the run, for the lineage of the listings; undefined: none is recorded. */
  run?: string | undefined;
  /** The number of possible listing ids. Tests lower it to provoke collisions of ids. */
  ids?: bigint;
  /** Called for each written listing, unless only its time of observation changed. `before`: null for a new listing. */
  onWritten?: ((before: StoredListing | null, after: StoredListing) => void) | undefined;
}

export interface BatchContext extends BatchOptions {
  alias: string;
  withdrawn: string;
  backoff: Backoff;
  /** The time of the load. It is later than that of every previous batch of the load. */
  now: Date;
  /** The observation time of records that state none; null: `now`. */
  observedAt: Date | null;
  /** Whether to write first and to read only on a conflict, which is cheaper while most listings are new. */
  expectNew: boolean;
  ownerOf: (source: string) => string;
  makerOf: ((name: string, brand: string | null) => InferredBrand) | undefined;
}

/** The number of version conflicts after which a listing is given up. Waiting for a blocked index is not limited. */
const MAX_CONFLICTS = 20;

interface BatchEntry {
  index: number;
  group: RecordGroup;
  attempt: number;
  id: number;
  /** The stored listing; null if there is none; undefined if it has not been read yet. */
  found: VersionedListing | null | undefined;
  /** When the listing was withdrawn; null if it was not; undefined if this has not been read yet. */
  withdrawnAt: string | null | undefined;
}

/**
 * Loads a batch with one request for each step: reads the stored listings, applies the records and writes the results. Listings
 * that others changed in between are processed again. @returns a result for each listing, in order.
 */
export async function mergeBatch(groups: readonly RecordGroup[], context: BatchContext) {
  const results: GroupResult[] = [];
  let open: BatchEntry[] = groups.map((group, index) => ({
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
        results[index] = { reason: 'record: other loads keep changing its listing' };
      break;
    }
    await locate(open, context);
    // The schema is read for each batch, because a reindex may move the alias to another index during a load.
    const schema = await context.backoff.retry(() => schemaVersionOf(context.es, context.alias));
    const accepted = open.filter((entry) => {
      const reason = refusalOf(entry, context);
      if (reason !== null) results[entry.index] = { reason };
      return reason === null;
    });
    const merged = accepted.map((entry) => ({
      entry,
      over: entry.found ?? null,
      ...mergeRecords(entry, { ...context, schema }),
    }));
    for (const { entry, outcomes } of merged) results[entry.index] = { outcomes };
    const writes = context.dryRun ? [] : merged.filter(({ over, listing }) => listing !== over?.listing);
    const written = await storeListings(context.es, context.alias, writes, context.backoff);
    open = [];
    for (const [position, result] of written.entries()) {
      const one = writes[position];
      if (one === undefined) continue;
      const { entry, over, listing, outcomes } = one;
      const isChanged = outcomes.some((outcome) => outcome !== 'unchanged');
      if (result === 'written') {
        if (isChanged) context.onWritten?.(over?.listing ?? null, listing);
      } else if (result === 'conflict' || result === 'blocked')
        open.push({ ...entry, found: undefined, withdrawnAt: undefined });
      else results[entry.index] = { reason: `record: ${result.rejected}` };
    }
    if (!written.includes('blocked')) conflicts += 1;
  }
  return results;
}

async function locate(entries: BatchEntry[], context: BatchContext): Promise<void> {
  do await locateListings(entries, context);
  while (await locateTombstones(entries, context));
}

async function locateListings(entries: BatchEntry[], { es, alias, backoff, ids }: BatchContext) {
  let open = entries.filter(({ found }) => found === undefined);
  while (open.length > 0) {
    const wanted = open.map(({ id }) => id);
    const stored = await readListings(es, alias, wanted, backoff);
    for (const [position, entry] of open.entries()) {
      const versioned = stored[position] ?? null;
      if (versioned === null || isOf(entry, versioned.listing)) entry.found = versioned;
      else tryNextId(entry, ids);
    }
    open = open.filter(({ found }) => found === undefined);
  }
}

/** @returns whether an id that seemed free belongs to another withdrawn listing. */
async function locateTombstones(entries: BatchEntry[], context: BatchContext): Promise<boolean> {
  const { es, withdrawn, backoff, ids } = context;
  const open = entries.filter(({ found, withdrawnAt }) => found === null && withdrawnAt === undefined);
  const wanted = open.map(({ id }) => id);
  const tombstones = await readTombstones(es, withdrawn, wanted, backoff);
  let isTaken = false;
  for (const entry of open) {
    const tombstone = tombstones.get(entry.id);
    if (tombstone === undefined || isOf(entry, tombstone)) {
      entry.withdrawnAt = tombstone?.withdrawn_at ?? null;
      continue;
    }
    tryNextId(entry, ids);
    entry.found = undefined;
    isTaken = true;
  }
  return isTaken;
}

const isOf = ({ group }: BatchEntry, { source, sku }: { source: string; sku: string }): boolean =>
  group.source === source && group.sku === sku;

function tryNextId(entry: BatchEntry, ids: bigint | undefined): void {
  const { source, sku } = entry.group;
  entry.attempt += 1;
  entry.id = listingId(source, sku, entry.attempt, ids);
}

/** Why records are refused: they are older than the listing's withdrawal, or patch a listing that does not exist; else null. */
function refusalOf({ withdrawnAt, group, found }: BatchEntry, { now, observedAt }: BatchContext) {
  if (found === null && group.entries.some(({ record }) => record.stated !== undefined))
    return 'record: the listing does not exist, and a patch does not create it';
  const time = formatInstant((observedAt ?? now).getTime());
  const isLater = ({ last_checked }: FeedRecord) =>
    !withdrawnAt || compareInstants(withdrawnAt, last_checked ?? time) < 0;
  const isRefused = !group.entries.some(({ record }) => isLater(record));
  return isRefused ? 'record: its listing was withdrawn after this was observed' : null;
}

function mergeRecords(
  { group, id, found }: BatchEntry,
  { makerOf, ownerOf, run, schema, ...context }: BatchContext & { schema: number },
) {
  const { now, observedAt, affiliateTemplates, declaredHistory = false } = context;
  let listing = found?.listing ?? null;
  const outcomes: MergeOutcome[] = [];
  for (const { record, item } of group.entries) {
    const applied = applyRecord(listing, record, {
      id,
      now,
      observedAt,
      affiliateTemplates,
      declaredHistory,
      // Makers are not inferred if the index has an earlier schema, because it has no field for them.
      makerOf: schema < MAKERS_SCHEMA ? undefined : makerOf,
      owner: ownerOf(group.source),
      schema,
      place: run === undefined ? undefined : { run, line: item.line, file: item.file },
    });
    listing = applied.listing;
    outcomes.push(applied.outcome);
  }
  if (listing === null) throw new Error('a group without records');
  return { listing, outcomes };
}
