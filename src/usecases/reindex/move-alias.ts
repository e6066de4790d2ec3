import type { StoredListing } from '../../listing/listing.js';
import { OperationError, StoppedError } from '../../platform/operation-errors.js';
import { LeaseLostError } from '../../engine/lease.js';
import {
  blockWrites,
  liftBlock,
  readGenerations,
  refreshFully,
  showWrites,
  swapAlias,
  writesOf,
} from '../../engine/generations.js';
import { formatCount, formatDuration } from '../../text/quantities.js';
import { movedState } from '../../engine/alias-move.js';
import { sampleIds } from '../../engine/index-samples.js';
import { catchUp, copyOnce } from './catch-up.js';
import { compareCounts, compareListings, recentIds } from './compare-listings.js';
import {
  compareAnswers,
  compareSearches,
  describeChanges,
  exactQueries,
  goldenSearches,
  meanOverlap,
  MIN_OVERLAP,
} from './golden-queries.js';
import { backoffOf, moveOf, type ReindexRun, saveMove } from './run.js';

const SAMPLED_LISTINGS = 500;
const GOLDEN_LISTINGS = 20;
const MAX_REPORTED_FINDINGS = 10;
/** The maximum time for which loads wait while writes are blocked; then they continue with the old index. */
const LONGEST_BLOCK_MS = 120_000;
const RECOVERY_MS = 5 * 60_000;

class VerificationError extends StoppedError {
  override name = 'VerificationError';
}

/**
 * Moves the alias to a new index without losing a write: copies and catches up while loads continue, then blocks writes to the
 * old index, copies the last ones, verifies the new index, and moves the alias in one step. Loads wait meanwhile, and then read
 * their listings again. The old index stays blocked, so that no late write can land in it. The run may be killed at any moment:
 * the state in the lease tells the next run where to continue.
 * @throws VerificationError, which leaves the alias where it was; OperationError if it cannot be moved now.
 */
export async function moveAlias(run: ReindexRun): Promise<void> {
  const started = performance.now();
  if (moveOf(run).phase === 'swapping') {
    const { live, others } = await readGenerations(run.es, run.alias);
    const { from, to } = moveOf(run);
    // An earlier run has verified the new index already, and the old one has rejected writes since then.
    if (live.index === from && live.writeBlocked && others.some(({ index }) => index === to))
      return completeMove(run, (await writesOf(run.es, to)).covered, started);
  }
  const { kind, phase } = moveOf(run);
  await catchUp(run);
  await untilComplete(run);
  const { ids, golden } = await takeSamples(run);
  const suspects = kind === 'reindex' ? await trySearches(run, golden) : [];
  const blockedSince = performance.now();
  try {
    if (phase !== 'blocked') await saveMove(run, { phase: 'blocked' });
    const covered = await blockAndVerify(run, { ids, golden, suspects });
    await saveMove(run, { phase: 'swapping' });
    await completeMove(run, covered, blockedSince);
  } catch (error) {
    await backOut(run, error);
    throw error;
  }
}

async function completeMove(run: ReindexRun, covered: number, blockedSince: number): Promise<void> {
  const { es, alias } = run;
  const { from, to } = moveOf(run);
  const swap = await swapAlias(es, { alias, from, to }, backoffOf(run));
  if (!swap.moved) {
    // If the earlier request to move the alias may still succeed, the write block must stay. The next run continues from here.
    if (!swap.pending) await saveMove(run, { phase: 'blocked' });
    throw swap.error;
  }
  const waited = formatDuration(performance.now() - blockedSince);
  run.report(`${alias} now points to ${to}; loads waited for ${waited}`);
  await run.lease.save(movedState(run.lease.state, { from, to }, covered));
}

/** Makes every document of the new index visible, and waits until it has as many shard copies as the old index. */
async function untilComplete(run: ReindexRun): Promise<void> {
  const { es, signal } = run;
  const { from, to } = moveOf(run);
  await showWrites(es, to);
  await refreshFully(es, to, backoffOf(run, signal));
  const { status } = await es.cluster.health({ index: from });
  for (const since = performance.now(); performance.now() - since < RECOVERY_MS;) {
    signal.throwIfAborted();
    const health = await es.cluster.health({ index: to, wait_for_status: status, timeout: '10s' });
    if (!health.timed_out) return;
    run.report(`${to} is ${health.status}; waiting until it is ${status} like ${from}`);
  }
  throw new OperationError(`${to} does not become ${status}; run this again when the cluster has recovered.`);
}

async function takeSamples(run: ReindexRun): Promise<{ ids: string[]; golden: StoredListing[] }> {
  const { es, now } = run;
  const { from, covered: upTo } = moveOf(run);
  const seed = now().getTime() % 2 ** 31;
  // Only listings that have been copied already are sampled, because later ones are copied at the end.
  const ids = await sampleIds(es, from, { size: SAMPLED_LISTINGS, seed, upTo });
  if (ids.length === 0) return { ids, golden: [] };
  const { docs } = await es.mget<StoredListing>({ index: from, ids: ids.slice(0, GOLDEN_LISTINGS) });
  return { ids, golden: docs.flatMap((doc) => ('_source' in doc ? (doc._source ?? []) : [])) };
}

