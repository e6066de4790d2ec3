import { CommandError } from '../shared/exit.js';
import { formatCount } from '../shared/terminal.js';
import { cancelCopies } from './copy.js';
import {
  blockWrites,
  createGeneration,
  type Generation,
  type Generations,
  liftBlock,
  readGenerations,
  TODAY,
} from './generations.js';
import type { Move } from './lease.js';
import { moveAlias } from './move.js';
import { backoffOf, type Work } from './work.js';

const HOW_TO_GO_BACK = 'npm run reindex -- --rollback goes back, --clean deletes it';

/** A new index with today's mappings behind the alias; or what is missing of one that an earlier run began. */
export async function reindex(work: Work): Promise<void> {
  const { es, alias, lease, say } = work;
  if ((await takeStock(work, 'reindex')) === 'done') return;
  const { move } = lease.state;
  if (move === null) await begin(work);
  else say(`going on with ${move.to} where an earlier run ended`);
  const { to } = lease.state.move ?? { to: '' };
  const { others } = await readGenerations(es, alias);
  if (!others.some(({ index }) => index === to)) {
    await createGeneration(es, to);
    say(`${to}: created with today's mappings`);
  }
  await moveAlias(work);
  say(`${lease.state.previous?.index} is kept, without writes: ${HOW_TO_GO_BACK}`);
}

async function begin({ es, alias, lease, say }: Work): Promise<void> {
  const { live, next } = await readGenerations(es, alias);
  if (live.writeBlocked) {
    throw new CommandError(
      `${live.index} is blocked for writes, and not by a reindex; lift index.blocks.write first.`,
    );
  }
  const { count } = await es.count({ index: live.index });
  say(`${live.index} to ${next}: ${formatCount(count)} listings`);
  await lease.save({ move: newMove('reindex', live.index, next, -1) });
}

const newMove = (kind: Move['kind'], from: string, to: string, covered: number): Move => ({
  kind,
  from,
  to,
  mappings: TODAY,
  phase: 'copying',
  covered,
  running: null,
});

/** Back to the index before, with everything that was written since. */
export async function rollback(work: Work): Promise<void> {
  const { es, alias, lease, say } = work;
  if ((await takeStock(work, 'rollback')) === 'done') return;
  if (lease.state.move === null) {
    const { previous } = lease.state;
    const { live, others } = await readGenerations(es, alias);
    const target = others.find(({ index, ours }) => index === previous?.index && ours);
    if (previous === null || target === undefined) {
      throw new CommandError('There is no index to go back to: none was kept.');
    }
    say(`going back from ${live.index} to ${target.index}`);
    await lease.save({ move: newMove('rollback', live.index, target.index, previous.covered) });
  }
  await liftBlock(es, lease.state.move?.to ?? '');
  await moveAlias(work);
  say(`${lease.state.previous?.index} is kept, without writes: ${HOW_TO_GO_BACK}`);
}

/** Deletes the service's indices behind this alias that it does not lead to. */
export async function clean(work: Work): Promise<void> {
  const { es, alias, lease, say } = work;
  await takeStock(work, null);
  await lease.save({ previous: null });
  const { live, others } = await readGenerations(es, alias);
  for (const { index, ours, otherAliases } of others) {
    if (!ours) say(`${index} is not an index of this service; left alone`);
    else if (otherAliases.length > 0) say(`${index} has the alias ${otherAliases.join(', ')}; left alone`);
    else {
      await cancelCopies(es, index);
      await es.indices.delete({ index });
      say(`${index}: deleted`);
    }
  }
  say(`${alias} leads to ${live.index}`);
}

/**
 * Looks at what an earlier run left. Afterwards the lease has a move that this run is to go on with, or none.
 * @param wanted what this run is to do; a move of another kind is undone.
 * @returns `done` when the earlier run had only its notes left to write.
 */
async function takeStock(work: Work, wanted: Move['kind'] | null): Promise<'done' | 'open'> {
  const { es, alias, lease, say } = work;
  const { move } = lease.state;
  if (move === null) return 'open';
  const generations = await readGenerations(es, alias);
  const { live } = generations;
  if (live.index === move.to) {
    // How far the old index goes is not known any more: a rollback then looks at every listing.
    await lease.save({ move: null, previous: { index: move.from, covered: -1 } });
    say(`an earlier ${move.kind} had got as far as the change of the alias: it leads to ${move.to}`);
    return move.kind === wanted ? 'done' : 'open';
  }
  const continuable = live.index === move.from && !isStale(move, generations);
  if (continuable && move.phase === 'swapping') {
    say(`an earlier ${move.kind} was about to change the alias; finishing that first`);
    await moveAlias(work);
    return move.kind === wanted ? 'done' : 'open';
  }
  if (continuable && move.kind === wanted) return 'open';
  say(`undoing an earlier ${move.kind} that did not come to its end`);
  await undo(work, move, generations);
  return 'open';
}

/** Whether the index that an earlier run began is of no use: it is gone, not ours, or made with other mappings. */
function isStale({ kind, to, mappings, phase, covered, running }: Move, { others }: Generations): boolean {
  const found = others.find(({ index }) => index === to);
  const begun = kind === 'rollback' || phase !== 'copying' || covered >= 0 || running !== null;
  if (found === undefined) return begun;
  return !found.ours || (kind === 'reindex' && phase !== 'swapping' && mappings !== TODAY);
}

async function undo(work: Work, move: Move, { live, others }: Generations): Promise<void> {
  const { es, lease } = work;
  await lease.touch();
  await cancelCopies(es, move.to);
  if (live.index === move.from && move.phase !== 'copying') {
    await backoffOf(work).retry(() => liftBlock(es, move.from));
  }
  const target = others.find(({ index }) => index === move.to);
  if (move.kind === 'rollback' && target !== undefined) await blockWrites(es, move.to);
  if (move.kind === 'reindex' && isDisposable(target)) await es.indices.delete({ index: move.to });
  await lease.save({ move: null });
}

const isDisposable = (generation: Generation | undefined): boolean =>
  generation?.ours === true && generation.otherAliases.length === 0;
