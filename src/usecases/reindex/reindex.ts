import {
  blockWrites,
  createGeneration,
  currentMappings,
  type Generations,
  liftBlock,
  readGenerations,
} from '../../engine/generations.js';
import type { IndexLayout } from '../../platform/config/config.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import { type AliasMove, movedState } from '../../engine/alias-move.js';
import { cancelCopies } from './copy.js';
import { moveAlias } from './move-alias.js';
import { backoffOf, type ReindexRun } from './run.js';

const HOW_TO_GO_BACK = 'npm run reindex -- --rollback goes back, --clean deletes it';

/** Fills a new index with the current mappings, and moves the alias to it; continues an earlier, unfinished run. */
export async function reindex(run: ReindexRun): Promise<void> {
  const { es, alias, lease, report } = run;
  if ((await settleEarlierMove(run, 'reindex')) === 'done') return;
  const { move } = lease.state;
  if (move === null) await begin(run);
  else report(`going on with ${move.to} where an earlier run ended`);
  const { to } = lease.state.move ?? { to: '' };
  const { others } = await readGenerations(es, alias);
  if (!others.some(({ index }) => index === to)) {
    await createGeneration(es, to, run.layout);
    report(`${to}: created with the current mappings, shards: ${run.layout.shards}`);
  }
  await moveAlias(run);
  report(`${lease.state.previous?.index} is kept, without writes: ${HOW_TO_GO_BACK}`);
}

async function begin({ es, alias, lease, layout, report }: ReindexRun): Promise<void> {
  const { live, next } = await readGenerations(es, alias);
  if (live.writeBlocked)
    throw new OperationError(
      `${live.index} is blocked for writes, and not by a reindex; lift index.blocks.write first.`,
    );
  // Without a refresh, the last writes of a load would not be counted.
  await es.indices.refresh({ index: live.index });
  const { count } = await es.count({ index: live.index });
  report(`${live.index} to ${next}: ${formatCount(count)} listings`);
  await lease.save({ move: newMove('reindex', [live.index, next], -1, layout) });
}

const newMove = (
  kind: AliasMove['kind'],
  [from, to]: [string, string],
  covered: number,
  layout: IndexLayout,
): AliasMove => ({
  kind,
  from,
  to,
  mappings: currentMappings(layout),
  phase: 'copying',
  covered,
  running: null,
});

/** Moves the alias back to the previous index, after copying everything that was written since. */
export async function rollback(run: ReindexRun): Promise<void> {
  const { es, alias, lease, layout, report } = run;
  if ((await settleEarlierMove(run, 'rollback')) === 'done') return;
  if (lease.state.move === null) {
    const { previous } = lease.state;
    const { live, others } = await readGenerations(es, alias);
    const target = others.find(({ index, isOwn }) => index === previous?.index && isOwn);
    if (previous === null || target === undefined)
      throw new OperationError('There is no index to go back to: none was kept.');
    report(`going back from ${live.index} to ${target.index}`);
    await lease.save({ move: newMove('rollback', [live.index, target.index], previous.covered, layout) });
  }
  await liftBlock(es, lease.state.move?.to ?? '');
  await moveAlias(run);
  report(`${lease.state.previous?.index} is kept, without writes: ${HOW_TO_GO_BACK}`);
}

/** Deletes the indices of the catalogue, except the one to which the alias points. */
export async function clean(run: ReindexRun): Promise<void> {
  const { es, alias, lease, report } = run;
  await settleEarlierMove(run, null);
  await lease.save({ previous: null });
  const { live, others } = await readGenerations(es, alias);
  for (const { index, isOwn, otherAliases } of others) {
    if (!isOwn) report(`${index} is not an index of this service; left alone`);
    else if (otherAliases.length > 0) report(`${index} has the alias ${otherAliases.join(', ')}; left alone`);
    else {
      await cancelCopies(es, index);
      await es.indices.delete({ index });
      report(`${index}: deleted`);
    }
  }
  report(`${alias} points to ${live.index}`);
}

/**
 * Completes or undoes an unfinished move of the alias, unless this run, of the kind `wanted`, can continue it. Afterwards, the
 * lease contains a move that this run can continue, or none. @returns `done` if the earlier move of this kind is complete.
 */
async function settleEarlierMove(run: ReindexRun, wanted: AliasMove['kind'] | null) {
  const { es, alias, lease, report } = run;
  const { move } = lease.state;
  if (move === null) return 'open';
  const generations = await readGenerations(es, alias);
  const { live } = generations;
  if (live.index === move.to) {
    // It is not known which writes the old index lacks, so a rollback will compare all listings.
    await lease.save(movedState(lease.state, move, -1));
    report(`an earlier ${move.kind} has moved the alias already: it points to ${move.to}`);
    return move.kind === wanted ? 'done' : 'open';
  }
  const continuable = live.index === move.from && !isStale(move, generations, run.layout);
  if (continuable && move.phase === 'swapping') {
    report(`an earlier ${move.kind} was about to move the alias; finishing that first`);
    await moveAlias(run);
    return move.kind === wanted ? 'done' : 'open';
  }
  if (continuable && move.kind === wanted) return 'open';
  report(`undoing an earlier ${move.kind} that did not complete`);
  await undo(run, move, generations);
  return 'open';
}

/** Whether the target index was deleted, does not belong to the service, or has other mappings or another number of shards. */
function isStale(
  { kind, to, mappings, phase, covered, running }: AliasMove,
  { others }: Generations,
  layout: IndexLayout,
): boolean {
  const found = others.find(({ index }) => index === to);
  const begun = kind === 'rollback' || phase !== 'copying' || covered >= 0 || running !== null;
  if (found === undefined) return begun;
  return !found.isOwn || (kind === 'reindex' && phase !== 'swapping' && mappings !== currentMappings(layout));
}

async function undo(run: ReindexRun, move: AliasMove, { live, others }: Generations): Promise<void> {
  const { es, lease } = run;
  await lease.renew();
  await cancelCopies(es, move.to);
  if (live.index === move.from && move.phase !== 'copying')
    await backoffOf(run).retry(() => liftBlock(es, move.from));
  const target = others.find(({ index }) => index === move.to);
  if (move.kind === 'rollback' && target !== undefined) await blockWrites(es, move.to);
  const isDisposable = target?.isOwn === true && target.otherAliases.length === 0;
  if (move.kind === 'reindex' && isDisposable) await es.indices.delete({ index: move.to });
  await lease.save({ move: null });
}
