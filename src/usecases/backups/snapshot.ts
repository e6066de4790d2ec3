import type { Client, estypes } from '@elastic/elasticsearch';
import { generationOf, productsAlias, SERVICE } from '../../engine/indices.js';
import { isNotFound, rejectionType } from '../../engine/errors.js';
import { OperationError } from '../../platform/operation-errors.js';
import { type IndexKind, kindOfIndex } from '../../platform/stored.js';
import type { Figures } from './figures.js';

/** What a backup states about itself in the metadata of its snapshot, which Elasticsearch limits to 1,024 bytes. */
export interface Contents {
  /** The index to which the alias of the catalogue pointed. */
  products: string;
  /** What each kind contained just before the snapshot was begun. A kind that did not exist is missing. */
  kinds: Partial<Record<IndexKind, Figures>>;
  /** The copy of Redis: when it was made (ISO 8601, UTC), and its SHA-256; null: there is none. */
  redis: { at: string; sha256: string } | null;
}

export interface SnapshotChoice {
  repository: string;
  /** The name of the snapshot, or `latest`. */
  snapshot: string;
}

type Packed = Record<string, [count: number | null, writes: number, newest: number | null]>;

export function toMetadata(indexPrefix: string, { products, kinds, redis }: Contents): estypes.Metadata {
  const packed: Packed = Object.fromEntries(
    Object.entries(kinds).map(([kind, { count, writes, newest }]) => [kind, [count, writes, newest]]),
  );
  return { service: SERVICE, prefix: indexPrefix, products, kinds: packed, redis };
}

/** Reads the contents from the metadata of a snapshot; null if it is not a backup of this catalogue. */
export function fromMetadata(
  indexPrefix: string,
  { metadata }: Pick<estypes.SnapshotSnapshotInfo, 'metadata'>,
): Contents | null {
  if (metadata?.['service'] !== SERVICE || metadata['prefix'] !== indexPrefix) return null;
  const { products, kinds, redis } = metadata as unknown as Omit<Contents, 'kinds'> & { kinds: Packed };
  const unpacked = Object.entries(kinds).map(([kind, [count, writes, newest]]) => [
    kind,
    { count, writes, newest },
  ]);
  return { products, kinds: Object.fromEntries(unpacked) as Contents['kinds'], redis };
}

/** Finds the snapshot to restore. @throws OperationError if none can be restored; nothing has been changed then. */
export async function findSnapshot(
  es: Client,
  { repository, snapshot: name, indexPrefix }: SnapshotChoice & { indexPrefix: string },
) {
  const alias = productsAlias(indexPrefix);
  const found = await readSnapshots(es, repository, name === 'latest' ? '*' : name);
  const generationsIn = ({ indices = [] }: estypes.SnapshotSnapshotInfo) =>
    indices.filter((one) => generationOf(alias, one) !== null);
  const usable = found.filter((one) => one.state === 'SUCCESS' && generationsIn(one).length > 0);
  const chosen = name === 'latest' ? usable[0] : found[0];
  if (chosen === undefined)
    throw new OperationError(
      `${repository} contains no complete snapshot with an index ${alias}-v*; nothing was touched.`,
    );
  if (chosen.state !== 'SUCCESS')
    throw new OperationError(
      `The snapshot ${chosen.snapshot} is ${chosen.state}: some of it is missing. Choose another: GET /_cat/snapshots/${repository}`,
    );
  const contents = fromMetadata(indexPrefix, chosen);
  const indices: Partial<Record<IndexKind, string[]>> = {};
  for (const one of chosen.indices ?? []) {
    const kind = kindOfIndex(indexPrefix, one);
    if (kind !== null) (indices[kind] ??= []).push(one);
  }
  return {
    repository,
    snapshot: chosen.snapshot,
    /** When the snapshot was begun (ISO 8601, UTC). Later writes are not in it. */
    startedAt: String(chosen.start_time),
    products: productsOf(chosen.snapshot, generationsIn(chosen), contents?.products),
    indices,
    dataStreams: chosen.data_streams ?? [],
    /** Null: the snapshot was not taken by `npm run backup`. */
    contents,
  };
}

export type SnapshotContent = Awaited<ReturnType<typeof findSnapshot>>;

/** The index of listings that was in use, or the only one. @throws OperationError if it is missing or unknown. */
function productsOf(snapshot: string, generations: readonly string[], inUse: string | undefined): string {
  const [first = ''] = generations;
  const wanted = inUse ?? (generations.length > 1 ? null : first);
  if (wanted !== null && generations.includes(wanted)) return wanted;
  const all = generations.join(', ') || 'none';
  throw new OperationError(
    wanted === null
      ? `The snapshot ${snapshot} contains several indices of listings (${all}), and does not state which one was in use, because npm run backup did not take it; nothing was touched.`
      : `The snapshot ${snapshot} contains no index ${wanted || 'of listings'}, but ${all}.`,
  );
}

/** Returns the snapshots of a repository, newest first. */
export async function readSnapshots(es: Client, repository: string, snapshot: string) {
  try {
    const sort = snapshot === '*' ? { sort: 'start_time' as const, order: 'desc' as const } : {};
    const { snapshots = [] } = await es.snapshot.get({ repository, snapshot, ...sort });
    return snapshots;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message =
      rejectionType(error) === 'snapshot_missing_exception'
        ? `${repository} contains no snapshot ${snapshot}: GET /_cat/snapshots/${repository} lists them. Nothing was touched.`
        : `There is no repository ${repository} in Elasticsearch. Name the folder of the backups, which is registered then, with --repository, or a repository that GET /_snapshot lists. Nothing was touched.`;
    throw new OperationError(message, { cause: error });
  }
}
