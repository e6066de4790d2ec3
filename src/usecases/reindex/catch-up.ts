import type { estypes } from '@elastic/elasticsearch';
import type { AliasMove } from '../../engine/alias-move.js';
import { refreshFully, writesOf } from '../../engine/generations.js';
import { sendOperations } from '../../engine/listing-store.js';
import { searchPages } from '../../engine/search-pages.js';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { isCurrentFor, listingFor } from '../../listing/derived.js';
import type { StoredListing } from '../../listing/listing.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import { awaitCopy, type Copy, type CopyCounts, startCopy, writtenAfter } from './copy.js';
import { backoffOf, moveOf, type ReindexRun, saveMove } from './run.js';

/** If a pass took at most this time, the next one is the last: loads wait during it, and it will be about as short. */
const SHORT_PASS_MS = 2_000;
/** The last pass, during which loads wait, also begins after a pass that copied at most this number of listings. */
const SMALL_PASS = 1_000;
/** The maximum duration of the last of `MAX_PASSES` passes, because loads wait for about as long. */
const TOLERABLE_PASS_MS = 30_000;
const MAX_PASSES = 10;
const PAGE = 1_000;

/**
 * Copies the listings that the new index lacks, and again those that were written meanwhile, until a pass takes almost no time.
 * Reports listings after the first pass, and then writes. @throws OperationError if loads write as fast as Elasticsearch copies.
 */
export async function catchUp(run: ReindexRun): Promise<void> {
  for (let pass = 1; ; pass++) {
    const started = performance.now();
    const { to, covered } = moveOf(run);
    const { written, present } = await copyOnce(run, run.signal);
    const took = performance.now() - started;
    if (covered < 0) run.report(`copied ${formatCount(present)} listings to ${to}`);
    else if (pass > 1 || written > 0) run.report(`caught up with ${formatCount(written)} writes`);
    if (took < SHORT_PASS_MS || written <= SMALL_PASS) return;
    if (pass >= MAX_PASSES && took < TOLERABLE_PASS_MS) return;
    if (pass >= MAX_PASSES)
      throw new OperationError(
        'Loads write as fast as Elasticsearch copies. Run this again when fewer loads run; it continues from here.',
      );
  }
}

/** Copies what was written after the covered sequence number. Continues a running copy, or starts one if it is lost. */
export async function copyOnce(run: ReindexRun, signal: AbortSignal): Promise<CopyCounts> {
  const { from, to, covered } = moveOf(run);
  const started = performance.now();
  const display = run.showProgress(covered < 0 ? `copying to ${to}` : 'catching up');
  const copy: Copy = {
    es: run.es,
    from,
    to,
    signal,
    backoff: backoffOf({ report: display.line }, signal),
    onProgress(done, total) {
      const rate = formatCount(Math.round((done * 1000) / (performance.now() - started)));
      const note = `${formatCount(done)} of ${formatCount(total)} listings`;
      display.update({ share: total === 0 ? null : done / total, note, rate: `${rate}/s` });
    },
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      const running = moveOf(run).running ?? (await begin(run, copy));
      const copied = await awaitCopy(copy, running.task);
      if (copied !== null) {
        await fillIn(copy, run.filled, moveOf(run).kind);
        await saveMove(run, { covered: running.covers, running: null });
        return copied;
      }
      await saveMove(run, { running: null });
    }
  } finally {
    display.stop();
  }
}

async function begin(run: ReindexRun, copy: Copy): Promise<{ task: string; covers: number }> {
  const { es, from, to, backoff } = copy;
  // Copying into a deleted index would create it again, with dynamic mappings.
  if (!(await backoff.retry(() => es.indices.exists({ index: to }))))
    throw new OperationError(`${to} was deleted; run this again.`);
  // The index is refreshed after its sequence number was read, so that the copy sees all writes up to it.
  const { covered: covers } = await backoff.retry(() => writesOf(es, from));
  await refreshFully(es, from, backoff);
  const task = await backoff.retry(() => startCopy(copy, moveOf(run).covered));
  await saveMove(run, { running: { task, covers } });
  return { task, covers };
}

/**
 * Adds the fields of the new schema to the copied listings. Also recomputes the computed fields of listings that another version of
 * the service, or one with other `MARKETS`, has written. The version numbers of the listings stay the same, so that later passes
 * see which copy is newer. A rollback recomputes nothing.
 * @param filled for each index, the sequence number up to which this run has added the fields.
 */
async function fillIn(
  { es, from, to, backoff, signal, onProgress }: Copy,
  filled: Map<string, number>,
  kind: AliasMove['kind'],
) {
  const schema = await backoff.retry(() => schemaVersionOf(es, to));
  const isEarlier = (await backoff.retry(() => schemaVersionOf(es, from))) < schema;
  if (kind === 'rollback' && !isEarlier) return;
  await refreshFully(es, to, backoff);
  const query = writtenAfter(filled.get(to) ?? -1);
  const { count } = await backoff.retry(() => es.count({ index: to, query }));
  let done = 0;
  const request = { index: to, query, size: PAGE, sort: [{ id: 'asc' as const }], version: true };
  for await (const hits of searchPages<StoredListing>(es, request, { backoff })) {
    signal.throwIfAborted();
    const operations = hits.flatMap((hit) => fillOperation(to, hit, schema));
    const answers = operations.length === 0 ? [] : await sendOperations(es, to, operations, backoff);
    const failed = answers.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw new OperationError(`${to} rejects a listing: ${failed.error?.reason}`);
    done += hits.length;
    onProgress(done, count);
  }
  filled.set(to, (await backoff.retry(() => writesOf(es, to))).covered);
}

function fillOperation(
  index: string,
  { _id, _source: listing, _version: version }: estypes.SearchHit<StoredListing>,
  schema: number,
): string[] {
  if (listing === undefined || isCurrentFor(schema, listing.internal)) return [];
  const before = JSON.stringify(listing);
  const after = JSON.stringify(listingFor(schema, listing));
  if (after === before) return [];
  const action = { _index: index, require_alias: false, _id, version, version_type: 'external_gte' };
  return [`${JSON.stringify({ index: action })}\n${after}`];
}
