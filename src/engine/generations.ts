import { createHash } from 'node:crypto';
import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import type { IndexLayout } from '../platform/config/config.js';
import { OperationError } from '../platform/operation-errors.js';
import type { Backoff } from './backoff.js';
import { generationName, generationOf, productsIndex, productsIndexWith, SERVICE } from './indices.js';

/** One index of the catalogue with a version number in its name: the current, a former or a future one. */
export interface Generation {
  index: string;
  /** Whether the index was created by this service, as the `_meta` of its mapping states. */
  isOwn: boolean;
  writeBlocked: boolean;
  otherAliases: string[];
}

export interface Generations<Live = Generation> {
  live: Live;
  others: Generation[];
  /** The name of the next index to create, which is not in use. */
  next: string;
}

/** A fingerprint of the settings and mappings, by which an index with former ones is recognized. */
export const currentMappings = (layout: IndexLayout): string =>
  createHash('sha256')
    .update(JSON.stringify(productsIndexWith(layout)))
    .digest('hex')
    .slice(0, 16);

/** Like `findGenerations`. @throws OperationError also if the alias does not exist. */
export async function readGenerations(es: Client, alias: string): Promise<Generations> {
  const { live, ...rest } = await findGenerations(es, alias);
  if (live === null) throw new OperationError(`There is no catalogue ${alias}; npm run ingest creates one.`);
  return { live, ...rest };
}

/**
 * Reads the indices of the catalogue, and which of them its alias points to; null if there is no alias.
 * @throws OperationError if `alias` is an index, or points to several indices or to one of another service.
 */
export async function findGenerations(es: Client, alias: string): Promise<Generations<Generation | null>> {
  const behind = Object.keys(await es.indices.getAlias({ name: alias }, { ignore: [404] })).filter(
    (index) => index !== 'error' && index !== 'status',
  );
  const [name] = behind;
  if (name === undefined && (await es.indices.exists({ index: alias })))
    throw new OperationError(
      `${alias} is an index of its own, not the alias of a catalogue; nothing was touched.`,
    );
  if (behind.length > 1) {
    throw new OperationError(
      `${alias} points to several indices (${behind.join(', ')}); nothing was touched.`,
    );
  }
  const states = await es.indices.get({
    index: [...(name === undefined ? [] : [name]), `${alias}-v*`],
    expand_wildcards: 'all',
    filter_path: ['*.aliases', '*.mappings._meta', '*.settings.index.blocks'],
  });
  const all = Object.entries(states).map(([index, state]) => toGeneration(alias, index, state));
  const live = all.find(({ index }) => index === name) ?? null;
  if (name !== undefined && live?.isOwn !== true) {
    throw new OperationError(
      `${alias} points to ${name}, which is not an index of this service (its mapping has no _meta.service "${SERVICE}"); nothing was touched.`,
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
    isOwn: meta?.service === SERVICE,
    writeBlocked: String(blocked) === 'true',
    otherAliases: Object.keys(state.aliases ?? {}).filter((name) => name !== alias),
  };
}

/** Creates an index of the catalogue. Searches see its documents only after `showWrites`. */
export async function createGeneration(es: Client, index: string, layout: IndexLayout): Promise<void> {
  const { settings, mappings } = productsIndexWith(layout);
  await es.indices.create({
    index,
    settings: { ...settings, index: { ...settings.index, refresh_interval: '-1' } },
    mappings,
  });
}

/** Sets a refresh interval. Without one, shards that nobody searches are not refreshed, and cached answers would miss writes. */
export async function showWrites(es: Client, index: string): Promise<void> {
  const { refresh_interval } = productsIndex.settings.index ?? {};
  await es.indices.putSettings({ index, settings: { index: { refresh_interval } } });
}

/** Blocks writes to an index. Once this returns, every earlier write was either stored or rejected. */
export async function blockWrites(es: Client, index: string): Promise<void> {
  const { acknowledged, shards_acknowledged, indices } = await es.indices.addBlock({ index, block: 'write' });
  // `indices` is empty if an earlier run, which was killed, had already blocked the index.
  if (!acknowledged || (indices.length > 0 && !shards_acknowledged)) {
    throw new OperationError(`Elasticsearch did not block ${index} for writes in time.`);
  }
}

export async function liftBlock(es: Client, index: string): Promise<void> {
  await es.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
}

interface WriteProgress {
  /** The lowest sequence number of all shards up to which every write has reached every copy. */
  covered: number;
  count: number;
}

/** Reads how many writes an index has received. @throws OperationError if a shard has no primary. */
export async function writesOf(es: Client, index: string): Promise<WriteProgress> {
  const [stats, settings] = await Promise.all([
    es.indices.stats({ index, level: 'shards', metric: ['docs'] }),
    es.indices.getSettings({ index, name: 'index.number_of_shards' }),
  ]);
  const shards = Object.values(stats.indices?.[index]?.shards ?? {}).flatMap((copies) =>
    copies.flatMap(({ routing, seq_no }) => (routing?.primary && seq_no !== undefined ? [seq_no] : [])),
  );
  if (shards.length !== Number(settings[index]?.settings?.index?.number_of_shards)) {
    throw new OperationError(
      `Not every shard of ${index} is available; try again when the cluster has recovered.`,
    );
  }
  return {
    covered: Math.min(...shards.map(({ global_checkpoint }) => global_checkpoint)),
    count: shards.reduce((sum, { max_seq_no }) => sum + max_seq_no, 0),
  };
}

/** Refreshes an index until every earlier write is visible on every copy of every shard. */
export async function refreshFully(es: Client, index: string, backoff: Backoff): Promise<void> {
  for (;;) {
    const { _shards } = await backoff.retry(() => es.indices.refresh({ index }));
    if (_shards !== undefined && _shards.failed === 0) return;
    await backoff.wait('a shard could not be refreshed');
  }
}

type AliasSwap =
  | { moved: true }
  | {
      moved: false;
      error: unknown;
      /** Whether an attempt to move the alias that failed for this process may still succeed in Elasticsearch. */
      pending: boolean;
    };

/**
 * Moves an alias in one atomic step. @throws EngineUnavailableError if it is uncertain whether it moved.
 * @param move.from the index to which the alias points; null if there is no alias yet.
 */
export async function swapAlias(
  es: Client,
  { alias, from, to }: { alias: string; from: string | null; to: string },
  backoff: Backoff,
): Promise<AliasSwap> {
  const actions = [
    ...(from === null ? [] : [{ remove: { index: from, alias, must_exist: true } }]),
    { add: { index: to, alias, is_write_index: true } },
  ];
  for (let pending = false; ; pending = true) {
    try {
      await es.indices.updateAliases({ actions }, { maxRetries: 0 });
      return { moved: true };
    } catch (error) {
      const { live } = await backoff.retry(() => findGenerations(es, alias));
      if (live?.index === to) return { moved: true };
      if (isRejection(error)) return { moved: false, error, pending };
      await backoff.wait('the alias could not be changed');
    }
  }
}

/** Whether Elasticsearch rejected a request, so that it had no effect. After any other error, this is unknown. */
function isRejection(error: unknown): boolean {
  return error instanceof errors.ResponseError && (error.statusCode ?? 500) < 500 && error.statusCode !== 429;
}
