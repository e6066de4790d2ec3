import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { blockWrites, liftBlock, swapAlias, writesOf } from '../../engine/generations.js';
import { searchPages } from '../../engine/search-pages.js';
import { StoppedError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import type { AliasMoveRun } from '../../engine/alias-move.js';

/** How many listings the restored index lacks (`added`), has in another version (`changed`), and has in addition (`restored`). */
interface Difference {
  added: number;
  changed: number;
  restored: number;
}

const PAGE = 5_000;
const GIVE_UP_AFTER_MS = 2 * 60_000;

async function compareVersions(es: Client, serving: string, restored: string): Promise<Difference> {
  const difference: Difference = { added: 0, changed: 0, restored: 0 };
  const [one, two] = [versionsOf(es, serving), versionsOf(es, restored)];
  let [a, b] = await Promise.all([one.next(), two.next()]);
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : a.value.id - b.value.id;
    if (order < 0) difference.added += 1;
    else if (order > 0) difference.restored += 1;
    else if (!a.done && !b.done && a.value.version !== b.value.version) difference.changed += 1;
    if (order <= 0) a = await one.next();
    if (order >= 0) b = await two.next();
  }
  return difference;
}

async function* versionsOf(es: Client, index: string): AsyncGenerator<{ id: number; version: number }, void> {
  await es.indices.refresh({ index });
  const request = { index, size: PAGE, sort: [{ id: 'asc' as const }], version: true, _source: false };
  for await (const hits of searchPages(es, request))
    for (const { _id, _version: version = 0 } of hits) yield { id: Number(_id), version };
}

/**
 * Moves the alias to a restored index in one request. Writes to the former index, if there is one, are blocked just before, so
 * that none is lost between the comparison and the move. Loads wait, and continue with the restored index.
 */
export async function swapToRestored(
  { es, alias, report }: Pick<AliasMoveRun, 'es' | 'alias' | 'report'>,
  { from, to, yes }: { from: string | null; to: string; yes: boolean },
): Promise<void> {
  const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait: report });
  if (from === null) {
    const added = await swapAlias(es, { alias, from, to }, backoff);
    if (!added.moved) throw added.error;
    report(`${alias} points to ${to}`);
    return;
  }
  const compare = async () => {
    const difference = await compareVersions(es, from, to).catch(() => null);
    const leavesBehind = difference === null || difference.added + difference.changed > 0;
    if (leavesBehind && !yes)
      throw new StoppedError(`${differenceText(difference, from, to)}\n${consent(to)}`);
    return difference;
  };
  const before = await writesOf(es, from).catch(() => null);
  let difference = await compare();
  // A setting blocks writes to a broken index, because the block API would wait for every shard and time out.
  if (before === null)
    await es.indices.putSettings({ index: from, settings: { 'index.blocks.write': true } });
  else await blockWrites(es, from);
  try {
    if (before !== null && (await writesOf(es, from)).count !== before.count) difference = await compare();
    await liftBlock(es, to);
  } catch (error) {
    await liftBlock(es, from);
    throw error;
  }
  const swap = await swapAlias(es, { alias, from, to }, backoff);
  if (!swap.moved) {
    if (!swap.pending) await liftBlock(es, from);
    throw swap.error;
  }
  report(differenceText(difference, from, to));
  report(`${alias} now points to ${to}; ${from} is kept, without writes.`);
  report(`npm run restore -- --use ${from} goes back to it; npm run reindex -- --clean deletes it.`);
}

function differenceText(difference: Difference | null, from: string, to: string): string {
  if (difference === null)
    return `${from} cannot be read, so it is unknown which of its listings are not in ${to}.`;
  const { added, changed, restored } = difference;
  const parts = [
    `${from} has ${formatCount(added)} listings that ${to} does not have, and ${formatCount(changed)} in another version`,
    `${to} has ${formatCount(restored)} that ${from} does not have`,
  ];
  return `${parts.join('; ')}.`;
}

const consent = (to: string): string =>
  `They would be missing, or outdated, until their feeds are loaded again (npm run ingest). The alias is where it was.\nTo accept this: npm run restore -- --use ${to} --yes`;