/** Runs the golden searches before writes are blocked, because they take time. @returns those with different results so far. */
async function trySearches(run: ReindexRun, golden: StoredListing[]): Promise<string[]> {
  const { from, to } = moveOf(run);
  for (const line of await run.checkRelevance(from, to)) run.report(line);
  const changed = await compareSearches(run.firstPage, goldenSearches(golden), from, to);
  return changed.map(({ query }) => query);
}

async function verifySearches(run: ReindexRun, suspects: string[], total: number): Promise<void> {
  const { from, to } = moveOf(run);
  const changed = await compareSearches(run.firstPage, suspects, from, to);
  if (changed.length > 0) run.report(describeChanges(changed, total));
  if (meanOverlap(changed, total) >= MIN_OVERLAP || run.acceptDifferences) return;
  throw answersDiffer(
    ` fewer than ${MIN_OVERLAP * 100} % of the listings that its golden searches find are the same`,
  );
}

/** Copies the last writes and verifies the new index. @returns its sequence number up to which both have the same writes. */
async function blockAndVerify(
  run: ReindexRun,
  { ids, golden, suspects }: { ids: string[]; golden: StoredListing[]; suspects: string[] },
): Promise<number> {
  const { es, now } = run;
  const { from, to, kind, covered: before } = moveOf(run);
  const deadline = AbortSignal.timeout(LONGEST_BLOCK_MS);
  const signal = AbortSignal.any([run.signal, deadline]);
  try {
    await blockWrites(es, from);
    const { count } = await writesOf(es, from);
    const { written: last } = await copyOnce(run, signal);
    await refreshFully(es, to, backoffOf(run, signal));
    const compared = [...new Set([...ids, ...(await recentIds(es, from, before))])];
    const wrong = [
      ...(await compareCounts(es, from, to)),
      ...(await compareListings(es, from, to, compared)),
    ];
    if (wrong.length > 0) throw differs(run, wrong);
    const queries = kind === 'reindex' ? exactQueries(es, golden, now()) : [];
    signal.throwIfAborted();
    const different = await compareAnswers(queries, from, to);
    if (different.length > 0) {
      // A changed mapping may be meant to change results, so the operator can accept the differences.
      if (!run.acceptDifferences) throw answersDiffer(`\n${findingsText(different)}`);
      run.report(`accepted:\n${findingsText(different)}`);
    }
    const searches = kind === 'reindex' ? goldenSearches(golden).length : 0;
    await verifySearches(run, suspects, searches);
    if ((await writesOf(es, from)).count !== count)
      throw new OperationError(`Somebody lifted the write block of ${from}; run this again.`);
    signal.throwIfAborted();
    run.report(
      `verified: counts, ${formatCount(compared.length)} listings field by field, ${queries.length + searches} golden queries; ${formatCount(last)} last writes`,
    );
    return (await writesOf(es, to)).covered;
  } catch (error) {
    if (deadline.aborted && !run.signal.aborted)
      throw new OperationError('The last writes took too long to copy and verify; run this again.', {
        cause: error,
      });
    throw error;
  }
}

function differs(run: ReindexRun, findings: string[]): VerificationError {
  const { kind, from, to } = moveOf(run);
  const wayOut = {
    reindex: 'npm run reindex begins again with an empty index.',
    rollback: `To stay there, npm run reindex -- --clean deletes ${to}.`,
  };
  return new VerificationError(
    `${to} does not have the listings of ${from}:\n${findingsText(findings)}\nThe alias stays at ${from}, and loads continue there. ${wayOut[kind]}`,
  );
}

function answersDiffer(how: string): StoppedError {
  return new StoppedError(
    `The new index gives different answers:${how}\nThe alias stays where it is. To accept the differences: npm run reindex -- --accept-differences`,
  );
}

function findingsText(findings: string[]): string {
  const more = findings.length - MAX_REPORTED_FINDINGS;
  const lines = findings.slice(0, MAX_REPORTED_FINDINGS).map((finding) => `  ${finding}`);
  return [...lines, ...(more > 0 ? [`  and ${formatCount(more)} more`] : [])].join('\n');
}

/** Lifts the write block, so that loads continue with the old index, unless the alias may still move to the new one. */
async function backOut(run: ReindexRun, error: unknown): Promise<void> {
  const { es, lease } = run;
  if (error instanceof LeaseLostError || lease.state.move?.phase !== 'blocked') return;
  const { from } = moveOf(run);
  try {
    await lease.renew();
    await backoffOf(run).retry(() => liftBlock(es, from));
    await saveMove(run, {
      phase: 'copying',
      ...(error instanceof VerificationError ? { mappings: 'not to be trusted' } : {}),
    });
  } catch (failure) {
    // The error that ended the move is reported by the caller.
    run.report(`${from} may still block writes (${(failure as Error).message}); run this again soon`);
  }
}
