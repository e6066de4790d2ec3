import type { StoredListing } from '../../src/listing/listing.js';
import { CommandError, StoppedError } from '../shared/exit.js';
import { LeaseLostError } from '../shared/lease.js';
import { formatCount, formatDuration } from '../shared/terminal.js';
import { catchUp, copyOnce } from './catch-up.js';
import { refreshFully, writesOf } from './copy.js';
import { blockWrites, liftBlock, readGenerations, showWrites } from './generations.js';
import { compareAnswers, exactQueries } from './golden.js';
import { checkFloors, compareJudged } from './judgements.js';
import { ALIKE, compareSearches, describeChanges, goldenSearches, meanOverlap } from './searches.js';
import { compareCounts, compareListings, recentIds, sampleIds } from './verify.js';
import { isDefinite, moveOf, backoffOf, saveMove, type Work } from './work.js';

const SAMPLED_LISTINGS = 500;
const GOLDEN_LISTINGS = 20;
const SHOWN_FINDINGS = 10;
/** Loads wait for minutes; if all is not done after this time, they go on with the old index. */
const LONGEST_BLOCK_MS = 120_000;
const RECOVERY_MS = 5 * 60_000;

/** What was found wrong with the new index. */
export class VerificationError extends StoppedError {
  override name = 'VerificationError';
}

/**
 * Moves the alias without losing a write: copies and catches up while loads go on; then has the old index refuse
 * writes, copies the last ones, verifies, and changes the alias in one step. Loads wait meanwhile and read again. The old
 * index stays blocked, so that no late write can land in it. Readers always have one of the two, complete.
 *
 * May end or be killed at any moment: the state in the lease tells the next run where to go on.
 * @throws VerificationError, and the alias is where it was; CommandError when it cannot be moved now.
 */
export async function moveAlias(work: Work): Promise<void> {
  const started = performance.now();
  if (moveOf(work).phase === 'swapping') {
    const { live, others } = await readGenerations(work.es, work.alias);
    const { from, to } = moveOf(work);
    // Verified by the run before, and nothing can have been written since.
    if (live.index === from && live.writeBlocked && others.some(({ index }) => index === to)) {
      return swapAndSettle(work, (await writesOf(work.es, to)).covered, started);
    }
  }
  const { to, kind, phase } = moveOf(work);
  const copied = await catchUp(work);
  if (copied > 0) work.say(`${to} has ${formatCount(copied)} listings that it did not have`);
  await complete(work);
  const samples = await takeSamples(work);
  const suspects = kind === 'reindex' ? await trySearches(work, samples.golden) : [];
  const heldSince = performance.now();
  try {
    if (phase !== 'blocked') await saveMove(work, { phase: 'blocked' });
    const covered = await holdAndVerify(work, samples, suspects);
    await saveMove(work, { phase: 'swapping' });
    await swapAndSettle(work, covered, heldSince);
  } catch (error) {
    await backOut(work, error);
    throw error;
  }
}

async function swapAndSettle(work: Work, covered: number, heldSince: number): Promise<void> {
  const { from, to } = moveOf(work);
  await swap(work);
  const held = formatDuration(performance.now() - heldSince);
  work.say(`${work.alias} now leads to ${to}; loads were held for ${held}`);
  await work.lease.save({ move: null, previous: { index: from, covered } });
}

/** Makes everything in `to` visible, and waits until it has as many copies as `from`. */
async function complete(work: Work): Promise<void> {
  const { es, signal } = work;
  const { from, to } = moveOf(work);
  await showWrites(es, to);
  await refreshFully(es, to, backoffOf(work, signal));
  const { status } = await es.cluster.health({ index: from });
  for (const since = performance.now(); performance.now() - since < RECOVERY_MS;) {
    signal.throwIfAborted();
    const health = await es.cluster.health({ index: to, wait_for_status: status, timeout: '10s' });
    if (!health.timed_out) return;
    work.say(`${to} is ${health.status}; waiting until it is as ${status} as ${from}`);
  }
  throw new CommandError(`${to} does not become ${status}; run this again when the cluster has recovered.`);
}

interface Samples {
  ids: string[];
  golden: StoredListing[];
}

async function takeSamples({ es, now, ...work }: Work): Promise<Samples> {
  const { from, covered: upTo } = moveOf({ es, now, ...work });
  const seed = now().getTime() % 2 ** 31;
  // Not the ones that loads add meanwhile: the new index has them only when all is done.
  const ids = await sampleIds(es, from, { size: SAMPLED_LISTINGS, seed, upTo });
  if (ids.length === 0) return { ids, golden: [] };
  const { docs } = await es.mget<StoredListing>({ index: from, ids: ids.slice(0, GOLDEN_LISTINGS) });
  return { ids, golden: docs.flatMap((doc) => ('_source' in doc ? (doc._source ?? []) : [])) };
}

/**
 * Before anything is held: searching takes its time, and it warms the new index up.
 * @returns the searches that are answered otherwise; perhaps only because loads go on.
 */
