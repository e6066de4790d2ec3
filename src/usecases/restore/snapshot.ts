import type { Client, estypes } from '@elastic/elasticsearch';
import { generationOf, productsAlias } from '../../engine/indices.js';
import { isNotFound, rejectionType } from '../../engine/errors.js';
import { OperationError } from '../../platform/operation-errors.js';

/** The indices of a backup other than that of the listings. An index is restored only if it does not exist. */
export const PARTS = [
  'decisions',
  'models',
  'brands',
  'links',
  'withdrawn',
  'trends',
  'suggestions',
] as const;
type SnapshotPart = (typeof PARTS)[number];

/** A snapshot that can be restored. */
export interface SnapshotContent {
  repository: string;
  snapshot: string;
  /** The time at which the snapshot was begun (ISO 8601, UTC). Writes after this time are not in the snapshot. */
  startedAt: string;
  products: string;
  /** The indices of each other part that the snapshot contains, such as people's decisions. */
  parts: Record<SnapshotPart, string[]>;
}

/** The snapshot that the operator wants to restore. */
export interface SnapshotChoice {
  repository: string;
  /** The name of the snapshot, or `latest`. */
  snapshot: string;
  /** The index of listings to restore if the snapshot contains several of them. */
  index: string | undefined;
}

interface Wanted extends SnapshotChoice {
  indexPrefix: string;
  /**
   * The index to which the alias leads now. If the snapshot contains several indices of listings, the one
   * with this name is restored by default.
   */
  serving: string | undefined;
}

/** Finds the snapshot to restore. @throws OperationError if none can be restored; nothing has been changed then. */
export async function findSnapshot(es: Client, wanted: Wanted): Promise<SnapshotContent> {
  const { repository, snapshot: name, indexPrefix } = wanted;
  const alias = productsAlias(indexPrefix);
  const found = await readSnapshots(es, repository, name === 'latest' ? '*' : name);
  const generationsIn = ({ indices = [] }: estypes.SnapshotSnapshotInfo) =>
    indices
      .filter((index) => generationOf(alias, index) !== null)
      .sort((a, b) => (generationOf(alias, b) ?? 0) - (generationOf(alias, a) ?? 0));
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
  const generations = generationsIn(chosen);
  const products =
    wanted.index ?? generations.find((index) => index === wanted.serving) ?? generations[0] ?? '';
  if (!generations.includes(products))
    throw new OperationError(
      `The snapshot ${chosen.snapshot} contains no index ${wanted.index ?? `${alias}-v*`}, but ${chosen.indices?.join(', ') || 'none'}.`,
    );
  const indicesOf = (part: SnapshotPart) =>
    (chosen.indices ?? []).filter(
      (index) => index === `${indexPrefix}-${part}` || index.startsWith(`${indexPrefix}-${part}-`),
    );
  return {
    repository,
    snapshot: chosen.snapshot,
    startedAt: String(chosen.start_time),
    products,
    parts: Object.fromEntries(PARTS.map((part) => [part, indicesOf(part)])) as SnapshotContent['parts'],
  };
}

/** Returns the snapshots of a repository, newest first. */
async function readSnapshots(
  es: Client,
  repository: string,
  snapshot: string,
): Promise<estypes.SnapshotSnapshotInfo[]> {
  try {
    const sort = snapshot === '*' ? { sort: 'start_time' as const, order: 'desc' as const } : {};
    const { snapshots = [] } = await es.snapshot.get({ repository, snapshot, ...sort });
    return snapshots;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const missing =
      rejectionType(error) === 'snapshot_missing_exception' ? `snapshot ${snapshot}` : 'repository';
    throw new OperationError(
      missing === 'repository'
        ? `There is no repository ${repository}: GET /_snapshot lists them. Nothing was touched.`
        : `${repository} contains no ${missing}: GET /_cat/snapshots/${repository} lists them. Nothing was touched.`,
      { cause: error },
    );
  }
}
