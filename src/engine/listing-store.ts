import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import { DISK_FULL, isDiskFull } from './disk-full.js';
import { isRefusal, type Backoff } from './backoff.js';

/** The very version of a listing that was read. */
export interface Version {
  /** The index itself, not its alias. */
  index: string;
  seqNo: number;
  primaryTerm: number;
}

/** A listing as it was read, with what a conditional write needs. */
export interface Versioned extends Version {
  listing: StoredListing;
}

/** One write: of a new listing, or over the version that was read. */
export interface Write {
  listing: StoredListing;
  /** null: there must be none yet. */
  over: Version | null;
}

/**
 * `conflict`: there is another version, or one at all. `blocked`: the index took no writes. `rejected`: the engine
 * will never take it, with its reason.
 */
export type WriteResult = 'written' | 'conflict' | 'blocked' | { rejected: string };

/** Only what tells how each item fared; the rest of a bulk answer is most of it. */
const BULK_ANSWER = ['items.*.status', 'items.*.error.type', 'items.*.error.reason'];

/** Reads listings, realtime. @returns in the order of the ids; null: there is none. */
export async function readListings(
  es: Client,
  alias: string,
  ids: readonly number[],
  backoff: Backoff,
): Promise<(Versioned | null)[]> {
  for (;;) {
    const { docs } = await backoff.retry(() =>
      es.mget<StoredListing>({ index: alias, ids: ids.map(String) }),
    );
    const failure = docs.map(failureOf).find((type) => type !== undefined);
    if (failure === undefined) return docs.map(toVersioned);
    await backoff.wait(failure);
  }
}

/** Without a catalogue there is no listing: that is no failure of a read. */
function failureOf(doc: estypes.MgetResponseItem<StoredListing>): string | undefined {
  return 'error' in doc && doc.error.type !== 'index_not_found_exception' ? doc.error.type : undefined;
}

function toVersioned(doc: estypes.MgetResponseItem<StoredListing>): Versioned | null {
  if ('error' in doc || !doc.found || doc._source === undefined) return null;
  const { _index: index, _source: listing, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = doc;
  return { index, listing, seqNo, primaryTerm };
}

/** Long price histories make some listings a hundred times as long as others; the engine takes 100 MB at once. */
const MAX_BULK_CHARACTERS = 16 * 1024 * 1024;

/**
 * Writes listings, again and again those that the engine refuses for now. Where the index takes no writes at all, it
 * waits a while and leaves the rest to the caller, who must read again: the alias may lead to another index by then.
 * @returns in the order of the writes.
 */
export async function writeListings(
  es: Client,
  alias: string,
  writes: readonly Write[],
  backoff: Backoff,
): Promise<WriteResult[]> {
  const items = await sendOperations(es, alias, writes.map(toOperation), backoff);
  const results = items.map(toResult);
  if (results.includes('blocked')) await backoff.wait('its index takes no writes: cluster_block_exception');
  return results;
}

/**
 * Sends bulk operations, again and again those that an overloaded engine refuses. The backoff is reset by whatever is taken.
 * @param operations the action's line and the document's; to the alias, where the action names no index.
 * @returns the engine's answers in the order of the operations, refusals by a block among them.
 */
export async function sendOperations(
  es: Client,
  alias: string,
  operations: readonly string[],
  backoff: Backoff,
): Promise<estypes.BulkResponseItem[]> {
  const answers: estypes.BulkResponseItem[] = [];
  let open = operations.map((operation, index) => ({ index, operation }));
  while (open.length > 0) {
    const next = firstOf(open);
    const { items } = await backoff.retry(() =>
      es.bulk({
        index: alias,
        require_alias: true,
        operations: next.map(({ operation }) => operation),
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

function firstOf<T extends { operation: string }>(open: T[]): T[] {
  let characters = 0;
  const end = open.findIndex(({ operation }) => (characters += operation.length) > MAX_BULK_CHARACTERS);
  return end < 0 ? open : open.slice(0, Math.max(end, 1));
}

/**
 * The action's line and the document's, ready to send. A sequence number means something in its own index alone: sent
 * to the alias, it might by chance be that of another version in the index that a reindex has put there meanwhile.
 */
function toOperation({ listing, over }: Write): string {
  const action =
    over === null
      ? `{"create":{"_id":"${listing.id}"}}`
      : `{"index":{"_index":"${over.index}","require_alias":false,"_id":"${listing.id}","if_seq_no":${over.seqNo},"if_primary_term":${over.primaryTerm}}}`;
  return `${action}\n${JSON.stringify(listing)}`;
}

/** A block is lifted again, or the alias leads elsewhere: by a reindex, or by the engine when there is room on the disk. */
export function isBlocked({ error }: estypes.BulkResponseItem): boolean {
  return error?.type === 'cluster_block_exception';
}

function toResult(answer: estypes.BulkResponseItem): WriteResult {
  const { status, error } = answer;
  if (error === undefined) return 'written';
  if (status === 409) return 'conflict';
  if (isBlocked(answer)) return 'blocked';
  // Nothing is wrong with the listing: there is no catalogue, or no permission.
  if (status !== 400) throw new Error(`Elasticsearch takes no listings: ${error.reason ?? error.type}`);
  return { rejected: `${error.type} ${JSON.stringify(error.reason ?? '')}` };
}
