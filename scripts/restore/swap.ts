import type { Client, estypes } from '@elastic/elasticsearch';
import { writesOf } from '../reindex/copy.js';
import { blockWrites, liftBlock } from '../reindex/generations.js';
import { StoppedError } from '../shared/exit.js';
import { formatCount } from '../shared/terminal.js';

/** Listings that two indices do not share, by id and version. */
export interface Difference {
  /** Listings that exist only in the serving index. */
  added: number;
  /** Listings that exist in both indices, with different versions. */
  changed: number;
  /** Listings that exist only in the restored index. */
  restored: number;
}

const PAGE = 5_000;

/** Compares the ids and versions of all listings of two indices. */
export async function compareVersions(es: Client, serving: string, restored: string): Promise<Difference> {
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
  let last: estypes.SortResults | undefined;
  await es.indices.refresh({ index });
  do {
    const { hits } = (
      await es.search({
        index,
        size: PAGE,
        sort: [{ id: 'asc' }],
        version: true,
        track_total_hits: false,
        _source: false,
        allow_partial_search_results: false,
        ...(last === undefined ? {} : { search_after: last }),
      })
    ).hits;
    last = hits.at(-1)?.sort;
    for (const { _id, _version: version = 0 } of hits) yield { id: Number(_id), version };
  } while (last !== undefined);
}

interface Swap {
  es: Client;
  alias: string;
  /** The index that serves; null: none does. */
  from: string | null;
  to: string;
  /** Whether listings that are newer than those of `to` may be left behind. */
  yes: boolean;
  say: (line: string) => void;
  /** What is to be run to go on. */
  again: string;
}

/**
 * Puts an index behind the alias, in one request. The former one takes no writes from just before, so that none is made
 * that nobody counted; loads wait, and go on with the other index.
 * @throws StoppedError where that would leave listings behind, and nobody has said that it may; the alias is where it was.
 */
export async function swap({ es, alias, from, to, yes, say, again }: Swap): Promise<void> {
  if (from === null) {
    await es.indices.updateAliases({ actions: [{ add: { index: to, alias, is_write_index: true } }] });
    say(`${alias} leads to ${to}`);
    return;
  }
  const weigh = async () => {
    const difference = await compareVersions(es, from, to).catch(() => null);
    const behind = difference === null || difference.added + difference.changed > 0;
    if (behind && !yes) throw new StoppedError(`${describe(difference, from, to)}\n${left(again)}`);
    return difference;
  };
  const before = await writesOf(es, from).catch(() => null);
  let difference = await weigh();
  // One that cannot be read cannot be written to either, and says so only by and by.
  if (before === null)
    await es.indices.putSettings({ index: from, settings: { 'index.blocks.write': true } });
  else await blockWrites(es, from);
  try {
    if (before !== null && (await writesOf(es, from)).count !== before.count) difference = await weigh();
    await es.indices.putSettings({ index: to, settings: { 'index.blocks.write': null } });
    await es.indices.updateAliases(
      {
        actions: [
          { remove: { index: from, alias, must_exist: true } },
          { add: { index: to, alias, is_write_index: true } },
        ],
      },
      { maxRetries: 0 },
    );
  } catch (error) {
    const behind = Object.keys(await es.indices.getAlias({ name: alias }));
    // An answer that was lost is no failure.
    if (!behind.includes(to)) {
      await liftBlock(es, from);
      throw error;
    }
  }
  say(describe(difference, from, to));
  say(`${alias} now leads to ${to}; ${from} is kept, without writes.`);
  say(`npm run restore -- --use ${from} goes back to it; npm run reindex -- --clean deletes it.`);
}

function describe(difference: Difference | null, from: string, to: string): string {
  if (difference === null)
    return `${from} cannot be read, so nobody knows which of its listings are not in ${to}.`;
  const { added, changed, restored } = difference;
  const parts = [
    `${from} has ${formatCount(added)} listings that ${to} does not have, and ${formatCount(changed)} in another version`,
    `${to} has ${formatCount(restored)} that ${from} does not have`,
  ];
  return `${parts.join('; ')}.`;
}

const left = (again: string): string =>
  `They would be missing, or as they were, until their feeds are loaded again (npm run ingest). The alias is where it was.\nIf this is meant to be: npm run restore -- ${again} --yes`;
