import type { estypes } from '@elastic/elasticsearch';
import { sendOperations } from '../../src/engine/listing-store.js';
import { schemaVersionOf } from '../../src/engine/schema-version.js';
import { listingFor } from '../../src/listing/derived.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { CommandError } from '../shared/exit.js';
import { type Copy, refreshFully, writesOf, writtenAfter } from './copy.js';

const PAGE = 1_000;

/**
 * Gives copied listings the fields that the new index's schema has beside those of the old one. The engine copies them
 * as they are; these are worked out here, by the very code that loads use. Versions stay, so that later passes still
 * know which listing is newer. To do it twice is the same as once.
 * @param filled how far this run has come with each index. What another run left is not known, and looked at anew.
 */
export async function fillIn(
  { es, from, to, backoff, signal, onProgress }: Copy,
  filled: Map<string, number>,
): Promise<void> {
  const schema = await backoff.retry(() => schemaVersionOf(es, to));
  if ((await backoff.retry(() => schemaVersionOf(es, from))) >= schema) return;
  await refreshFully(es, to, backoff);
  const query = writtenAfter(filled.get(to) ?? -1);
  const { count } = await backoff.retry(() => es.count({ index: to, query }));
  let done = 0;
  let last: estypes.SortResults | undefined;
  do {
    signal.throwIfAborted();
    const { hits } = (
      await backoff.retry(() =>
        es.search<StoredListing>({
          index: to,
          query,
          size: PAGE,
          sort: [{ id: 'asc' }],
          version: true,
          track_total_hits: false,
          allow_partial_search_results: false,
          ...(last === undefined ? {} : { search_after: last }),
        }),
      )
    ).hits;
    last = hits.at(-1)?.sort;
    const operations = hits.flatMap((hit) => operationOf(to, hit, schema));
    const answers = operations.length === 0 ? [] : await sendOperations(es, to, operations, backoff);
    const failed = answers.find(({ error }) => error !== undefined);
    if (failed !== undefined) {
      throw new CommandError(`${to} does not take a listing: ${failed.error?.reason}`);
    }
    done += hits.length;
    onProgress(done, count);
  } while (last !== undefined);
  filled.set(to, (await backoff.retry(() => writesOf(es, to))).covered);
}

/** @returns the write that completes a listing; nothing where it is complete. */
function operationOf(
  index: string,
  { _id, _source: listing, _version: version }: estypes.SearchHit<StoredListing>,
  schema: number,
): string[] {
  if (listing === undefined) return [];
  const before = JSON.stringify(listing);
  const after = JSON.stringify(listingFor(schema, listing));
  if (after === before) return [];
  const action = { _index: index, require_alias: false, _id, version, version_type: 'external_gte' };
  return [`${JSON.stringify({ index: action })}\n${after}`];
}
