import type { Client, estypes } from '@elastic/elasticsearch';
import { recordChanges } from '../listing/changes.js';
import { formatInstant } from '../listing/instant.js';
import type { StoredListing } from '../listing/listing.js';
import { DISK_FULL, isDiskFull } from './disk-full.js';
import { isRefusal, type Backoff } from './backoff.js';

/** The version of a stored listing, on which a write can be made conditional. */
export interface ListingVersion {
  /** The name of the index that contains the listing, which is not its alias. */
  index: string;
  seqNo: number;
  primaryTerm: number;
}

export interface VersionedListing extends ListingVersion {
  listing: StoredListing;
}

/** The creation of a listing, or the replacement of one version of it. */
export interface ListingWrite {
  listing: StoredListing;
  /** The version of the listing to replace; null to create a listing that must not exist yet. */
  over: VersionedListing | null;
  /** Whether the write links the listing with others, which is a change of its group even if its group has the same id. */
  joins?: boolean;
}

/**
 * The outcome of a write. `conflict`: the stored version is not the one to replace, or the listing exists already. `blocked`:
 * the index has a write block. `rejected`: Elasticsearch will never accept it, with the reason.
 */
export type WriteResult = 'written' | 'conflict' | 'blocked' | { rejected: string };

const BULK_ANSWER = [
  'items.*._seq_no',
  'items.*._primary_term',
  'items.*.status',
  'items.update.result',
  'items.*.error.type',
  'items.*.error.reason',
];

/** Reads listings by id, and retries until Elasticsearch answers; null where no listing has the id. */
export async function readListings(
  es: Client,
  alias: string,
  ids: readonly number[],
  backoff: Backoff,
): Promise<(VersionedListing | null)[]> {
  for (;;) {
    const { docs } = await backoff.retry(() =>
      es.mget<StoredListing>({ index: alias, ids: ids.map(String) }),
    );
    const failure = docs.map(failureOf).find((type) => type !== undefined);
    if (failure === undefined) return docs.map(toVersioned);
    await backoff.wait(failure);
  }
}

/** The type of the error of a read; undefined without one. A missing index is none: without a catalogue, no listing exists. */
function failureOf(doc: estypes.MgetResponseItem<StoredListing>): string | undefined {
  return 'error' in doc && doc.error.type !== 'index_not_found_exception' ? doc.error.type : undefined;
}

