import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from './listing.js';
import { isRefusal, type Patience } from './patience.js';

/** A listing as it was read, with what a conditional write needs. */
export interface Versioned {
  listing: StoredListing;
  seqNo: number;
  primaryTerm: number;
}

/** One write: of a new listing, or over the version that was read. */
export interface Write {
  listing: StoredListing;
  /** null: there must be none yet. */
  over: { seqNo: number; primaryTerm: number } | null;
}

/** `conflict`: there is another version, or one at all. `rejected`: the engine will never take it, with its reason. */
export type WriteResult = 'written' | 'conflict' | { rejected: string };

/** Only what tells how each item fared; the rest of a bulk answer is most of it. */
const BULK_ANSWER = ['items.*.status', 'items.*.error.type', 'items.*.error.reason'];

/** Reads listings, realtime. @returns in the order of the ids; null: there is none. */
export async function readListings(
  es: Client,
  alias: string,
  ids: readonly number[],
  patience: Patience,
): Promise<(Versioned | null)[]> {
  for (;;) {
    const { docs } = await patience.until(() =>
      es.mget<StoredListing>({ index: alias, ids: ids.map(String) }),
    );
    const failure = docs.map(failureOf).find((type) => type !== undefined);
    if (failure === undefined) return docs.map(toVersioned);
    await patience.wait(failure);
  }
}

/** Without a catalogue there is no listing: that is no failure of a read. */
function failureOf(doc: estypes.MgetResponseItem<StoredListing>): string | undefined {
  return 'error' in doc && doc.error.type !== 'index_not_found_exception' ? doc.error.type : undefined;
}

function toVersioned(doc: estypes.MgetResponseItem<StoredListing>): Versioned | null {
  if ('error' in doc || !doc.found || doc._source === undefined) return null;
  return { listing: doc._source, seqNo: doc._seq_no ?? 0, primaryTerm: doc._primary_term ?? 0 };
}

/** Long price histories make some listings a hundred times as long as others; the engine takes 100 MB at once. */
const MAX_BULK_CHARACTERS = 16 * 1024 * 1024;

/** Writes listings, again and again those that the engine refuses for now. @returns in the order of the writes. */
export async function writeListings(
  es: Client,
  alias: string,
  writes: readonly Write[],
  patience: Patience,
): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  let open = writes.map((write, index) => ({ index, operation: toOperation(write) }));
  while (open.length > 0) {
    const next = firstOf(open);
    const { items } = await patience.until(() =>
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
      const answer = item.create ?? item.index;
      const write = next[position];
      if (answer === undefined || write === undefined) continue;
      if (isRefused(answer)) {
        refused.push(write);
        reason = answer.error?.type ?? String(answer.status);
      } else results[write.index] = toResult(answer);
    }
    open = [...refused, ...open.slice(next.length)];
    if (refused.length > 0) await patience.wait(reason);
  }
  return results;
}

function firstOf<T extends { operation: string }>(open: T[]): T[] {
  let characters = 0;
  const end = open.findIndex(({ operation }) => (characters += operation.length) > MAX_BULK_CHARACTERS);
  return end < 0 ? open : open.slice(0, Math.max(end, 1));
}

/** The action's line and the document's, ready to send. */
function toOperation({ listing, over }: Write): string {
  const action =
    over === null
      ? `{"create":{"_id":"${listing.id}"}}`
      : `{"index":{"_id":"${listing.id}","if_seq_no":${over.seqNo},"if_primary_term":${over.primaryTerm}}}`;
  return `${action}\n${JSON.stringify(listing)}`;
}

/** A block is lifted again: by a reindex when it has swapped, by the engine when there is room on the disk. */
function isRefused({ status, error }: estypes.BulkResponseItem): boolean {
  return isRefusal(status) || error?.type === 'cluster_block_exception';
}

function toResult({ status, error }: estypes.BulkResponseItem): WriteResult {
  if (error === undefined) return 'written';
  if (status === 409) return 'conflict';
  // Nothing is wrong with the listing: there is no catalogue, or no permission.
  if (status !== 400) throw new Error(`Elasticsearch takes no listings: ${error.reason ?? error.type}`);
  return { rejected: `${error.type} ${JSON.stringify(error.reason ?? '')}` };
}