async function trySearches(work: Work, golden: StoredListing[]): Promise<string[]> {
  const { es, floors, judgements, say } = work;
  const { from, to } = moveOf(work);
  if (judgements !== null) say(await compareJudged(es, judgements, from, to));
  for (const line of await checkFloors(es, floors, to)) say(line);
  const changed = await compareSearches(es, goldenSearches(golden), from, to);
  return changed.map(({ query }) => query);
}

/** Again, now that both indices have the same listings. */
async function verifySearches(work: Work, suspects: string[], asked: number): Promise<void> {
  const { es, acceptDifferences, say } = work;
  const { from, to } = moveOf(work);
  const changed = await compareSearches(es, suspects, from, to);
  if (changed.length > 0) say(describeChanges(changed, asked));
  if (meanOverlap(changed, asked) >= ALIKE || acceptDifferences) return;
  throw otherwise(` fewer than ${ALIKE * 100} % of the listings that its golden searches find are the same`);
}

/** @returns up to which of the writes to come `from` has everything. */
async function holdAndVerify(work: Work, { ids, golden }: Samples, suspects: string[]): Promise<number> {
  const { es, now, say } = work;
  const { from, to, kind, covered: before } = moveOf(work);
  const deadline = AbortSignal.timeout(LONGEST_BLOCK_MS);
  const signal = AbortSignal.any([work.signal, deadline]);
  try {
    await blockWrites(es, from);
    const { count } = await writesOf(es, from);
    const last = await copyOnce(work, signal);
    await refreshFully(es, to, backoffOf(work, signal));
    const compared = [...new Set([...ids, ...(await recentIds(es, from, before))])];
    const wrong = [
      ...(await compareCounts(es, from, to)),
      ...(await compareListings(es, from, to, compared)),
    ];
    if (wrong.length > 0) throw new VerificationError(describe(wrong));
    const queries = kind === 'reindex' ? exactQueries(es, golden, now()) : [];
    signal.throwIfAborted();
    const different = await compareAnswers(queries, from, to);
    if (different.length > 0) report(work, different);
    const searches = kind === 'reindex' ? goldenSearches(golden).length : 0;
    await verifySearches(work, suspects, searches);
    if ((await writesOf(es, from)).count !== count) {
      throw new CommandError(`Somebody lifted the write block of ${from}; run this again.`);
    }
    signal.throwIfAborted();
    say(
      `verified: counts, ${formatCount(compared.length)} listings field by field, ${queries.length + searches} golden queries; ${formatCount(last)} last writes`,
    );
    return (await writesOf(es, to)).covered;
  } catch (error) {
    if (deadline.aborted && !work.signal.aborted) {
      throw new CommandError('The last writes took too long to copy and verify; run this again.', {
        cause: error,
      });
    }
    throw error;
  }
}

/** Findings that the operator may accept, since mappings are changed for a reason. */
function report({ acceptDifferences, say }: Work, findings: string[]): void {
  if (!acceptDifferences) throw otherwise(`\n${describe(findings)}`);
  say(`accepted:\n${describe(findings)}`);
}

function otherwise(how: string): StoppedError {
  return new StoppedError(
    `The new index answers otherwise than the old one:${how}\nThe alias stays where it is. If this is meant to be: npm run reindex -- --accept-differences`,
  );
}

function describe(findings: string[]): string {
  const more = findings.length - SHOWN_FINDINGS;
  const shown = findings.slice(0, SHOWN_FINDINGS).map((finding) => `  ${finding}`);
  return [...shown, ...(more > 0 ? [`  and ${formatCount(more)} more`] : [])].join('\n');
}

/** In one step, and only from where it is supposed to be. Goes on until it is known to have happened, or not. */
async function swap(work: Work): Promise<void> {
  const { es, alias } = work;
  const { from, to } = moveOf(work);
  const backoff = backoffOf(work);
  let certain = true;
  for (;;) {
    try {
      await es.indices.updateAliases(
        {
          actions: [
            { remove: { index: from, alias, must_exist: true } },
            { add: { index: to, alias, is_write_index: true } },
          ],
        },
        { maxRetries: 0 },
      );
      return;
    } catch (error) {
      const { live } = await backoff.retry(() => readGenerations(es, alias));
      if (live.index === to) return;
      certain &&= isDefinite(error);
      if (isDefinite(error)) {
        // One before it may still be under way: then the block must stay, and the next run goes on from here.
        if (certain) await saveMove(work, { phase: 'blocked' });
        throw error;
      }
      await backoff.wait('the alias could not be changed');
    }
  }
}

/** Lets loads go on with the old index, unless the alias may still be on its way to the new one. */
async function backOut(work: Work, error: unknown): Promise<void> {
  const { es, lease } = work;
  if (error instanceof LeaseLostError || lease.state.move?.phase !== 'blocked') return;
  const { from } = moveOf(work);
  try {
    await lease.touch();
    await backoffOf(work).retry(() => liftBlock(es, from));
    await saveMove(work, {
      phase: 'copying',
      ...(error instanceof VerificationError ? { mappings: 'not to be trusted' } : {}),
    });
  } catch (failure) {
    // What led here is what is to be told; this only says what it left behind.
    work.say(`${from} may still take no writes (${(failure as Error).message}); run this again soon`);
  }
}