function toVersioned(doc: estypes.MgetResponseItem<StoredListing>): VersionedListing | null {
  if ('error' in doc || !doc.found || doc._source === undefined) return null;
  const { _index: index, _source: listing, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = doc;
  return { index, listing, seqNo, primaryTerm };
}

/** The maximum length of a bulk request in characters: listings with long price histories are a hundred times as long as others. */
const MAX_BULK_CHARACTERS = 16 * 1024 * 1024;

/**
 * Writes listings with a record of what changes in each, and retries those that an overloaded Elasticsearch rejects. If the
 * index has a write block, this waits once and returns: the caller must read the listings again, because the alias may point to
 * another index by then.
 * @returns the outcomes in the order of the writes.
 */
export async function storeListings(
  es: Client,
  alias: string,
  writes: readonly ListingWrite[],
  backoff: Backoff,
  now = () => new Date(),
): Promise<WriteResult[]> {
  const at = formatInstant(now().getTime());
  const operations = writes.map((write) => toOperation(write, at));
  const items = await sendOperations(es, alias, operations, backoff);
  const results = items.map(toResult);
  if (results.includes('blocked'))
    await backoff.wait('its index is blocked for writes: cluster_block_exception');
  return results;
}

/**
 * Sends bulk operations, and retries those that an overloaded Elasticsearch rejects. @param options.refresh for later searches.
 * @param operations the action line and the document line of each. An action that names no index goes to the alias.
 * @returns the answers in the order of the operations, including rejections by a write block.
 */
export async function sendOperations(
  es: Client,
  alias: string,
  operations: readonly string[],
  backoff: Backoff,
  { refresh = false }: { refresh?: boolean } = {},
): Promise<estypes.BulkResponseItem[]> {
  const answers: estypes.BulkResponseItem[] = [];
  let open = operations.map((operation, index) => ({ index, operation }));
  while (open.length > 0) {
    const next = firstRequestOf(open);
    const { items } = await backoff.retry(() =>
      es.bulk({
        index: alias,
        require_alias: true,
        operations: next.map(({ operation }) => operation),
        ...(refresh && { refresh }),
        filter_path: BULK_ANSWER,
      }),
    );
    const refused: typeof open = [];
    let reason = '';
    for (const [position, item] of items.entries()) {
      const answer = item.create ?? item.index ?? item.update ?? item.delete;
      const sent = next[position];
      if (answer === undefined || sent === undefined) continue;
      if (isRefusal(answer.status)) {
        refused.push(sent);
        const { type } = answer.error ?? {};
        reason = isDiskFull(answer.status, type) ? DISK_FULL : (type ?? String(answer.status));
      } else {
        answers[sent.index] = answer;
        if (!isBlocked(answer)) backoff.reset();
      }
    }
    open = [...refused, ...open.slice(next.length)];
    if (refused.length > 0) await backoff.wait(reason);
  }
  return answers;
}

/**
 * Sends updates that every run computes anew. A listing is left to the next run if it changed (409, or a script that therefore
 * did nothing), was withdrawn or its index was replaced (404), or its index is blocked for writes (403).
 * @returns how many listings were changed, and how many are left.
 */
export async function sendUpdates(
  es: Client,
  alias: string,
  updates: readonly string[],
  backoff: Backoff,
): Promise<{ changed: number; left: number }> {
  const counts = { changed: 0, left: 0 };
  for (const { error, status, result } of await sendOperations(es, alias, updates, backoff)) {
    if (result === 'noop' || [403, 404, 409].includes(status)) counts.left += 1;
    else if (error === undefined) counts.changed += 1;
    else throw new Error(`Elasticsearch refused an update: ${error.type}: ${error.reason ?? ''}`);
  }
  return counts;
}

/** The operations at the beginning of the list that fit into one bulk request; at least one. */
function firstRequestOf<T extends { operation: string }>(open: T[]): T[] {
  let characters = 0;
  const end = open.findIndex(({ operation }) => (characters += operation.length) > MAX_BULK_CHARACTERS);
  return end < 0 ? open : open.slice(0, Math.max(end, 1));
}

/** A conditional write names its index instead of the alias, because a version is valid only in its index. */
function toOperation({ listing, over, joins }: ListingWrite, at: string): string {
  const { internal } = listing;
  // A listing of an earlier schema has no field for what a write changes.
  const document =
    internal.changes === undefined
      ? listing
      : { ...listing, internal: { ...internal, changes: recordChanges(over, listing, at, joins) } };
  const action =
    over === null
      ? `{"create":{"_id":"${listing.id}"}}`
      : `{"index":{"_index":"${over.index}","require_alias":false,"_id":"${listing.id}","if_seq_no":${over.seqNo},"if_primary_term":${over.primaryTerm}}}`;
  return `${action}\n${JSON.stringify(document)}`;
}

/** Whether a reindex, an operator or a full disk has blocked writes to the index. */
export const isBlocked = ({ error }: estypes.BulkResponseItem): boolean =>
  error?.type === 'cluster_block_exception';

function toResult(answer: estypes.BulkResponseItem): WriteResult {
  const { status, error } = answer;
  if (error === undefined) return 'written';
  if (status === 409) return 'conflict';
  if (isBlocked(answer)) return 'blocked';
  // A missing catalogue or permission concerns the whole load and not only this listing.
  if (status !== 400) throw new Error(`Elasticsearch rejects listings: ${error.reason ?? error.type}`);
  return { rejected: `${error.type} ${JSON.stringify(error.reason ?? '')}` };
}
