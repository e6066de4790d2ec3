import { createHash } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import { generationName, generationOf, productsIndex, SERVICE } from '../../src/engine/indices.js';
import { CommandError } from '../shared/exit.js';

/** An index of the catalogue, behind its alias now, before or soon. */
export interface Generation {
  index: string;
  /** Whether it is the service's, as its `_meta` says. */
  ours: boolean;
  writeBlocked: boolean;
  /** Other aliases than the catalogue's that lead to it. */
  otherAliases: string[];
}

export interface Generations<Live = Generation> {
  /** The one that the alias leads to. */
  live: Live;
  others: Generation[];
  /** A name that no index has. */
  next: string;
}

/** Tells whether an index was created with today's settings and mappings. */
export const TODAY = createHash('sha256').update(JSON.stringify(productsIndex)).digest('hex').slice(0, 16);

/** @throws CommandError when the alias leads to nothing that is the service's; nothing was touched then. */
export async function readGenerations(es: Client, alias: string): Promise<Generations> {
  const { live, ...rest } = await findGenerations(es, alias);
  if (live === null) throw new CommandError(`There is no catalogue ${alias}; npm run ingest makes one.`);
  return { live, ...rest };
}

/** Finds the generations of a catalogue, which may not exist yet. */
export async function findGenerations(es: Client, alias: string): Promise<Generations<Generation | null>> {
  const behind = Object.keys(await es.indices.getAlias({ name: alias }, { ignore: [404] })).filter(
    (index) => index !== 'error' && index !== 'status',
  );
  const [name] = behind;
  if (name === undefined) {
    if (await es.indices.exists({ index: alias }))
      throw new CommandError(
        `${alias} is an index of its own, not the alias of a catalogue; nothing was touched.`,
      );
  }
  if (behind.length > 1) {
    throw new CommandError(`${alias} leads to several indices (${behind.join(', ')}); nothing was touched.`);
  }
  const states = await es.indices.get({
    index: [...(name === undefined ? [] : [name]), `${alias}-v*`],
    expand_wildcards: 'all',
    filter_path: ['*.aliases', '*.mappings._meta', '*.settings.index.blocks'],
  });
  const all = Object.entries(states).map(([index, state]) => toGeneration(alias, index, state));
  const live = all.find(({ index }) => index === name) ?? null;
  if (name !== undefined && live?.ours !== true) {
    throw new CommandError(
      `${alias} leads to ${name}, which is not an index of this service (its mapping has no _meta.service "${SERVICE}"); nothing was touched.`,
    );
  }
  const newest = Math.max(0, ...all.map(({ index }) => generationOf(alias, index) ?? 0));
  const others = all.filter((one) => one !== live && generationOf(alias, one.index) !== null);
  return { live, others, next: generationName(alias, newest + 1) };
}

function toGeneration(alias: string, index: string, state: estypes.IndicesIndexState): Generation {
  const meta = state.mappings?._meta as { service?: unknown } | undefined;
  const blocked = state.settings?.index?.blocks?.write;
  return {
    index,
    ours: meta?.service === SERVICE,
    writeBlocked: String(blocked) === 'true',
    otherAliases: Object.keys(state.aliases ?? {}).filter((name) => name !== alias),
  };
}

/** Creates an index with today's settings and mappings; it shows nothing before `showWrites`. */
export async function createGeneration(es: Client, index: string): Promise<void> {
  const { settings, mappings } = productsIndex;
  await es.indices.create({
    index,
    settings: { ...settings, index: { ...settings.index, refresh_interval: '-1' } },
    mappings,
  });
}

/**
 * Gives an index today's refresh interval. Without one of its own, the engine stops refreshing a shard that nobody
 * searches, and answers that are kept would miss writes.
 */
export async function showWrites(es: Client, index: string): Promise<void> {
  const { refresh_interval } = productsIndex.settings.index ?? {};
  await es.indices.putSettings({ index, settings: { index: { refresh_interval } } });
}

/** Refuses writes from now on; when it returns, every write before has landed or was refused. */
export async function blockWrites(es: Client, index: string): Promise<void> {
  const { acknowledged, shards_acknowledged, indices } = await es.indices.addBlock({ index, block: 'write' });
  // None: a run before, that was killed, had it blocked already.
  if (!acknowledged || (indices.length > 0 && !shards_acknowledged)) {
    throw new CommandError(`Elasticsearch did not block ${index} for writes in time.`);
  }
}

export async function liftBlock(es: Client, index: string): Promise<void> {
  await es.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
}
